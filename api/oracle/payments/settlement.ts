import { ulid } from "ulid";
import { type Address, type Hex, isAddressEqual } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import {
  type Chain,
  eventsIn,
  findByIdempotencyKey,
  type MinedCall,
  PendingTransactionError,
  senderOf,
  submitCall,
} from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { readAccountState } from "./claim-store.ts";
import { availableOf, type DepositBook } from "./deposits.ts";
import { onChainClaimId, oracleIdOf } from "./oracle-id.ts";
import * as store from "./settlement-store.ts";
import type { ClaimRow } from "./tables.ts";
import type { Terms } from "./terms.ts";

export type SettlementDeps = {
  db: Database;
  clock: { now: () => Date };
  log: Log;
  workers: Workers;
  chain: Chain;
  did: string;
  terms: Terms;
  deposits: DepositBook;
};

/** Most claims of one transaction: 30 000 gas each. */
const batchSize = 200;
/** How long claims are collected before they are sent, and how often leftover ones are settled, in milliseconds. */
const pace = { embedded: { gather: 200, every: 2_000 }, outside: { gather: 15_000, every: 60_000 } };
/** How long a settlement is left to the process that started it, in milliseconds. */
const unknownAfterMs = 10_000;
/** How long it may take from taking claims to storing the transaction in the outbox, in milliseconds. */
const storedWithinMs = 60_000;

/**
 * Settles claims on chain. Whichever process comes first takes claims into a settlement; the outbox sends its transaction once, and
 * the registry pays each claim once. After a crash, the chain says which claims were paid.
 */
export class Settlement {
  readonly #deps: SettlementDeps;
  readonly #oracle: Hex;
  readonly #pace: { gather: number; every: number };
  readonly #settling: Worker;
  #mustRecheckPaid = false;
  #unsubscribe: () => void = () => {};

  constructor(deps: SettlementDeps, options: { embedded: boolean }) {
    this.#deps = deps;
    this.#oracle = oracleIdOf(deps.did);
    this.#pace = options.embedded ? pace.embedded : pace.outside;
    const { every, gather } = this.#pace;
    this.#settling = deps.workers.add({
      name: "oracle-settlement",
      everyMs: every,
      firstAfterMs: gather,
      run: ({ signal }) => this.#runOnce(signal),
    });
  }

  async start(): Promise<void> {
    const { chain } = this.#deps;
    await this.recheckPaid();
    this.#unsubscribe = chain.head.subscribe((head, previous) => {
      if (previous === undefined || head.number > previous.number) return;
      this.#mustRecheckPaid = true;
      this.#settling.nudge();
    });
    this.#settling.start();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#settling.close();
  }

  /** Settle open claims soon, together with those that arrive until then. */
  soon(): void {
    this.#settling.nudge(this.#pace.gather);
  }

  /** One round: resolve settlements of unknown outcome, assign claims on credit to deposits, send unpaid claims. */
  async run(): Promise<void> {
    await this.#settling.runNow();
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    if (this.#mustRecheckPaid) {
      await this.recheckPaid();
      this.#mustRecheckPaid = false;
    }
    await this.#resolveUnknown();
    if (!this.#maySettle()) return;
    await this.#assignCredit();
    while (!signal.aborted && (await this.#settleSome()));
  }

  #maySettle(): boolean {
    const { chain, terms } = this.#deps;
    const { current } = terms;
    const own = senderOf(chain, "operator").address;
    return current !== undefined && [current.settler, current.owner].some((each) => isAddressEqual(each, own));
  }

  /** Settle one batch. @returns whether there may be more */
  async #settleSome(): Promise<boolean> {
    const { db, chain, clock, log } = this.#deps;
    const settlementId = ulid();
    const rows = await store.takeForSettlement(db, { settlementId, limit: batchSize, at: clock.now() });
    if (rows.length === 0) return false;
    const claims = rows.map((row) => ({
      claimId: onChainClaimId(row.id),
      payer: row.payer as Address,
      amount: row.amount,
    }));
    const call = { sender: "operator", contract: "oracles", functionName: "settle", purpose: "oracle.settle" } as const;
    try {
      const mined = await submitCall(
        { chain },
        { idempotencyKey: keyOf(settlementId) },
        { ...call, args: [this.#oracle, claims] },
      );
      await this.#note(rows, settlementId, mined);
      return rows.length === batchSize;
    } catch (error) {
      // Its claims stay unknown until the chain is asked.
      if (!(error instanceof PendingTransactionError || error instanceof AppError)) throw error;
      log.warn({ settlementId, err: error }, "a settlement has not ended yet");
      return false;
    }
  }

  async #note(rows: ClaimRow[], settlementId: string, mined: MinedCall): Promise<void> {
    const { db, chain, clock } = this.#deps;
    const { blockNumber: block, transactionHash } = mined;
    const at = clock.now();
    const paid = await this.#paidOf(rows, block);
    await store.markPaid(db, [...paid], { block, transactionHash, at });
    const where = { contract: "oracles", address: chain.addresses.oracles, eventName: "ClaimRefused" } as const;
    const reasons = new Map(eventsIn(mined.logs, where).map(({ args }) => [args.claimId, args.reason]));
    for (const { id } of rows.filter((row) => !paid.has(row.id))) {
      const reason = reasons.get(onChainClaimId(id)) ?? null;
      await store.markUnpaid(db, { ids: [id], settlementId, reason, at });
    }
  }

  /** The ids among these claims that the registry has paid, as of a block. */
  async #paidOf(rows: Pick<ClaimRow, "id">[], blockNumber: bigint): Promise<Set<string>> {
    if (rows.length === 0) return new Set();
    const { chain } = this.#deps;
    const ids = rows.map(({ id }) => onChainClaimId(id));
    const paid = await chain.client.readContract({
      address: chain.addresses.oracles,
      abi: oraclesAbi,
      functionName: "arePaid",
      args: [this.#oracle, ids],
      blockNumber,
    });
    return new Set(rows.filter((_, i) => paid[i]).map(({ id }) => id));
  }

  /** Resolve settlements whose process died, or did not wait for the block. */
  async #resolveUnknown(): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now().getTime();
    const rows = await store.unknownSince(db, new Date(now - unknownAfterMs));
    for (const [settlementId, claims] of Map.groupBy(rows, (row) => row.settlementId ?? "")) {
      const known = await findByIdempotencyKey(db, keyOf(settlementId));
      // The outbox is still sending it, or its process may still store it there.
      if (known?.transaction.status === "open") continue;
      const since = Math.max(...claims.map(({ changedAt }) => changedAt.getTime()));
      if (known === undefined && now - since < storedWithinMs) continue;
      await this.#markPaidOnChain(claims, (known?.transaction.hash as Hex | undefined) ?? null);
      const ids = claims.map(({ id }) => id);
      await store.markUnpaid(db, { ids, settlementId, reason: null, at: clock.now() });
    }
  }

  async #markPaidOnChain(rows: ClaimRow[], transactionHash: Hex | null): Promise<void> {
    const { db, chain, clock } = this.#deps;
    const { number: block } = await chain.latest();
    const paid = await this.#paidOf(rows, block);
    await store.markPaid(db, [...paid], { block, transactionHash, at: clock.now() });
  }

  /** Mark the user's claims that the chain has paid. */
  async reconcile(userDid: string): Promise<void> {
    const rows = await store.openOf(this.#deps.db, userDid);
    for (const [settlementId, claims] of Map.groupBy(rows, (row) => row.settlementId ?? "")) {
      const known = settlementId === "" ? undefined : await findByIdempotencyKey(this.#deps.db, keyOf(settlementId));
      await this.#markPaidOnChain(claims, (known?.transaction.hash as Hex | undefined) ?? null);
    }
  }

  /** Compare the claims paid last with the chain: a reorganisation may have reverted their payment. */
  async recheckPaid(): Promise<void> {
    const { db, chain, clock, log } = this.#deps;
    const rows = await store.lastPaid(db, batchSize);
    const paid = await this.#paidOf(rows, (await chain.latest()).number);
    const lost = rows.filter(({ id }) => !paid.has(id)).map(({ id }) => id);
    if (lost.length > 0)
      log.warn({ claims: lost.length }, "the chain has lost payments of claims; they are settled again");
    await store.forgetPayment(db, lost, clock.now());
  }

  /** Assign claims on credit to a deposit that covers them. */
  async #assignCredit(): Promise<void> {
    const { db, clock, deposits: book } = this.#deps;
    for (const userDid of await store.usersOnCredit(db)) {
      const deposits = await book.of(userDid);
      if (deposits.deposits.length === 0) continue;
      const { promised } = await readAccountState(db, userDid, deposits);
      const owed = await store.creditOf(db, userDid);
      for (const deposit of deposits.deposits) {
        let left = availableOf(deposit) - (promised.get(deposit.payer) ?? 0n);
        const covered = owed.filter(({ amount }) => {
          if (amount > deposit.acceptedPrice || amount > left) return false;
          left -= amount;
          return true;
        });
        await store.assignPayer(
          db,
          covered.map(({ id }) => id),
          { payer: deposit.payer, at: clock.now() },
        );
        for (const claim of covered) owed.splice(owed.indexOf(claim), 1);
      }
    }
  }
}

const keyOf = (settlementId: string) => `oracle-settlement:${settlementId}`;
