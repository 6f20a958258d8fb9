import { createHash } from "node:crypto";
import { usedOf } from "../../../../wire/src/kpt-visits.ts";
import type { Database } from "../../../platform/db/index.ts";
import { type EvidenceEntry, readEvidence } from "../evidence-items.ts";
import type { KptClaimRequest } from "../schemas.ts";
import { compareStoveUse } from "../stove-use/compare.ts";
import { longestEventOf, patternOf } from "../stove-use/pattern.ts";
import type { KptClaimRow } from "../tables.ts";
import { readPhotoFacts } from "./exif.ts";
import {
  type KptEvidenceRow,
  type KptStoveSeriesRow,
  type KptVisitRow,
  kptEvidence,
  kptStoveSeries,
  kptVisits,
} from "./tables.ts";

type Place = Pick<KptClaimRow, "id" | "startDay" | "endDay">;

/** Store the data of a claim's evidence and visits for comparison. May be repeated. */
export async function keepFieldFacts(db: Database, place: Place, claim: KptClaimRequest): Promise<void> {
  const items = claim.evidence ?? [];
  const entries = await readEvidence(items);
  const evidence = await evidenceRows(place.id, items, entries);
  if (evidence.length > 0) await db.insert(kptEvidence).values(evidence).onConflictDoNothing();
  const visits = visitRows(place.id, claim.visits ?? []);
  if (visits.length > 0) await db.insert(kptVisits).values(visits).onConflictDoNothing();
  const series = seriesRows(place, claim, entries);
  if (series.length > 0) await db.insert(kptStoveSeries).values(series).onConflictDoNothing();
}

function seriesRows(
  { id, startDay, endDay }: Place,
  { fuelMeasurements, visits, evidence }: KptClaimRequest,
  entries: readonly EvidenceEntry[],
): KptStoveSeriesRow[] {
  const attached = entries.flatMap(({ series }, item) => {
    const stated = evidence?.[item];
    const stove = typeof stated === "object" ? (stated.stove ?? null) : null;
    return series === undefined ? [] : [{ item, stove, series }];
  });
  const claim = { startDay, endDay, dailyLogs: fuelMeasurements?.dailyLogs ?? [], visits };
  return compareStoveUse(claim, attached).map(({ firstAt, lastAt, ...use }, i): KptStoveSeriesRow => {
    const { series } = attached[i] as (typeof attached)[number];
    const times = { firstAt: new Date(firstAt), lastAt: new Date(lastAt) };
    return { claim: id, ...use, ...times, pattern: patternOf(series), longestEventMs: longestEventOf(series) };
  });
}

async function evidenceRows(
  claim: string,
  items: NonNullable<KptClaimRequest["evidence"]>,
  entries: readonly EvidenceEntry[],
): Promise<KptEvidenceRow[]> {
  const found = await Promise.all(
    entries.map(async ({ file }, item): Promise<KptEvidenceRow[]> => {
      const given = items[item];
      const stated = typeof given === "object" ? given.sha256?.replace(/^0x/i, "").toLowerCase() : undefined;
      const isSent = /^data:/i.test(typeof given === "object" ? (given.uri ?? "") : (given ?? ""));
      if (file === undefined || !isSent) {
        const none = { takenAt: null, latitude: null, longitude: null, device: null };
        return stated === undefined ? [] : [{ claim, item, sha256: stated, ...none }];
      }
      const sha256 = createHash("sha256").update(file.bytes).digest("hex");
      return [{ claim, item, sha256, ...(await readPhotoFacts(file.bytes, file.mimeType)) }];
    }),
  );
  return found.flat();
}

function visitRows(claim: string, visits: NonNullable<KptClaimRequest["visits"]>): KptVisitRow[] {
  return visits.map(({ day, at, collector, gps, fuels }) => ({
    claim,
    day,
    at: new Date(at),
    collector,
    latitude: gps?.latitude ?? null,
    longitude: gps?.longitude ?? null,
    fuels: fuels.map((weighing) => ({
      fuel: weighing.fuel,
      used: String(usedOf(weighing)),
      ...(weighing.scaleId === undefined ? {} : { scaleId: weighing.scaleId }),
    })),
  }));
}
