import { dateOf } from "../../../platform/chain/index.ts";
import type { RenewabilityArea } from "../../emissions/index.ts";
import { isInArea } from "./areas.ts";
import { foreignStoves, type NamedDevices } from "./named-stoves.ts";
import type { FlaggedClaim, KnownEvidenceRow, Repeated } from "./store.ts";
import { stoveFlags } from "./stove-flags.ts";
import type { KptEvidenceRow, KptStoveSeriesRow, KptVisitRow } from "./tables.ts";

export const flagRules = [
  "photo-outside-period",
  "photo-outside-area",
  "photo-twice",
  "visit-outside-period",
  "visit-outside-area",
  "visits-in-one-second",
  "visit-gap",
  "use-changed-threefold",
  "scale-uncalibrated",
  "scale-not-named",
  "evidence-absent",
  "stove-use-differs",
  "stove-series-incomplete",
  "stove-series-copied",
  "stove-series-constant",
  "stove-not-of-household",
] as const;

/** A contradiction for an evaluator to review. It refuses nothing and changes no figure. */
export type ClaimFlag = {
  claimId: string;
  rule: (typeof flagRules)[number];
  /** Field of the claim. */
  path: string;
  message: string;
  /** Other claims with the same photo or second. */
  others: string[];
};

/** A calibration is valid from its day to its last day. */
export type Calibrated = { serial: string; calibratedOn: string; validUntil: string };

/** Data from which flags are computed. */
export type FieldFacts = {
  claims: readonly FlaggedClaim[];
  evidence: readonly KnownEvidenceRow[];
  visits: readonly KptVisitRow[];
  repeatedEvidence: readonly Repeated[];
  simultaneousVisits: readonly Repeated[];
  stoveSeries: readonly KptStoveSeriesRow[];
  copiedSeries: readonly Repeated[];
  calibrations: readonly Calibrated[];
  /** Registered devices that claims name as stoves. */
  devices: NamedDevices;
  /** Whether the visits of the intervention group read meters, which need no scale. */
  readsMeters: boolean;
  /** Area that the campaign committed; null: places are not compared. */
  area: RenewabilityArea | null;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Start and end of a day in any time zone, relative to its start in UTC. */
const earliest = -14 * hourMs;
const latest = 38 * hourMs;
/** Limits of the time between two visits for each day between them: 24 hours, plus or minus six. */
const shortestDay = 18 * hourMs;
const longestDay = 30 * hourMs;
const threefold = 3n;

/** List each contradiction between what claims say and what their evidence and visits show. */
export function claimFlags(facts: FieldFacts): ClaimFlag[] {
  const evidence = Map.groupBy(facts.evidence, ({ claim }) => claim);
  const visits = Map.groupBy(facts.visits, ({ claim }) => claim);
  const photos = Map.groupBy(facts.repeatedEvidence, ({ claim }) => claim);
  const series = Map.groupBy(facts.stoveSeries, ({ claim }) => claim);
  const copies = Map.groupBy(facts.copiedSeries, ({ claim }) => claim);
  const seconds = Map.groupBy(facts.simultaneousVisits, ({ claim }) => claim);
  return facts.claims.flatMap((claim) => [
    ...absentEvidence(claim),
    ...(evidence.get(claim.id) ?? []).flatMap((each) => photoFlags(claim, each, facts)),
    ...(photos.get(claim.id) ?? []).map(repeatedPhoto),
    ...(visits.get(claim.id) ?? []).flatMap((each) => visitFlags(claim, each, facts)),
    ...(seconds.get(claim.id) ?? []).map(simultaneous),
    ...sequenceFlags(visits.get(claim.id) ?? []),
    ...stoveFlags(claim, series.get(claim.id) ?? []).map(({ rule, path, message }) =>
      flag(claim.id, rule, path, message),
    ),
    ...(copies.get(claim.id) ?? []).map(copiedSeries),
    ...foreignStoves(
      claim,
      { visits: visits.get(claim.id) ?? [], series: series.get(claim.id) ?? [] },
      facts.devices,
    ).map(({ path, message }) => flag(claim.id, "stove-not-of-household", path, message)),
  ]);
}

function flag(claimId: string, rule: ClaimFlag["rule"], path: string, message: string): ClaimFlag {
  return { claimId, rule, path, message, others: [] };
}

/** Flag a claim without a photo, a link and a series: nothing of it can be compared. The first item is the claim itself. */
function absentEvidence({ id, evidence }: FlaggedClaim): ClaimFlag[] {
  if ((evidence?.length ?? 0) > 1) return [];
  return [flag(id, "evidence-absent", "evidence", "The claim has no photo, no link and no series of a monitor.")];
}

function photoFlags(
  { id, startDay, endDay }: FlaggedClaim,
  { item, takenAt, latitude, longitude }: KptEvidenceRow,
  { area }: FieldFacts,
): ClaimFlag[] {
  const path = `evidence.${item}`;
  const found: ClaimFlag[] = [];
  const [first, last] = [dateOf(startDay), dateOf(endDay)];
  const day = takenAt?.slice(0, 10);
  if (day !== undefined && (day < first || day > last)) {
    const message = `The photo says that it was taken on ${day}, outside the period from ${first} to ${last}.`;
    found.push(flag(id, "photo-outside-period", path, message));
  }
  if (isOutside(area, latitude, longitude)) {
    found.push(flag(id, "photo-outside-area", path, `The photo says that it was taken outside ${area}.`));
  }
  return found;
}

function isOutside(area: RenewabilityArea | null, latitude: bigint | null, longitude: bigint | null): boolean {
  return area !== null && latitude !== null && longitude !== null && !isInArea(area, latitude, longitude);
}

function repeatedPhoto({ claim, place, others }: Repeated): ClaimFlag {
  const message = "The same bytes are evidence of another claim, or twice of this one.";
  return { claimId: claim, rule: "photo-twice", path: `evidence.${place}`, message, others };
}

function copiedSeries({ claim, place, others }: Repeated): ClaimFlag {
  const message = "The cooking events of this stove-use monitor match those of another one, of this claim or another.";
  return { claimId: claim, rule: "stove-series-copied", path: `evidence.${place}`, message, others };
}

function simultaneous({ claim, place, others }: Repeated): ClaimFlag {
  const message = "The collector visited another household in the same second.";
  return { claimId: claim, rule: "visits-in-one-second", path: `visits.${place}`, message, others };
}

function visitFlags(
  { id, startDay, group }: FlaggedClaim,
  { day, at, latitude, longitude, fuels }: KptVisitRow,
  { area, calibrations, readsMeters }: FieldFacts,
): ClaimFlag[] {
  const path = `visits.${day}`;
  const found: ClaimFlag[] = [];
  const date = dateOf(startDay + day);
  const offset = at.getTime() - (startDay + day) * dayMs;
  if (offset < earliest || offset >= latest) {
    const message = `The visit of ${date} says that it was at ${at.toISOString()}.`;
    found.push(flag(id, "visit-outside-period", path, message));
  }
  if (isOutside(area, latitude, longitude)) {
    found.push(flag(id, "visit-outside-area", path, `The visit of ${date} says that it was outside ${area}.`));
  }
  const isMetered = readsMeters && group === "intervention";
  const unweighed = isMetered
    ? []
    : fuels.filter(({ fuel, scaleId }) => fuel !== "electricity" && scaleId === undefined).map(({ fuel }) => fuel);
  if (unweighed.length > 0) {
    const message = `The visit of ${date} names no scale for ${[...new Set(unweighed)].join(", ")}.`;
    found.push(flag(id, "scale-not-named", path, message));
  }
  const scales = new Set(fuels.flatMap(({ scaleId }) => (scaleId === undefined ? [] : [scaleId])));
  for (const serial of scales) {
    const isCalibrated = calibrations.some(
      (each) => each.serial === serial && each.calibratedOn <= date && date <= each.validUntil,
    );
    if (isCalibrated) continue;
    const message = `Scale ${serial} has no calibration that is valid on ${date}.`;
    found.push(flag(id, "scale-uncalibrated", path, message));
  }
  return found;
}

/** Compare each visit with the one before. */
function sequenceFlags(visits: readonly KptVisitRow[]): ClaimFlag[] {
  const found: ClaimFlag[] = [];
  for (const [i, visit] of visits.entries()) {
    const before = visits[i - 1];
    if (before === undefined) continue;
    const days = visit.day - before.day;
    const gap = visit.at.getTime() - before.at.getTime();
    const path = `visits.${visit.day}`;
    if (gap < days * shortestDay || gap > days * longestDay) {
      const hours = Math.round(gap / hourMs);
      const message = `This visit was ${hours} hours after the visit before, which was ${days} days earlier.`;
      found.push(flag(visit.claim, "visit-gap", path, message));
    }
    for (const { fuel, used } of visit.fuels) {
      const earlier = before.fuels.find((each) => each.fuel === fuel)?.used;
      if (earlier === undefined || !isThreefold(BigInt(used), BigInt(earlier))) continue;
      const message = `The use of ${fuel} is more than three times, or less than a third, of that at the visit before.`;
      found.push(flag(visit.claim, "use-changed-threefold", path, message));
    }
  }
  return found;
}

function isThreefold(a: bigint, b: bigint): boolean {
  return a > threefold * b || b > threefold * a;
}
