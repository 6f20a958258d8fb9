import { createHash } from "node:crypto";
import { asc, between, inArray, TransactionRollbackError } from "drizzle-orm";
import type { Chain } from "../../../platform/chain/index.ts";
import type { Database } from "../../../platform/db/index.ts";
import { BLOCKS_UNTIL_PLACED } from "../../../platform/events/index.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { changeOnce } from "../../../platform/idempotency/index.ts";
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
 * Add an act at the end of a campaign's log, once for a request with an Idempotency-Key. `decide` gets the acts so far and may throw.
 * It is called again if another act was added meanwhile, or the chain has reached the act's block.
 * @returns the act that this attempt, or an interrupted one, has added
 */
export async function addAct(
  { db, chain }: { db: Database; chain: Pick<Chain, "latest"> },
  ctx: Pick<RequestContext, "idempotencyKey">,
  campaign: number,
  decide: (acts: VerificationAct[]) => NewAct | Promise<NewAct>,
): Promise<VerificationAct> {
  for (;;) {
    const added = await changeOnce(db, ctx, async () => {
      const acts = await actsOf(db, [campaign]);
      const chainedAct = chained(campaign, acts.at(-1), await decide(acts));
      const row = { ...chainedAct, block: (await chain.latest()).number + BLOCKS_UNTIL_PLACED };
      return async (tx) => {
        const [act] = await tx.insert(campaignVerificationActs).values(row).onConflictDoNothing().returning();
        // Another act came first. Or subscribers may have read the act's block before they could see the act.
        if (act === undefined || (await chain.latest()).number >= row.block) return tx.rollback();
        return String(act.sequence);
      };
    }).catch((error: unknown) => {
      if (!(error instanceof TransactionRollbackError)) throw error;
    });
    const act = (await actsOf(db, [campaign])).find(({ sequence }) => String(sequence) === added);
    if (act !== undefined) return act;
  }
}

/** Read the acts that subscribers receive after the logs of a range of blocks, both ends included. */
export async function actsAtBlocks(db: Database, from: bigint, to: bigint): Promise<VerificationAct[]> {
  const { block, campaign, sequence } = campaignVerificationActs;
  return db
    .select()
    .from(campaignVerificationActs)
    .where(between(block, from, to))
    .orderBy(asc(block), asc(campaign), asc(sequence));
}

type Chained = Omit<VerificationAct, "block">;

function chained(campaign: number, last: VerificationAct | undefined, act: NewAct): Chained {
  const row = { campaign, sequence: (last?.sequence ?? 0) + 1, ...act, previousHash: last?.hash ?? null };
  return { ...row, hash: hashOf(row) };
}

/** SHA-256 of an act's canonical JSON, without its own hash. */
export function hashOf({ at, ...act }: Omit<VerificationAct, "hash" | "block">): string {
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
