import { ulid } from "ulid";
import { type Address, type Hex, isAddressEqual } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { type Chain, senderOf } from "../../platform/chain/chain.ts";
import { eventsIn } from "../../platform/chain/contracts.ts";
import type { MinedCall } from "../../platform/chain/outbox.ts";
import { findByIdempotencyId } from "../../platform/chain/outbox-store.ts";
import { StillSubmitted } from "../../platform/chain/still-submitted.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import type { CoreDeps } from "../../platform/core.ts";
import { AppError } from "../../platform/errors.ts";
import { readStanding } from "./claim-store.ts";
import { availableOf, type DepositBook } from "./deposits.ts";
import { onChainClaimId, oracleIdOf } from "./oracle-id.ts";
import * as store from "./settlement-store.ts";
import type { ClaimRow } from "./tables.ts";
import type { Terms } from "./terms.ts";

type Parts = Pick<CoreDeps, "db" | "clock" | "log"> & {
  chain: Chain;
  did: string;
  terms: Terms;
  deposits: DepositBook;
};

/** Most claims of one transaction: 30 000 gas each. */
const batchSize = 200;
/** How long claims gather before they are sent, and how often what is left over is looked at, in milliseconds. */
const pace = { embedded: { gather: 200, every: 2_000 }, outside: { gather: 15_000, every: 60_000 } };
/** How long a settlement is its own process's to finish, in milliseconds. */
const patienceMs = 10_000;
/** How long one may take from taking its claims to the outbox, in milliseconds. */
const storedWithinMs = 60_000;

/**
 * Settles claims on chain, in whichever process comes first. A claim is taken into a settlement, whose transaction the outbox sends
 * once; the registry pays a claim once, however often it is sent. After a crash the chain is asked what became of it.
 */
export class Settlement {
  readonly #parts: Parts;
  readonly #oracle: Hex;
  readonly #pace: { gather: number; every: number };
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};
  #closed = false;

  constructor(parts: Parts, options: { embedded: boolean }) {
    this.#parts = parts;
    this.#oracle = oracleIdOf(parts.did);
    this.#pace = options.embedded ? pace.embedded : pace.outside;
  }

  async start(): Promise<void> {
    const { chain, deposits } = this.#parts;
    await this.recheckPaid();
    deposits.onDeposit = () => this.soon();
    this.#unsubscribe = chain.head.subscribe((head, previous) => {
      if (previous !== undefined && head.number <= previous.number) this.#guard(() => this.recheckPaid());
    });
    this.#timer = setInterval(() => this.soon(0), this.#pace.every);
    this.#timer.unref();
    this.soon();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#running;
  }

  /** Settle what there is, in a moment. */
  soon(ms = this.#pace.gather): void {
    if (this.#closed || this.#soon !== undefined) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#guard(() => this.run());
    }, ms);
    this.#soon.unref();
  }

  #guard(work: () => Promise<void>): void {
    const { log } = this.#parts;
    this.#running = this.#running.then(work).catch((error: unknown) => {
      log.warn({ err: error }, "claims could not be settled; it will be tried again");
    });
  }

  /** One round: settle what has ended unknown, give claims on credit their payers, send what is unpaid. */
  async run(): Promise<void> {
    await this.#resolveUnknown();
    if (!this.#maySettle()) return;
    await this.#assignCredit();
    while (!this.#closed && (await this.#settleSome()));
  }

  #maySettle(): boolean {
    const { chain, terms } = this.#parts;
    const { current } = terms;
    const own = senderOf(chain, "operator").address;
    return current !== undefined && [current.settler, current.owner].some((each) => isAddressEqual(each, own));
  }

  /** @returns whether there may be more */
  async #settleSome(): Promise<boolean> {
    const { db, chain, clock, log } = this.#parts;
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
      const ctx = { deps: { chain }, idempotencyId: keyOf(settlementId) };
      const mined = await submitCall(ctx.deps, ctx, { ...call, args: [this.#oracle, claims] });
      await this.#note(rows, settlementId, mined);
      return rows.length === batchSize;
    } catch (error) {
      // Its claims stay unknown until the chain has told.
      if (!(error instanceof StillSubmitted || error instanceof AppError)) throw error;
      log.warn({ settlementId, err: error }, "a settlement has not ended yet");
      return false;
    }
  }

  async #note(rows: ClaimRow[], settlementId: string, mined: MinedCall): Promise<void> {
    const { db, chain, clock } = this.#parts;
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

  /** What the registry says of the claims, as of a block. */
  async #paidOf(rows: Pick<ClaimRow, "id">[], blockNumber: bigint): Promise<Set<string>> {
    if (rows.length === 0) return new Set();
    const { chain } = this.#parts;
    const ids = rows.map(({ id }) => onChainClaimId(id));
    const paid = await chain.client.readContract({
      ...{ address: chain.addresses.oracles, abi: oraclesAbi, functionName: "arePaid" },
      ...{ args: [this.#oracle, ids], blockNumber },
    });
    return new Set(rows.filter((_, i) => paid[i]).map(({ id }) => id));
  }

  /** Settlements whose process died, or did not wait for the block. */
  async #resolveUnknown(): Promise<void> {
    const { db, clock } = this.#parts;
    const now = clock.now().getTime();
    const rows = await store.unknownSince(db, new Date(now - patienceMs));
    for (const [settlementId, claims] of Map.groupBy(rows, (row) => row.settlementId ?? "")) {
      const known = await findByIdempotencyId(db, keyOf(settlementId));
      // The outbox still sends it, or its process may still hand it over.
      if (known?.transaction.status === "open") continue;
      const since = Math.max(...claims.map(({ changedAt }) => changedAt.getTime()));
      if (known === undefined && now - since < storedWithinMs) continue;
      await this.#agree(claims, (known?.transaction.hash as Hex | undefined) ?? null);
      const ids = claims.map(({ id }) => id);
      await store.markUnpaid(db, { ids, settlementId, reason: null, at: clock.now() });
    }
  }

  async #agree(rows: ClaimRow[], transactionHash: Hex | null): Promise<void> {
    const { db, chain, clock } = this.#parts;
    const { number: block } = await chain.latest();
    const paid = await this.#paidOf(rows, block);
    await store.markPaid(db, [...paid], { block, transactionHash, at: clock.now() });
  }

  /** Mark what the chain has paid of a user's claims already. */
  async reconcile(userDid: string): Promise<void> {
    const rows = await store.openOf(this.#parts.db, userDid);
    for (const [settlementId, claims] of Map.groupBy(rows, (row) => row.settlementId ?? "")) {
      const known = settlementId === "" ? undefined : await findByIdempotencyId(this.#parts.db, keyOf(settlementId));
      await this.#agree(claims, (known?.transaction.hash as Hex | undefined) ?? null);
    }
  }

  /** What was paid last is compared with the chain: one that was rewound may have lost it. */
  async recheckPaid(): Promise<void> {
    const { db, chain, clock, log } = this.#parts;
    const rows = await store.lastPaid(db, batchSize);
    const paid = await this.#paidOf(rows, (await chain.latest()).number);
    const lost = rows.filter(({ id }) => !paid.has(id)).map(({ id }) => id);
    if (lost.length > 0)
      log.warn({ claims: lost.length }, "the chain has lost payments of claims; they are settled again");
    await store.forgetPayment(db, lost, clock.now());
  }

  /** Claims on credit go to a deposit that covers them. */
  async #assignCredit(): Promise<void> {
    const { db, clock, deposits: book } = this.#parts;
    for (const userDid of await store.usersOnCredit(db)) {
      const deposits = await book.of(userDid);
      if (deposits.deposits.length === 0) continue;
      const { promised } = await readStanding(db, userDid, deposits);
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
