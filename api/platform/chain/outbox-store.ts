import { and, asc, eq, gte, inArray, ne, or, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database, Transaction } from "../db/index.ts";
import {
  type ChainTransaction,
  chainIdentity,
  chainSenders,
  chainTransactionParts,
  chainTransactions,
  type StoredError,
} from "./tables.ts";

export type NewTransaction = {
  sender: Hex;
  contract: string;
  functionName: string;
  purpose: string;
  /** Idempotency keys of the requests that the transaction carries out, with their position in the batch. */
  parts: { idempotencyKey: string; position: number }[];
};
export type Signed = { hash: Hex; raw: Hex };

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
 * it is sent even after a crash.
 */
export async function storeSigned(
  db: Database,
  intent: NewTransaction,
  sign: (nonce: number) => Promise<Signed>,
): Promise<ChainTransaction> {
  return await db.transaction(async (tx) => {
    const sender = intent.sender.toLowerCase();
    const [taken] = await tx
      .update(chainSenders)
      .set({ nextNonce: sql`${chainSenders.nextNonce} + 1` })
      .where(eq(chainSenders.address, sender))
      .returning({ nextNonce: chainSenders.nextNonce });
    if (taken === undefined) throw new Error(`The sender ${sender} is not known to the outbox.`);
    const nonce = taken.nextNonce - 1;
    return await insertTransaction(tx, { ...intent, sender: sender as Hex }, nonce, await sign(nonce));
  });
}

/** Store a transaction that its sender signed. Null when one of the same sender and nonce is stored already. */
export async function storeRelayed(
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
  block: { status: "mined" | "reverted"; blockNumber: number; transactionIndex: number; error?: StoredError },
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
    .set({ ...signed, replacedHashes: [...row.replacedHashes, row.hash], sentAt: new Date() })
    .where(
      and(eq(chainTransactions.id, row.id), eq(chainTransactions.hash, row.hash), eq(chainTransactions.status, "open")),
    )
    .returning({ id: chainTransactions.id });
  return replaced.length === 1;
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
export async function unsettled(db: Database, sender: Hex, chainNonce: number): Promise<ChainTransaction[]> {
  return await db
    .select()
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
