import { AppError } from "../../platform/errors.ts";
import type { CampaignDeps } from "./deps.ts";
import { LEAF_BYTES } from "./frame.ts";
import { groups } from "./groups.ts";
import type { CampaignRow } from "./model.ts";

type SiblingDeps = Pick<CampaignDeps, "campaigns">;

/** What decides whether two campaigns are siblings. A frame that is not held here is null. */
export type Overlapping = {
  /** Null before the commit. */
  campaign: number | null;
  plan: number;
  startDate: string;
  endDate: string;
  leaves: (Uint8Array | null)[];
};

/**
 * The campaigns of the same plan whose test period overlaps and whose frames share a household, in the order of their commits. Where
 * a frame is not held here, plan and period decide.
 */
export async function siblingsAmong(deps: SiblingDeps, one: Overlapping): Promise<CampaignRow[]> {
  const found: CampaignRow[] = [];
  for (const other of await deps.campaigns.ofPlan(one.plan)) {
    if (other.campaign === one.campaign) continue;
    if (other.endDate < one.startDate || one.endDate < other.startDate) continue;
    if (sharesHousehold(one.leaves, await leavesOf(deps, other))) found.push(other);
  }
  return found;
}

/** The siblings of a committed campaign. */
export async function siblingsOf(deps: SiblingDeps, row: CampaignRow): Promise<CampaignRow[]> {
  const { campaign, plan, startDate, endDate } = row;
  return siblingsAmong(deps, { campaign, plan, startDate, endDate, leaves: await leavesOf(deps, row) });
}

/** @throws AppError CONFLICT naming the siblings that are neither closed nor abandoned */
export function refuseOpenSiblings(siblings: readonly CampaignRow[]): void {
  const open = siblings.filter(isOpen);
  if (open.length === 0) return;
  const details = open.map(({ campaignId, status }) => {
    const message = `Campaign ${campaignId} of the same plan is ${status}, overlaps the test period and shares households: close or abandon it first.`;
    return { path: "groups", rule: "sibling-open", message };
  });
  throw new AppError("CONFLICT", details[0]?.message ?? "", { details });
}

export function isOpen({ status }: CampaignRow): boolean {
  return status === "committed" || status === "drawn";
}

export async function leavesOf({ campaigns }: SiblingDeps, row: CampaignRow): Promise<(Uint8Array | null)[]> {
  return Promise.all(groups.map((group) => campaigns.leavesOf(row, group)));
}

/** Whether a household is in frames of both; true where that cannot be known. */
export function sharesHousehold(some: readonly (Uint8Array | null)[], others: readonly (Uint8Array | null)[]): boolean {
  return some.some((a) => others.some((b) => a === null || b === null || intersects(a, b)));
}

/** Whether ascending leaves have one in common. */
function intersects(a: Uint8Array, b: Uint8Array): boolean {
  const [left, right] = [Buffer.from(a.buffer, a.byteOffset, a.length), Buffer.from(b.buffer, b.byteOffset, b.length)];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const order = left.compare(right, j, j + LEAF_BYTES, i, i + LEAF_BYTES);
    if (order === 0) return true;
    if (order < 0) i += LEAF_BYTES;
    else j += LEAF_BYTES;
  }
  return false;
}
