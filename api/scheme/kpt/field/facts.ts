import { createHash } from "node:crypto";
import { usedOf } from "../../../../wire/src/kpt-visits.ts";
import type { Database } from "../../../platform/db/index.ts";
import { readEvidence } from "../evidence-items.ts";
import type { KptClaimRequest } from "../schemas.ts";
import { readPhotoFacts } from "./exif.ts";
import { type KptEvidenceRow, type KptVisitRow, kptEvidence, kptVisits } from "./tables.ts";

/** Store the data of a claim's evidence and visits for comparison. May be repeated. */
export async function keepFieldFacts(db: Database, claimId: string, claim: KptClaimRequest): Promise<void> {
  const evidence = await evidenceRows(claimId, claim.evidence ?? []);
  if (evidence.length > 0) await db.insert(kptEvidence).values(evidence).onConflictDoNothing();
  const visits = visitRows(claimId, claim.visits ?? []);
  if (visits.length > 0) await db.insert(kptVisits).values(visits).onConflictDoNothing();
}

async function evidenceRows(claim: string, items: NonNullable<KptClaimRequest["evidence"]>): Promise<KptEvidenceRow[]> {
  const entries = await readEvidence(items);
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
