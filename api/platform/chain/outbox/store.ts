import { and, asc, type Column, eq, getTableColumns, gte, inArray, max, ne, or, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database, Transaction } from "../../db/index.ts";
import {
  type ChainTransaction,
  chainIdentity,
  chainSenders,
  chainTransactionParts,
  chainTransactions,
  type StoredError,
} from "../tables.ts";

export type NewTransaction = {
  sender: Hex;
  contract: string;
  functionName: string;
  purpose: string;
  /** Idempotency keys of the requests that the transaction carries out, with their position in the batch. */
  parts: { idempotencyKey: string; position: number }[];
};
export type Signed = { hash: Hex; raw: Hex };
/** A transaction with the time since it was stored and last signed, by the database's clock: those of the processes may differ. */
export type AgedTransaction = ChainTransaction & { storedAgoMs: number; sentAgoMs: number };

/** Add the sender, or raise its next nonce to the chain's transaction count. */
export async function ensureSender(db: Database, address: Hex, chainNonce: number): Promise<void> {
  await db
    .insert(chainSenders)
    .values({ address: address.toLowerCase(), nextNonce: chainNonce })
    .onConflictDoUpdate({
      target: chainSenders.address,
      set: { nextNonce: sql`greatest(${chainSenders.nextNonce}, ${chainNonce})` },
    });
}

/**
 * Take the sender's next nonce under a row lock, sign and store, in one database transaction. Only a stored transaction is sent;
 * it is sent even after a crash. `alsoStore` writes in the same database transaction.
 */
export async function storeSigned(
  db: Database,
  intent: NewTransaction,
  sign: (nonce: number) => Promise<Signed>,
  alsoStore?: (tx: Transaction, transactionId: number) => Promise<void>,
): Promise<ChainTransaction> {
  return await db.transaction(async (tx) => {
    const sender = intent.sender.toLowerCase();
    const nonce = await takeNonce(tx, sender);
    const row = await insertTransaction(tx, { ...intent, sender: sender as Hex }, nonce, await sign(nonce));
    await alsoStore?.(tx, row.id);
    return row;
  });
}

/** Store a transaction with a given nonce. Null when one of the same sender and nonce is stored already. */
export async function storeAtNonce(
  db: Database,
  intent: NewTransaction & { nonce: number },
  signed: Signed,
): Promise<ChainTransaction | null> {
  return await db.transaction(async (tx) => {
    const known = await tx
      .select({ id: chainTransactions.id })
      .from(chainTransactions)
      .where(and(eq(chainTransactions.sender, intent.sender.toLowerCase()), eq(chainTransactions.nonce, intent.nonce)));
    if (known.length > 0) return null;
    return await insertTransaction(tx, intent, intent.nonce, signed);
  });
}

async function insertTransaction(
  tx: Transaction,
  intent: NewTransaction,
  nonce: number,
  signed: Signed,
): Promise<ChainTransaction> {
  const { contract, functionName, purpose, parts } = intent;
  const [row] = await tx
    .insert(chainTransactions)
    .values({ sender: intent.sender.toLowerCase(), nonce, ...signed, contract, functionName, purpose, status: "open" })
    .returning();
  if (row === undefined) throw new Error("The outbox row was not stored.");
  if (parts.length > 0) {
    const values = parts.map((part) => ({ ...part, transactionId: row.id }));
    await tx.insert(chainTransactionParts).values(values);
  }
  return row;
}

/** Find the transaction of an idempotent request, and the request's position in the transaction's batch. */
export async function findByIdempotencyKey(
  db: Database,
  idempotencyKey: string,
): Promise<{ transaction: ChainTransaction; position: number } | undefined> {
  const [found] = await db
    .select({ transaction: chainTransactions, position: chainTransactionParts.position })
    .from(chainTransactionParts)
    .innerJoin(chainTransactions, eq(chainTransactions.id, chainTransactionParts.transactionId))
    .where(eq(chainTransactionParts.idempotencyKey, idempotencyKey));
  return found;
}

export async function findById(db: Database, id: number): Promise<ChainTransaction | undefined> {
  return (await db.select().from(chainTransactions).where(eq(chainTransactions.id, id)))[0];
}

export async function findByHash(db: Database, hash: Hex): Promise<ChainTransaction | undefined> {
  return (await db.select().from(chainTransactions).where(eq(chainTransactions.hash, hash)))[0];
}

export async function findByNonce(db: Database, sender: Hex, nonce: number): Promise<ChainTransaction | undefined> {
  const same = and(eq(chainTransactions.sender, sender.toLowerCase()), eq(chainTransactions.nonce, nonce));
  return (await db.select().from(chainTransactions).where(same))[0];
}

export async function markInBlock(
  db: Database,
  id: number,
  block: {
    status: "mined" | "reverted";
    blockNumber: number;
    transactionIndex: number;
    feeWei: string;
    error?: StoredError;
  },
): Promise<void> {
  await db.update(chainTransactions).set(block).where(eq(chainTransactions.id, id));
  if (block.status === "reverted") await releaseParts(db, id);
}

export async function markFailed(db: Database, id: number, error: StoredError): Promise<void> {
  await db
    .update(chainTransactions)
    .set({ status: "failed", error })
    .where(and(eq(chainTransactions.id, id), eq(chainTransactions.status, "open")));
  await releaseParts(db, id);
}

/** Free the idempotency keys of a transaction that failed, so that its requests can be tried again. */
async function releaseParts(db: Database, id: number): Promise<void> {
  await db.delete(chainTransactionParts).where(eq(chainTransactionParts.transactionId, id));
}

/** Delete a relayed transaction that the node refused permanently. The sender can use its nonce again. */
export async function removeTransaction(db: Database, id: number): Promise<void> {
  await db.delete(chainTransactions).where(and(eq(chainTransactions.id, id), eq(chainTransactions.status, "open")));
}

/** Replace an open transaction's bytes by a version with a higher fee. False when it is not open or was replaced meanwhile. */
export async function replaceSigned(db: Database, row: ChainTransaction, signed: Signed): Promise<boolean> {
  const replaced = await db
    .update(chainTransactions)
    .set({ ...signed, replacedHashes: [...row.replacedHashes, row.hash], sentAt: sql`now()` })
    .where(isUnchanged(row))
    .returning({ id: chainTransactions.id });
  return replaced.length === 1;
}

const isUnchanged = (row: ChainTransaction) =>
  and(eq(chainTransactions.id, row.id), eq(chainTransactions.hash, row.hash), eq(chainTransactions.status, "open"));

/**
 * Sign an open transaction again with the sender's next nonce, because another transaction has used its nonce permanently.
 * Undefined when it is not open or was signed again meanwhile.
 */
export async function moveToNextNonce(
  db: Database,
  row: ChainTransaction,
  sign: (nonce: number) => Promise<Signed>,
): Promise<Signed | undefined> {
  return await db.transaction(async (tx) => {
    const [current] = await tx.select().from(chainTransactions).where(isUnchanged(row)).for("update");
    if (current === undefined) return undefined;
    const nonce = await takeNonce(tx, row.sender);
    const signed = await sign(nonce);
    const replacedHashes = [...row.replacedHashes, row.hash];
    await tx
      .update(chainTransactions)
      .set({ ...signed, nonce, replacedHashes, sentAt: sql`now()` })
      .where(eq(chainTransactions.id, row.id));
    return signed;
  });
}

/** Take the sender's next nonce. The row's lock lasts until the end of the database transaction. */
async function takeNonce(tx: Transaction, sender: string): Promise<number> {
  const [taken] = await tx
    .update(chainSenders)
    .set({ nextNonce: sql`${chainSenders.nextNonce} + 1` })
    .where(eq(chainSenders.address, sender))
    .returning({ nextNonce: chainSenders.nextNonce });
  if (taken === undefined) throw new Error(`The sender ${sender} is not known to the outbox.`);
  return taken.nextNonce - 1;
}

/** The sender's next nonce. */
export async function nextNonceOf(db: Database, address: Hex): Promise<number | undefined> {
  const [found] = await db
    .select({ nextNonce: chainSenders.nextNonce })
    .from(chainSenders)
    .where(eq(chainSenders.address, address.toLowerCase()));
  return found?.nextNonce;
}

/** Sum what these senders paid for gas in the last 24 hours, in wei. */
export async function spentInLastDay(db: Database, senders: readonly Hex[]): Promise<bigint> {
  const [sum] = await db
    .select({ wei: sql<string>`coalesce(sum(${chainTransactions.feeWei}), 0)::text` })
    .from(chainTransactions)
    .where(
      and(
        inArray(
          chainTransactions.sender,
          senders.map((each) => each.toLowerCase()),
        ),
        gte(chainTransactions.createdAt, sql`now() - interval '24 hours'`),
      ),
    );
  return BigInt(sum?.wei ?? "0");
}

/** Return the newest block that has a transaction of any process; 0 if there is none. */
export async function newestBlock(db: Database): Promise<number> {
  const [newest] = await db.select({ block: max(chainTransactions.blockNumber) }).from(chainTransactions);
  return newest?.block ?? 0;
}

/** List senders with a transaction that is open, or in block `sinceBlock` or later. */
export async function sendersToCheck(db: Database, sinceBlock: number): Promise<Hex[]> {
  const rows = await db
    .selectDistinct({ sender: chainTransactions.sender })
    .from(chainTransactions)
    .where(or(eq(chainTransactions.status, "open"), gte(chainTransactions.blockNumber, sinceBlock)));
  return rows.map((row) => row.sender as Hex);
}

/** List a sender's transactions that are open, or whose nonce the chain counts as unused (it has lost their block). */
export async function unsettled(db: Database, sender: Hex, chainNonce: number): Promise<AgedTransaction[]> {
  return await db
    .select({
      ...getTableColumns(chainTransactions),
      storedAgoMs: msSince(chainTransactions.createdAt),
      sentAgoMs: msSince(chainTransactions.sentAt),
    })
    .from(chainTransactions)
    .where(
      and(
        eq(chainTransactions.sender, sender),
        ne(chainTransactions.status, "failed"),
        or(eq(chainTransactions.status, "open"), gte(chainTransactions.nonce, chainNonce)),
      ),
    )
    .orderBy(asc(chainTransactions.nonce));
}

const msSince = (time: Column) => sql<number>`(extract(epoch from now() - ${time}) * 1000)::float8`;

export async function countOpen(db: Database): Promise<number> {
  return await db.$count(chainTransactions, inArray(chainTransactions.status, ["open"]));
}

/**
 * Bind the database to its chain.
 * @returns the genesis hash of another chain that it is bound to already: then no stored transaction may be sent to this one
 */
export async function bindToChain(db: Database, chainId: number, genesisHash: Hex): Promise<string | undefined> {
  await db.insert(chainIdentity).values({ chainId, genesisHash }).onConflictDoNothing();
  const rows = await db.select().from(chainIdentity);
  return rows.find((row) => row.chainId !== chainId || row.genesisHash !== genesisHash)?.genesisHash;
}
