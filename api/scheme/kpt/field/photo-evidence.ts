import { inArray, or } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type EvidencePiece, evidenceMarks, recordedEvidence } from "../../campaigns/index.ts";
import { openDeviceStore } from "../../devices/index.ts";
import type { UnusedPhoto } from "../../photos/index.ts";
import { kptEvidence } from "./tables.ts";

/**
 * Find which kept photos a record names as evidence: a claim, a household that was replaced or is missing, a usage survey, or a device.
 * @returns their SHA-256
 */
export async function photoEvidence(db: Database, photos: readonly UnusedPhoto[]): Promise<ReadonlySet<string>> {
  const links = photos.flatMap(({ linkHash }) => linkHash ?? []);
  const digests = photos.map(({ sha256 }) => sha256);
  const claims = await db
    .select({ linkHash: kptEvidence.linkHash, sha256: kptEvidence.sha256 })
    .from(kptEvidence)
    .where(or(inArray(kptEvidence.linkHash, links), inArray(kptEvidence.sha256, digests)));
  const named = new Set<string | null>(claims.flatMap(({ linkHash, sha256 }) => [linkHash, sha256]));
  const others: EvidencePiece[] = [
    ...(await recordedEvidence(db)).flatMap(({ evidence }) => evidence),
    ...(await openDeviceStore(db).withEvidence()).flatMap(({ evidence }) => evidence),
  ];
  for (const { link, bytes } of others.map(evidenceMarks)) named.add(link).add(bytes);
  const isNamed = ({ sha256, linkHash }: UnusedPhoto) =>
    named.has(sha256) || (linkHash !== null && named.has(linkHash));
  return new Set(photos.filter(isNamed).map(({ sha256 }) => sha256));
}
