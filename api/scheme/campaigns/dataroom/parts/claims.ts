import type { StoredFile } from "../../../../platform/ports/files.ts";
import { campaignFolder, segmentOf } from "../../../scheme-files/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import type { ClaimOnRecord } from "../../verified-claims.ts";
import { claimFolderOf } from "../manifest.ts";
import type { DataRoomPart } from "../part.ts";
import { fileOf, jsonFile, type RoomFile } from "../room-file.ts";

/** Each claim as it was filed, its signed credential and its evidence, and a list of all claims with their transactions. */
export const claimsPart: DataRoomPart = async (deps, { row }) => {
  const claims = await deps.kpt.claimsOnRecord(row.campaign);
  const stored = await filesByFolder(deps, row.campaignId);
  const files = claims.flatMap((claim) => filesOf(deps, claim, stored.get(segmentOf(claim.id)) ?? []));
  return [jsonFile("claims.json", claims.map(listed)), ...files];
};

/** List the stored files of a campaign's claims by the claim's folder. */
async function filesByFolder({ schemeFiles }: CampaignDeps, campaignId: string): Promise<Map<string, StoredFile[]>> {
  const root = `${campaignFolder(campaignId)}/`;
  const found = new Map<string, StoredFile[]>();
  for await (const file of schemeFiles.store.walk(await schemeFiles.caller(), root.slice(0, -1))) {
    const folder = file.path.slice(root.length).split("/")[0] ?? "";
    const files = found.get(folder);
    if (files === undefined) found.set(folder, [file]);
    else files.push(file);
  }
  return found;
}

function filesOf(deps: CampaignDeps, claim: ClaimOnRecord, stored: readonly StoredFile[]): RoomFile[] {
  const folder = claimFolderOf(claim.id);
  const files = stored.map(({ path, size, contentHash, mimeType }): RoomFile => {
    return {
      path: `${folder}/${path.slice(path.lastIndexOf("/") + 1)}`,
      mediaType: mimeType,
      bytes: size,
      sha256: Buffer.from(contentHash.replace(/^sha256-/, ""), "base64").toString("hex"),
      open: () => read(deps, path),
    };
  });
  return [fileOf(`${folder}/credential.jwt`, "application/vc+jwt", Buffer.from(claim.credential)), ...files];
}

async function* read({ schemeFiles }: CampaignDeps, path: string): AsyncGenerator<Uint8Array> {
  const { stream } = await schemeFiles.store.open(await schemeFiles.caller(), path);
  yield* stream();
}

/** A claim without its credential, which is a separate file. */
function listed({ credential: _, totalGrams, ...claim }: ClaimOnRecord) {
  return { ...claim, totalGrams: String(totalGrams) };
}
