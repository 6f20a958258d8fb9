import { and, asc, eq, isNull, ne, or } from "drizzle-orm";
import type { Hex } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { AuditFault, RootsReport } from "./audit-report.ts";
import { type AuditRoot, type ChainHead, dayOf, dayText, tagger, toHex, treeOf } from "./daily-roots.ts";
import { fileAuditLeaves, fileAuditRoots, fileEvents } from "./tables.ts";

/** Reads the contract's roots. Throws when the chain does not answer. */
export type RootReader = { rootOf(day: number): Promise<Hex>; latestDay(): Promise<number> };

type Options = { db: Database; clock: Clock; schemeKey: string; chain: RootReader | undefined };

/** Days after which a root is on chain, if the anchoring works: it is made and sent when its day has ended. */
const daysToAnchor = 2;

/** Recompute each daily root from its heads, compare the heads with the events and the roots with the chain. */
export async function verifyRoots({
  db,
  clock,
  schemeKey,
  chain,
}: Options): Promise<RootsReport & { faults: AuditFault[] }> {
  const roots = await db.select().from(fileAuditRoots).orderBy(asc(fileAuditRoots.day));
  const faults = [...(await mismatchedHeads(db)), ...(await wrongRoots(db, roots, schemeKey))];
  if (chain === undefined) return { days: roots.length, anchored: undefined, unreachable: "none was named", faults };
  try {
    const { overdue, ...compared } = await compareWithChain(roots, chain, dayOf(clock.now()) - daysToAnchor);
    const late = overdue === 0 ? {} : { overdue };
    return { days: roots.length, anchored: compared.anchored, ...late, faults: [...faults, ...compared.faults] };
  } catch (error) {
    const unreachable = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { days: roots.length, anchored: undefined, unreachable, faults };
  }
}

/** Find heads in a root that match no event. */
async function mismatchedHeads(db: Database): Promise<AuditFault[]> {
  const rows = await db
    .select({ namespace: fileAuditLeaves.namespace, sequence: fileAuditLeaves.sequence, day: fileAuditLeaves.day })
    .from(fileAuditLeaves)
    .leftJoin(
      fileEvents,
      and(eq(fileEvents.namespace, fileAuditLeaves.namespace), eq(fileEvents.sequence, fileAuditLeaves.sequence)),
    )
    .where(or(isNull(fileEvents.hash), ne(fileEvents.hash, fileAuditLeaves.head)))
    .orderBy(asc(fileAuditLeaves.day))
    .limit(100);
  return rows.map(({ day, ...place }) => ({
    ...place,
    problem: `it differs from the event in the root of ${dayText(day)}`,
  }));
}

async function wrongRoots(db: Database, roots: AuditRoot[], schemeKey: string): Promise<AuditFault[]> {
  const tag = tagger(schemeKey);
  const heads = new Map<string, ChainHead>();
  const faults: AuditFault[] = [];
  for (const { day, root } of roots) {
    const leaves = await db.select().from(fileAuditLeaves).where(eq(fileAuditLeaves.day, day));
    for (const leaf of leaves) heads.set(leaf.namespace, leaf);
    const fits = heads.size > 0 && (await treeOf(heads.values(), tag)).root === toHex(root);
    if (!fits) faults.push({ problem: `the root of ${dayText(day)} does not match its heads` });
  }
  return faults;
}

/** @param due the last day whose root the chain should have */
async function compareWithChain(roots: AuditRoot[], chain: RootReader, due: number) {
  const faults: AuditFault[] = [];
  let anchored = 0;
  let overdue = 0;
  const latest = await chain.latestDay();
  const lastHere = roots.at(-1)?.day ?? 0;
  if (latest > lastHere) faults.push({ problem: `the chain has a root of ${dayText(latest)} that is missing here` });
  for (const { day, root } of roots) {
    const there = await chain.rootOf(day);
    if (there === toHex(root)) anchored += 1;
    else if (day <= latest) faults.push({ problem: `the chain has another root of ${dayText(day)}, or none` });
    else if (day <= due) overdue += 1;
  }
  return { anchored, overdue, faults };
}
