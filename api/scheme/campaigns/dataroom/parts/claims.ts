import { campaignFolder, segmentOf } from "../../../scheme-files/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import type { ClaimOnRecord } from "../../verified-claims.ts";
import { claimFolderOf } from "../manifest.ts";
import type { DataRoomPart } from "../part.ts";
import { fileOf, jsonFile, type RoomFile } from "../room-file.ts";

/** Most files of a claim: its record and 32 pieces of evidence. */
const maxFiles = 33;

/** Each claim as it was filed, its signed credential and its evidence, and a list of all claims with their places on chain. */
export const claimsPart: DataRoomPart = async (deps, { row }) => {
  const claims = await deps.kpt.claimsOnRecord(row.campaign);
  const files: RoomFile[] = [];
  for (const claim of claims) files.push(...(await filesOf(deps, row.campaignId, claim)));
  return [jsonFile("claims.json", claims.map(listed)), ...files];
};

async function filesOf(deps: CampaignDeps, campaignId: string, claim: ClaimOnRecord): Promise<RoomFile[]> {
  const { schemeFiles } = deps;
  const caller = await schemeFiles.caller();
  const from = `${campaignFolder(campaignId)}/${segmentOf(claim.id)}/`;
  const folder = claimFolderOf(claim.id);
  const stored = (await schemeFiles.store.list(caller, from.slice(0, -1), maxFiles)).map(
    ({ path, size, contentHash, mimeType }): RoomFile => ({
      path: `${folder}/${path.slice(from.length)}`,
      mediaType: mimeType,
      bytes: size,
      sha256: Buffer.from(contentHash.replace(/^sha256-/, ""), "base64").toString("hex"),
      open: () => read(deps, path),
    }),
  );
  return [fileOf(`${folder}/credential.jwt`, "application/vc+jwt", Buffer.from(claim.credential)), ...stored];
}

async function* read({ schemeFiles }: CampaignDeps, path: string): AsyncGenerator<Uint8Array> {
  const { stream } = await schemeFiles.store.open(await schemeFiles.caller(), path);
  yield* stream();
}

/** A claim without its credential, which has a file. */
function listed({ credential: _, totalGrams, ...claim }: ClaimOnRecord) {
  return { ...claim, totalGrams: String(totalGrams) };
}
