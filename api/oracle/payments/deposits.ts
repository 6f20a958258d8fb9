import { type Address, getAddress, type Hex, zeroHash } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import type { Chain } from "../../platform/chain/index.ts";
import type { Log } from "../../platform/log.ts";
import { accountOfDid, oracleIdOf, userKeyOf } from "./oracle-id.ts";

/** A deposit that pays a user's messages, as of one block. Stablecoin base units. */
export type Deposit = {
  payer: Address;
  balance: bigint;
  withdrawing: bigint;
  /** The most that one claim may take. */
  acceptedPrice: bigint;
};

/** `block`: every deposit is as it was after that one. */
export type Deposits = { block: bigint; deposits: Deposit[] };

type ReadChain = Pick<Chain, "id" | "client" | "addresses" | "head" | "startBlock" | "past" | "read">;
export type DepositsDeps = {
  chain: ReadChain;
  /** The oracle's. */
  did: string;
  /** 64 hexadecimal digits. */
  schemeKey: string;
  /** Called after new deposits were found. */
  onDeposit: () => void;
  log: Log;
};

/** Finds the deposits for a user. The registry's events name possible payers; its storage has their balances. */
export class DepositBook {
  readonly #deps: DepositsDeps;
  readonly #oracle: Hex;
  readonly #payers = new Map<Hex, Set<Address>>();
  #seenTo = 0n;
  #following: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};

  constructor(deps: DepositsDeps) {
    this.#deps = deps;
    this.#oracle = oracleIdOf(deps.did);
  }

  async start(): Promise<void> {
    const { chain, log } = this.#deps;
    const latest = await chain.head.fetch();
    for (const { args } of await chain.past("oracles", "OracleContracted", { oracle: this.#oracle })) this.#note(args);
    this.#seenTo = latest.number;
    this.#unsubscribe = chain.head.subscribe(() => {
      this.follow().catch((error: unknown) => log.warn({ err: error }, "new deposits could not be read"));
    });
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#following.catch(() => undefined);
  }

  keyOf(userDid: string): Hex {
    return userKeyOf(this.#deps.schemeKey, this.#deps.did, userDid);
  }

  /** The account that the user's DID names; undefined when it names none. */
  ownAccountOf(userDid: string): Address | undefined {
    return accountOfDid(userDid, this.#deps.chain.id);
  }

  /** Read the events since the last read. Reads do not overlap. */
  async follow(): Promise<void> {
    this.#following = this.#following.catch(() => undefined).then(() => this.#readEvents());
    await this.#following;
  }

  async #readEvents(): Promise<void> {
    const { chain } = this.#deps;
    const { number: latest } = await chain.head.fetch();
    // After a reorganisation, blocks that were read may hold other events.
    const from = latest < this.#seenTo ? chain.startBlock : this.#seenTo + 1n;
    if (from > latest) return;
    const events = await chain.client.getContractEvents({
      address: chain.addresses.oracles,
      abi: oraclesAbi,
      eventName: "OracleContracted",
      args: { oracle: this.#oracle },
      fromBlock: from,
      toBlock: latest,
      strict: true,
    });
    for (const { args } of events) this.#note(args);
    this.#seenTo = latest;
    if (events.length > 0) this.#deps.onDeposit();
  }

  #note({ user, payer }: { user: Hex; payer: Address }): void {
    const payers = this.#payers.get(user) ?? new Set();
    payers.add(getAddress(payer));
    this.#payers.set(user, payers);
  }

  /** The user's deposits, largest first. @param fresh read the latest block now, new deposits included */
  async of(userDid: string, { fresh = false } = {}): Promise<Deposits> {
    const { chain } = this.#deps;
    if (fresh) await this.follow();
    const head = fresh ? undefined : chain.head.latest;
    const block = (head ?? (await chain.head.fetch())).number;
    const own = this.ownAccountOf(userDid);
    const key = this.keyOf(userDid);
    const candidates = new Set([...(this.#payers.get(key) ?? []), ...(own === undefined ? [] : [own])]);
    const found = await Promise.all([...candidates].map((payer) => this.#read(payer, block)));
    const isFor = (user: Hex, payer: Address) => user === key || (user === zeroHash && payer === own);
    const deposits = found
      .filter(({ user, payer, acceptedPrice }) => acceptedPrice > 0n && isFor(user, payer))
      .map(({ user: _, ...deposit }) => deposit)
      .sort((a, b) => (availableOf(b) > availableOf(a) ? 1 : -1));
    return { block, deposits };
  }

  async #read(payer: Address, blockNumber: bigint): Promise<Deposit & { user: Hex }> {
    const { chain } = this.#deps;
    const { balance, withdrawing, acceptedPrice, user } = await chain.client.readContract({
      address: chain.addresses.oracles,
      abi: oraclesAbi,
      functionName: "accountOf",
      args: [this.#oracle, payer],
      blockNumber,
    });
    return { payer, balance, withdrawing, acceptedPrice, user };
  }
}

/** The part of a deposit that can pay claims: what its payer is not withdrawing. */
export function availableOf({ balance, withdrawing }: Pick<Deposit, "balance" | "withdrawing">): bigint {
  return balance > withdrawing ? balance - withdrawing : 0n;
}
