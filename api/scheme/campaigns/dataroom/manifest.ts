import { z } from "zod";

export const manifestFormat = "hearth-data-room-1";
/** Files of the ZIP that the manifest does not list. */
export const manifestPath = "manifest.json";
export const receiptPath = "manifest.jwt";
export const issuerPath = "issuer.json";

/** The list of a data room's files. Its SHA-256 is the hash of the data room, which a verifier signs. */
export const manifest = z.strictObject({
  format: z.literal(manifestFormat),
  campaignId: z.string(),
  chainId: z.number().int(),
  /** Address of the Campaigns contract. */
  contract: z.string(),
  /** SHA-256 of result.json, as on chain. */
  resultHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  files: z.array(
    z.strictObject({
      path: z.string().min(1),
      mediaType: z.string(),
      bytes: z.number().int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
export type Manifest = z.infer<typeof manifest>;

/** Subject of the signed receipt of a data room. */
export function receiptSubject({ campaignId, chainId, contract, resultHash, files }: Manifest, dataRoomHash: string) {
  return { campaignId, dataRoomHash, resultHash, chainId, contract, files: files.length };
}

/** Folder of a claim's files. A check symbol that some systems do not allow in a name becomes `_`; the rest of the id is unique. */
export function claimFolderOf(claimId: string): string {
  return `claims/${claimId.replace(/[^0-9A-Za-z-]/g, "_")}`;
}
