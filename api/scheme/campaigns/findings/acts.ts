import { createHash } from "node:crypto";
import { asc, inArray } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { type ActContent, campaignVerificationActs, type FindingKind, type VerificationAct } from "./tables.ts";

export type NewAct = Pick<VerificationAct, "finding" | "content" | "role" | "caller" | "at">;

/** A finding with its history. */
export type Finding = {
  number: number;
  kind: FindingKind;
  status: "open" | "answered" | "closed";
  opened: VerificationAct;
  answers: VerificationAct[];
  closed: VerificationAct | null;
};

/** Read the acts of campaigns, those of each campaign in order. */
export async function actsOf(db: Database, campaigns: readonly number[]): Promise<VerificationAct[]> {
  if (campaigns.length === 0) return [];
  return db
    .select()
    .from(campaignVerificationActs)
    .where(inArray(campaignVerificationActs.campaign, [...campaigns]))
    .orderBy(asc(campaignVerificationActs.campaign), asc(campaignVerificationActs.sequence));
}

/**
 * Add an act at the end of a campaign's log. `decide` gets the acts so far and may throw. It is called again if another act was
 * added meanwhile.
 */
export async function addAct(
  db: Database,
  campaign: number,
  decide: (acts: VerificationAct[]) => NewAct,
): Promise<VerificationAct> {
  for (;;) {
    const acts = await actsOf(db, [campaign]);
    const row = chained(campaign, acts.at(-1), decide(acts));
    const added = await db.insert(campaignVerificationActs).values(row).onConflictDoNothing().returning();
    if (added[0] !== undefined) return added[0];
  }
}

function chained(campaign: number, last: VerificationAct | undefined, act: NewAct): VerificationAct {
  const row = { campaign, sequence: (last?.sequence ?? 0) + 1, ...act, previousHash: last?.hash ?? null };
  return { ...row, hash: hashOf(row) };
}

/** SHA-256 of an act's canonical JSON, without its own hash. */
export function hashOf({ at, ...act }: Omit<VerificationAct, "hash">): string {
  const { campaign, sequence, finding, content, role, caller, previousHash } = act;
  const hashed = { campaign, sequence, finding, content, role, caller, at: at.toISOString(), previousHash };
  return `0x${createHash("sha256").update(canonicalJson(hashed)).digest("hex")}`;
}

/** Derive the findings from a campaign's acts, in the order of their numbers. */
export function findingsFrom(acts: readonly VerificationAct[]): Finding[] {
  const found = new Map<number, Finding>();
  for (const act of acts) {
    const number = act.finding;
    if (number === null) continue;
    const { content } = act;
    const known = found.get(number);
    if (content.act === "opened") {
      found.set(number, { number, kind: content.kind, status: "open", opened: act, answers: [], closed: null });
    } else if (known !== undefined && content.act === "answered") {
      known.answers.push(act);
      known.status = "answered";
    } else if (known !== undefined) {
      known.closed = act;
      known.status = "closed";
    }
  }
  return [...found.values()];
}

export function nextFinding(acts: readonly VerificationAct[]): number {
  return acts.reduce((most, { finding }) => Math.max(most, finding ?? 0), 0) + 1;
}

type Verified = Extract<ActContent, { act: "verified" }>;

/** The signed verifications among acts, oldest first. */
export function verificationsFrom(acts: readonly VerificationAct[]): { act: VerificationAct; content: Verified }[] {
  return acts.flatMap((act) => (act.content.act === "verified" ? [{ act, content: act.content }] : []));
}
