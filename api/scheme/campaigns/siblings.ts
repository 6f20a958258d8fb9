import { AppError } from "../../platform/errors.ts";
import type { CampaignDeps } from "./deps.ts";
import { LEAF_BYTES } from "./frame/frame.ts";
import { groups } from "./groups.ts";
import type { CampaignRow } from "./model.ts";
import type { StoredCampaign } from "./tables.ts";
import { vintageOf } from "./terms/vintage-rules.ts";

type SiblingDeps = Pick<CampaignDeps, "campaigns">;

/** What decides whether two campaigns are siblings. A frame that is not held here is null. */
export type Overlapping = Pick<CampaignRow, "plan" | "implementer" | "startDate" | "endDate"> & {
  /** Null before the commit. */
  campaign: number | null;
  leaves: (Uint8Array | null)[];
  vintage: number;
};

export type Sibling = {
  row: CampaignRow;
  /**
   * Whether it has to end first: it is of the same implementer and its test period overlaps. Another implementer's campaign is named
   * only, because anybody could commit one to hold a campaign up.
   */
  isRival: boolean;
};

/**
 * The campaigns over the same households, in the order of their commits: of any implementer, whatever their plan, in the same calendar
 * years or of the same vintage. Where a frame is not held here, plan and period decide.
 */
export async function siblingsAmong(deps: SiblingDeps, one: Overlapping): Promise<Sibling[]> {
  const found: Sibling[] = [];
  for (const other of await deps.campaigns.storedBetween(...yearsOf(one, YEARS_OF_ONE_VINTAGE))) {
    if (other.campaign === one.campaign) continue;
    const overlaps = other.startDate <= one.endDate && one.startDate <= other.endDate;
    const isOwn = other.implementer === one.implementer;
    const isSharing = sharesHousehold(one.leaves, await leavesOf(deps, other), overlaps && other.plan === one.plan);
    // The stored row has the first terms, and an amendment may have changed the vintage.
    const row = isSharing ? await deps.campaigns.byIndex(other.campaign) : null;
    if (row === null || !(areOfSameYears(one, row) || one.vintage === vintageOf(row.terms.emissions, row.endDate)))
      continue;
    found.push({ row, isRival: overlaps && isOwn });
  }
  return found;
}

/** Years that two tests of one vintage are apart at most: each touches it or is next to it. */
const YEARS_OF_ONE_VINTAGE = 2;

type TestPeriod = Pick<Overlapping, "startDate" | "endDate">;

/** The first day of the year in which a test begins, and the last one of that in which it ends; `more` years before and after. */
function yearsOf({ startDate, endDate }: TestPeriod, more = 0): [string, string] {
  const yearOf = (date: string, years: number) => String(Number(date.slice(0, 4)) + years).padStart(4, "0");
  return [`${yearOf(startDate, -more)}-01-01`, `${yearOf(endDate, more)}-12-31`];
}

function areOfSameYears(one: TestPeriod, other: TestPeriod): boolean {
  const [first, last] = yearsOf(one);
  return other.startDate <= last && first <= other.endDate;
}

/** The siblings of a committed campaign. */
export async function siblingsOf(deps: SiblingDeps, row: CampaignRow): Promise<Sibling[]> {
  const vintage = vintageOf(row.terms.emissions, row.endDate);
  return siblingsAmong(deps, { ...row, vintage, leaves: await leavesOf(deps, row) });
}

/** Find the operator that abandoned a sibling although its draw was or could be known; null for another sibling. */
export async function discardedByOf(
  { campaigns }: SiblingDeps,
  { campaign, status }: Pick<CampaignRow, "campaign" | "status">,
): Promise<string | null> {
  if (status !== "abandoned") return null;
  return (await campaigns.ledger.abandonmentOf(campaign))?.discardedBy ?? null;
}

/** @throws AppError CONFLICT naming the siblings that have to end first and have not */
export function refuseOpenSiblings(siblings: readonly Sibling[]): void {
  const open = siblings.filter(({ row, isRival }) => isRival && isOpen(row));
  if (open.length === 0) return;
  const details = open.map(({ row: { campaignId, status } }) => {
    const message = `Campaign ${campaignId} of the same implementer is ${status}, overlaps the test period and shares households: close or abandon it first.`;
    return { path: "groups", rule: "sibling-open", message };
  });
  throw new AppError("CONFLICT", details[0]?.message ?? "", { details });
}

function isOpen({ status }: CampaignRow): boolean {
  return status === "committed" || status === "drawn";
}

async function leavesOf({ campaigns }: SiblingDeps, row: StoredCampaign): Promise<(Uint8Array | null)[]> {
  return Promise.all(groups.map((group) => campaigns.leavesOf(row, group)));
}

/** Whether a household is in frames of both; `ifUnknown` where that cannot be known. */
export function sharesHousehold(
  some: readonly (Uint8Array | null)[],
  others: readonly (Uint8Array | null)[],
  ifUnknown = true,
): boolean {
  return some.some((a) => others.some((b) => (a === null || b === null ? ifUnknown : intersects(a, b))));
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
