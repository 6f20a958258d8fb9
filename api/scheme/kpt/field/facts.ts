import { sql } from "drizzle-orm";
import { usedOf } from "../../../../wire/src/kpt-visits.ts";
import type { Database } from "../../../platform/db/index.ts";
import { evidenceMarks, evidencePieces } from "../../campaigns/index.ts";
import { knownPhotos, readPhotoFacts } from "../../photos/index.ts";
import { type EvidenceEntry, readEvidence, type StatedEvidence } from "../evidence-items.ts";
import type { KptClaimRequest } from "../schemas.ts";
import { compareStoveUse } from "../stove-use/compare.ts";
import { longestEventOf, patternOf } from "../stove-use/pattern.ts";
import type { KptClaimRow } from "../tables.ts";
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
  const evidence = await evidenceRows(db, place.id, items, entries);
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
  db: Database,
  claim: string,
  items: NonNullable<KptClaimRequest["evidence"]>,
  entries: readonly EvidenceEntry[],
): Promise<KptEvidenceRow[]> {
  const rows = linkRows(
    claim,
    entries.map(({ stated }) => stated),
  );
  const photos = await knownPhotos(db, rows);
  return await Promise.all(
    rows.map(async (row): Promise<KptEvidenceRow> => {
      const photo = photos.find(row);
      if (photo !== undefined) {
        const { sha256, takenAt, latitude, longitude, device } = photo;
        return { ...row, sha256, takenAt, latitude, longitude, device };
      }
      const given = items[row.item];
      const isSent = /^data:/i.test(typeof given === "object" ? (given.uri ?? "") : (given ?? ""));
      const file = entries[row.item]?.file;
      if (file === undefined || !isSent) return row;
      return { ...row, ...(await readPhotoFacts(file.bytes, file.mimeType, claim)) };
    }),
  );
}

/** What is compared of a claim's evidence, as its file states it. */
function linkRows(claim: string, stated: readonly StatedEvidence[]): KptEvidenceRow[] {
  return evidencePieces(stated).map((piece, item) => {
    const { link, bytes } = evidenceMarks(piece);
    return { claim, item, sha256: bytes, linkHash: link, takenAt: null, latitude: null, longitude: null, device: null };
  });
}

/** Store what is compared of the evidence of a claim of an earlier version, from its file. May be repeated. */
export async function keepEvidenceLinks(db: Database, claim: string, stated: readonly StatedEvidence[]): Promise<void> {
  const rows = linkRows(claim, stated);
  const set = { linkHash: sql`excluded.link_hash`, sha256: sql`coalesce(excluded.sha256, ${kptEvidence.sha256})` };
  const target = [kptEvidence.claim, kptEvidence.item];
  if (rows.length > 0) await db.insert(kptEvidence).values(rows).onConflictDoUpdate({ target, set });
}

function visitRows(claim: string, visits: NonNullable<KptClaimRequest["visits"]>): KptVisitRow[] {
  return visits.map(({ day, at, collector, gps, fuels, stoves = [] }) => ({
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
    stoves: stoves.flatMap(({ serial }) => serial ?? []),
  }));
}
