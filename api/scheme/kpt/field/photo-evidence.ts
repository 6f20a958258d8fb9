import { and, inArray, isNotNull, or } from "drizzle-orm";
import { decodeJwt } from "jose";
import type { Database } from "../../../platform/db/index.ts";
import { isCid } from "../../../platform/ucan/index.ts";
import { evidenceMarks, statedEvidence } from "../../campaigns/index.ts";
import { openClaimStore } from "../../claims/index.ts";
import { openDeviceStore, scaleStore } from "../../devices/index.ts";
import type { UnusedPhoto } from "../../photos/index.ts";
import { kptClaims } from "../tables.ts";
import { kptEvidence } from "./tables.ts";

/**
 * Find which kept photos a record names: a claim of either kind, a household that was replaced or is missing, a usage survey, a device
 * or a scale. Records count before the chain has them, and in them every CID and SHA-256, wherever it stands: a photo that is kept
 * without need does less harm than lost evidence.
 * @returns their SHA-256
 */
export async function photoEvidence(db: Database, photos: readonly UnusedPhoto[]): Promise<ReadonlySet<string>> {
  if (photos.length === 0) return new Set();
  const links = photos.flatMap(({ linkHash }) => linkHash ?? []);
  const digests = photos.map(({ sha256 }) => sha256);
  const wanted = new Set([...links, ...digests]);
  const found = new Set<string>();
  const add = (mark: string | null) => {
    if (mark !== null && wanted.has(mark)) found.add(mark);
  };
  const claims = await db
    .select({ linkHash: kptEvidence.linkHash, sha256: kptEvidence.sha256 })
    .from(kptEvidence)
    .where(or(inArray(kptEvidence.linkHash, links), inArray(kptEvidence.sha256, digests)));
  for (const { linkHash, sha256 } of claims) for (const mark of [linkHash, sha256]) add(mark);
  for await (const text of texts(db)) for (const mark of marksIn(text)) add(mark);
  const isNamed = ({ sha256, linkHash }: UnusedPhoto) =>
    found.has(sha256) || (linkHash !== null && found.has(linkHash));
  return new Set(photos.filter(isNamed).map(({ sha256 }) => sha256));
}

/** What records say of their evidence, as texts. */
async function* texts(db: Database): AsyncGenerator<string> {
  yield* await statedEvidence(db);
  for (const { evidence } of await openDeviceStore(db).withEvidence()) yield JSON.stringify(evidence);
  for (const { certificate, sha256 } of await scaleStore(db).certificates()) yield `${certificate} ${sha256 ?? ""}`;
  // Claims of earlier versions have no link in `kpt_evidence`.
  const isFiled = and(isNotNull(kptClaims.evidence), inArray(kptClaims.status, ["filing", "verified", "revoked"]));
  const filed = await db.select({ evidence: kptClaims.evidence }).from(kptClaims).where(isFiled);
  for (const { evidence } of filed) yield JSON.stringify(evidence);
  for await (const token of openClaimStore(db).tokens()) yield JSON.stringify(decodeJwt(token));
}

/** The marks of every CID in a text, and every SHA-256 in hexadecimal digits. */
function marksIn(text: string): string[] {
  const digests = (text.match(/[0-9a-f]{64}/gi) ?? []).map((digest) => digest.toLowerCase());
  const cids = (text.match(/[0-9A-Za-z]{46,}/g) ?? []).filter(isCid);
  return [...digests, ...cids.flatMap(cidMarks)];
}

function cidMarks(cid: string): string[] {
  const { link, bytes } = evidenceMarks({ uri: `ipfs://${cid}` });
  return bytes === null ? [link] : [link, bytes];
}
