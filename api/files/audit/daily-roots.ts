import { createHmac, hkdfSync } from "node:crypto";
import { asc, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { namespaces } from "../records/tables.ts";
import { fileAuditLeaves, fileAuditRoots } from "./tables.ts";

export type AuditRoot = typeof fileAuditRoots.$inferSelect;
/** The head of one namespace's chain, as a daily root contains it. */
export type ChainHead = { namespace: string; sequence: number; head: Uint8Array };

/** Id of the advisory lock that keeps two processes from making two roots for one day. Any fixed number. */
const rootLock = 4_729_313;
const dayMs = 86_400_000;

/** Days since 1970-01-01 UTC. */
export function dayOf(date: Date): number {
  return Math.floor(date.getTime() / dayMs);
}

/** `2026-11-21` */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** A function that replaces owners in the published tree by pseudonyms: HMAC-SHA-256 under a key derived from the scheme's. */
export function tagger(schemeKey: string): (namespace: string) => Hex {
  const key = Buffer.from(
    hkdfSync("sha256", Buffer.from(schemeKey, "hex"), Buffer.alloc(0), "hearth/audit-leaf/1", 32),
  );
  return (namespace) => `0x${createHmac("sha256", key).update(namespace).digest("hex")}`;
}

/** The Merkle tree over the heads, with the leaves that contracts/audits/IAudits.sol defines. Needs at least one head. */
export async function treeOf(heads: Iterable<ChainHead>, tag: (namespace: string) => Hex) {
  const { StandardMerkleTree } = await import("@openzeppelin/merkle-tree");
  const leaves = Array.from(heads, ({ namespace, sequence, head }) => [tag(namespace), sequence, toHex(head)]);
  return StandardMerkleTree.of(leaves, ["bytes32", "uint64", "bytes32"]);
}

export function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

/**
 * Make the root of a day over all chains as they are now.
 * @returns undefined when a root of that day or a later one exists, or no chain grew since the last root
 */
export function makeRoot(
  { db, clock, schemeKey }: { db: Database; clock: Clock; schemeKey: string },
  day: number,
): Promise<AuditRoot | undefined> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${rootLock})`);
    const [last] = await tx.select().from(fileAuditRoots).orderBy(desc(fileAuditRoots.day)).limit(1);
    if (last !== undefined && last.day >= day) return undefined;
    const known = await lastLeaves(tx);
    const heads = await currentHeads(tx);
    const grown = heads.filter(({ namespace, sequence }) => known.get(namespace) !== sequence);
    if (grown.length === 0) return undefined;
    const row: AuditRoot = {
      day,
      root: Buffer.from((await treeOf(heads, tagger(schemeKey))).root.slice(2), "hex"),
      namespaces: heads.length,
      events: heads.reduce((sum, { sequence }) => sum + sequence, 0),
      madeAt: clock.now(),
      transactionHash: null,
    };
    await tx.insert(fileAuditRoots).values(row);
    for (let from = 0; from < grown.length; from += 5000) {
      await tx.insert(fileAuditLeaves).values(grown.slice(from, from + 5000).map((leaf) => ({ day, ...leaf })));
    }
    return row;
  });
}

async function currentHeads(tx: Transaction): Promise<ChainHead[]> {
  const rows = await tx
    .select({ namespace: namespaces.namespace, sequence: namespaces.auditSequence, head: namespaces.auditHead })
    .from(namespaces)
    .where(gt(namespaces.auditSequence, 0));
  return rows.map(({ head, ...row }) => {
    if (head === null) throw new Error("A chain with events has no head.");
    return { ...row, head };
  });
}

/** How many events of each namespace the roots so far contain. */
async function lastLeaves(tx: Transaction): Promise<Map<string, number>> {
  const rows = await tx
    .selectDistinctOn([fileAuditLeaves.namespace], {
      namespace: fileAuditLeaves.namespace,
      sequence: fileAuditLeaves.sequence,
    })
    .from(fileAuditLeaves)
    .orderBy(fileAuditLeaves.namespace, desc(fileAuditLeaves.day));
  return new Map(rows.map(({ namespace, sequence }) => [namespace, sequence]));
}

/** Roots that are not recorded as anchored, oldest first. */
export function pendingRoots(db: Database): Promise<AuditRoot[]> {
  return db
    .select()
    .from(fileAuditRoots)
    .where(isNull(fileAuditRoots.transactionHash))
    .orderBy(asc(fileAuditRoots.day));
}

export async function markAnchored(db: Database, day: number, transactionHash: string): Promise<void> {
  await db.update(fileAuditRoots).set({ transactionHash }).where(eq(fileAuditRoots.day, day));
}
