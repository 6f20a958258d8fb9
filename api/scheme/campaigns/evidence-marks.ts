import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { isCid, parseCid, rawDigestOf } from "../../platform/ucan/index.ts";

/** A piece of evidence, and the SHA-256 of its bytes where it is stated. */
export type EvidencePiece = { uri: string; sha256?: string | undefined };

/** A piece of evidence as a claim's file states it: a URI or CID, alone or with its type. */
type StatedPiece = string | { uri?: string | undefined; cid?: string | undefined; sha256?: string | undefined };

/** What is compared of a piece of evidence: the SHA-256 of its link with 0x, and that of its bytes without, where it is known. */
export type EvidenceMarks = { link: Hex; bytes: string | null };

/** The SHA-256 of an evidence's URI without its fragment. */
export function evidenceUriHash(evidence: string): Hex {
  const [uri = ""] = evidence.split("#");
  return `0x${createHash("sha256").update(uri.trim()).digest("hex")}`;
}

const ipfsScheme = /^ipfs:\/\//i;

/** List the evidence that a claim's file states. */
export function evidencePieces(stated: readonly StatedPiece[]): EvidencePiece[] {
  return stated.map((item) =>
    typeof item === "string" ? { uri: item } : { uri: item.uri ?? `ipfs://${item.cid}`, sha256: item.sha256 },
  );
}

/**
 * Describe a piece of evidence for comparison with others. A CID alone is the same link as its ipfs URI, whatever its query and the
 * encoding of the CID. The CID of a single raw block contains the SHA-256 of the bytes, which then counts instead of the stated one.
 */
export function evidenceMarks({ uri, sha256 }: EvidencePiece): EvidenceMarks {
  const given = uri.trim();
  const [named = ""] = given.replace(ipfsScheme, "").split(/[?#]/);
  const isOfCid = (isCid(uri) || ipfsScheme.test(given)) && isCid(named);
  const link = isOfCid ? `ipfs://${parseCid(named).cid.toV1()}` : uri.replace(ipfsScheme, "ipfs://");
  const bytes = (isOfCid ? rawDigestOf(named) : undefined) ?? sha256?.replace(/^0x/i, "").toLowerCase() ?? null;
  return { link: evidenceUriHash(link), bytes };
}

/** The marks of all pieces, as texts that are equal for equal links or bytes. */
export function marksOf(pieces: readonly EvidencePiece[]): string[] {
  return pieces.map(evidenceMarks).flatMap(({ link, bytes }) => (bytes === null ? [link] : [link, bytes]));
}
