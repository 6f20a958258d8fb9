import { type Address, getAddress, type Hex, zeroHash } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import type { Chain } from "../../platform/chain/chain.ts";
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
type Parts = { chain: ReadChain; did: string; schemeKey: string; log: Log };

/** Finds the deposits that were made for a user. The registry's events say who may be paying; its storage, how much is there. */
export class DepositBook {
  readonly #parts: Parts;
  readonly #oracle: Hex;
  readonly #payers = new Map<Hex, Set<Address>>();
  #seenTo = 0n;
  #following: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};
  /** Called after deposits were made. */
  onDeposit: () => void = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#oracle = oracleIdOf(parts.did);
  }

  async start(): Promise<void> {
    const { chain, log } = this.#parts;
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
    return userKeyOf(this.#parts.schemeKey, this.#parts.did, userDid);
  }

  /** The account that the user's DID itself is, if it is one. */
  ownAccountOf(userDid: string): Address | undefined {
    return accountOfDid(userDid, this.#parts.chain.id);
  }

  /** Read what was contracted since the last look. One look at a time. */
  async follow(): Promise<void> {
    this.#following = this.#following.catch(() => undefined).then(() => this.#look());
    await this.#following;
  }

  async #look(): Promise<void> {
    const { chain } = this.#parts;
    const { number: latest } = await chain.head.fetch();
    // A chain that went back may tell other deposits at heights that were seen.
    const from = latest < this.#seenTo ? chain.startBlock : this.#seenTo + 1n;
    if (from > latest) return;
    const events = await chain.client.getContractEvents({
      ...{ address: chain.addresses.oracles, abi: oraclesAbi, eventName: "OracleContracted" },
      ...{ args: { oracle: this.#oracle }, fromBlock: from, toBlock: latest, strict: true },
    });
    for (const { args } of events) this.#note(args);
    this.#seenTo = latest;
    if (events.length > 0) this.onDeposit();
  }

  #note({ user, payer }: { user: Hex; payer: Address }): void {
    const payers = this.#payers.get(user) ?? new Set();
    payers.add(getAddress(payer));
    this.#payers.set(user, payers);
  }

  /** The user's deposits, the largest first. @param fresh ask for the very latest block, deposits of this moment included */
  async of(userDid: string, { fresh = false } = {}): Promise<Deposits> {
    const { chain } = this.#parts;
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
    const { chain } = this.#parts;
    const { balance, withdrawing, acceptedPrice, user } = await chain.client.readContract({
      ...{ address: chain.addresses.oracles, abi: oraclesAbi, functionName: "accountOf" },
      ...{ args: [this.#oracle, payer], blockNumber },
    });
    return { payer, balance, withdrawing, acceptedPrice, user };
  }
}

/** What of a deposit may still be promised: not what its payer is taking back. */
export function availableOf({ balance, withdrawing }: Pick<Deposit, "balance" | "withdrawing">): bigint {
  return balance > withdrawing ? balance - withdrawing : 0n;
}
