import { type Address, getContract, type Hex } from "viem";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import { type Chain, unlessRefused } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Side } from "./arithmetic.ts";
import { type Bound, boundOf } from "./units.ts";

/** What the caps for net flows leave. */
export type Room = { perWindow: Bound; perDay: Bound; lifetime: Bound };
export type Caps = Room & { perTransaction: Bound; perSupplierDay: Bound };

/** The pool at one block. Amounts are base units of 10^-6. */
export type PoolState = {
  block: { number: bigint; hash: Hex; timestamp: bigint };
  stablecoin: Address;
  /** Stablecoin base units for one CARBON. */
  price: bigint;
  /** Ten-thousandths. */
  fee: bigint;
  paused: boolean;
  caps: Caps;
  /** Counted by the pool. */
  reserves: { carbon: bigint; stablecoin: bigint };
  /** Null for a pool of an earlier version, which cannot tell. */
  room: Record<Side, Room> | null;
  /** Of CARBON, as the pool itself says: the least of every cap and the reserve. */
  swappable: Record<Side, bigint>;
  /** What the tokens say that the pool holds, and the CARBON that vouchers hold in escrow; null where a contract refuses. */
  held: { carbon: bigint | null; stablecoin: bigint | null };
  escrowed: bigint | null;
};

/** Seconds of the pool's rolling window, a constant of its contract. */
export const windowSeconds = 3_600;

/** Reads the pool, all of it at one block; each block once. */
export class PoolReader {
  readonly #chain: Chain;
  #last: { hash: Hex; state: Promise<PoolState> } | undefined;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** The pool at the latest block. @throws AppError UNAVAILABLE for a pool of an earlier version */
  async now(): Promise<PoolState> {
    const block = await this.#chain.latest();
    if (this.#last?.hash !== block.hash) {
      const state = this.#read(block);
      this.#last = { hash: block.hash, state };
      state.catch(() => {
        if (this.#last?.state === state) this.#last = undefined;
      });
    }
    return await this.#last.state;
  }

  /** What one supplier may still sell now, and of all caps together; `perSupplierDay` null: no bound, or not to be told.
   * `debt`: what it owes for claims found invalid, which the pool keeps unpaid of what it sells next. */
  async supplierRoom(
    supplier: number,
    { number: blockNumber }: PoolState["block"],
  ): Promise<{ perSupplierDay: Bound; now: bigint; debt: bigint }> {
    const { client, addresses } = this.#chain;
    const { read } = getContract({ abi: poolAbi, address: addresses.pool, client });
    const claims = getContract({ abi: claimsAbi, address: addresses.claims, client });
    const [left, now, debt] = await Promise.all([
      unlessRefused(read.supplierDayLeft([supplier], { blockNumber })),
      read.sellableNow([supplier], { blockNumber }),
      claims.read.supplierDebt([supplier], { blockNumber }),
    ]);
    return { perSupplierDay: left === null ? null : boundOf(left), now, debt };
  }

  /** Whether a party's order of this nonce was carried out or cancelled. */
  isNonceUsed(side: Side, { party, nonce }: { party: number; nonce: bigint }): Promise<boolean> {
    return this.#chain.read("pool", "isNonceUsed", [side === "sell" ? 0 : 1, party, nonce]);
  }

  async #read({ number, hash, timestamp }: PoolState["block"]): Promise<PoolState> {
    const { client, addresses } = this.#chain;
    const { read } = getContract({ abi: poolAbi, address: addresses.pool, client });
    const at = { blockNumber: number };
    const [terms, caps, carbon, stable, buyable, sellable, room, outside] = await Promise.all([
      Promise.all([read.price(at), requiredOfPool(read.fee(at)), read.paused(at), read.stablecoin(at)]),
      read.caps(at),
      read.carbonReserve(at),
      read.stablecoinReserve(at),
      requiredOfPool(read.buyableNow(at)),
      read.sellableNow([0], at),
      unlessRefused(read.capsLeft(at)),
      this.#outside(number),
    ]);
    const [price, fee, paused, stablecoin] = terms;
    return {
      block: { number, hash, timestamp },
      stablecoin,
      price,
      fee: BigInt(fee),
      paused,
      room: room === null ? null : { sell: roomOf(room[0]), buy: roomOf(room[1]) },
      caps: {
        perTransaction: boundOf(caps.perTransaction),
        perWindow: boundOf(caps.perWindow),
        perDay: boundOf(caps.perDay),
        lifetime: boundOf(caps.lifetime),
        perSupplierDay: boundOf(caps.perSupplierDay),
      },
      reserves: { carbon, stablecoin: stable },
      swappable: { buy: buyable, sell: sellable },
      ...outside,
    };
  }

  /** What the pool does not count itself. */
  async #outside(blockNumber: bigint): Promise<Pick<PoolState, "held" | "escrowed">> {
    const { client, addresses } = this.#chain;
    const balance = (address: Address) =>
      unlessRefused(getContract({ abi: carbonAbi, address, client }).read.balanceOf([addresses.pool], { blockNumber }));
    const vouchers = getContract({ abi: vouchersAbi, address: addresses.vouchers, client });
    const [carbon, stablecoin, escrowed] = await Promise.all([
      balance(addresses.carbon),
      balance(addresses.stablecoin),
      unlessRefused(vouchers.read.escrowed({ blockNumber })),
    ]);
    return { held: { carbon, stablecoin }, escrowed };
  }
}

export type Pool = { reader: PoolReader };

/** The pool's part of what a request may need. */
export function openPool(chain: Chain): Pool {
  return { reader: new PoolReader(chain) };
}

function roomOf({ window, day, lifetime }: Record<"window" | "day" | "lifetime", bigint>): Room {
  return { perWindow: boundOf(window), perDay: boundOf(day), lifetime: boundOf(lifetime) };
}

async function requiredOfPool<T>(answer: Promise<T>): Promise<T> {
  const value = await unlessRefused(answer);
  if (value !== null) return value;
  throw new AppError("UNAVAILABLE", "The pool of this deployment is of an earlier version, which sells no CARBON.");
}
