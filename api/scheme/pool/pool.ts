import { type Address, getContract, type Hex } from "viem";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import { type Chain, unlessRefused } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Side } from "./arithmetic.ts";
import { type Bound, boundOf } from "./units.ts";

/** Remaining amounts of the caps on net flows. */
export type Room = { perWindow: Bound; perDay: Bound; lifetime: Bound };
export type Caps = Room & { perTransaction: Bound; perSupplierDay: Bound };

/** State of the pool at one block. Amounts are in base units of 10^-6. */
export type PoolState = {
  block: { number: bigint; hash: Hex; timestamp: bigint };
  stablecoin: Address;
  /** Stablecoin base units per CARBON. */
  price: bigint;
  /** Ten-thousandths. */
  fee: bigint;
  paused: boolean;
  caps: Caps;
  /** Reserves as the pool counts them. */
  reserves: { carbon: bigint; stablecoin: bigint };
  /** Null for an earlier version of the pool, which does not offer it. */
  room: Record<Side, Room> | null;
  /** CARBON, from the pool: the smallest of the caps and the reserve. */
  swappable: Record<Side, bigint>;
  /** The pool's token balances, and the CARBON that vouchers hold in escrow; null if a contract refuses the call. */
  held: { carbon: bigint | null; stablecoin: bigint | null };
  escrowed: bigint | null;
};

/** Length of the pool's rolling window in seconds, a constant of its contract. */
export const windowSeconds = 3_600;

/** Reader of the pool's state at one block. Each block is read once. */
export class PoolReader {
  readonly #chain: Chain;
  #last: { hash: Hex; state: Promise<PoolState> } | undefined;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Read the pool at the latest block. @throws AppError UNAVAILABLE for an earlier version of the pool */
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

  /** Read what one supplier may still sell now, alone and within all caps; `perSupplierDay` null: unbounded or unknown.
   * `debt`: its supplier debt, which the pool sets off against its next sales. */
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

  /** Check whether a party's order with this nonce was carried out or cancelled. */
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

  /** Read the balances that the pool does not count itself. */
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

/** Part of the dependencies: the pool. */
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
