import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { type RequestContext, requireRole } from "../../../platform/http/index.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { streamZip } from "../../../platform/values/stream-zip.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { requireDocument } from "../result/document.ts";
import { requireClose } from "./close.ts";
import { issuerPath, type Manifest, manifestFormat, manifestPath, receiptPath, receiptSubject } from "./manifest.ts";
import type { ClosedCampaign } from "./part.ts";
import { parts } from "./parts/index.ts";
import { fileOf, type RoomFile } from "./room-file.ts";

export type DataRoom = {
  closed: ClosedCampaign;
  manifest: Manifest;
  manifestFile: RoomFile;
  /** SHA-256 of the manifest. */
  hash: Hex;
  files: RoomFile[];
};

/** All files of a ZIP have this time, so that equal files give equal bytes. */
const fileTime = new Date(1980, 0, 1);

/**
 * Find a closed campaign for an actor that may read its data room: admin, regulator, evaluator, or its plan's implementer.
 * @throws AppError NOT_FOUND, also for a campaign that the actor may not see; FORBIDDEN; CONFLICT unless it is closed
 */
export async function requireClosedCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<ClosedCampaign> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  requireRole(ctx.actor, "regulator", "evaluator", "implementer");
  if (ctx.actor.role === "implementer") await requireOwnCampaign(deps, ctx, row);
  if (row.resultHash === null)
    throw statusConflict("The campaign is not closed yet: its data room holds the final result.");
  return { row, document: await requireDocument(deps, campaignId, row.resultHash) };
}

/** List the files of a closed campaign's data room and their hashes. No evidence is read for it. */
export async function openDataRoom(deps: CampaignDeps, closed: ClosedCampaign): Promise<DataRoom> {
  const files: RoomFile[] = [];
  for (const part of parts) files.push(...(await part(deps, closed)));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: Manifest = {
    format: manifestFormat,
    campaignId: closed.row.campaignId,
    chainId: deps.chain.id,
    contract: deps.chain.addresses.campaigns,
    resultHash: closed.document.hash,
    files: files.map(({ path, mediaType, bytes, sha256 }) => ({ path, mediaType, bytes, sha256 })),
  };
  const manifestFile = fileOf(manifestPath, "application/json", Buffer.from(`${canonicalJson(manifest)}\n`));
  return { closed, manifest, manifestFile, hash: `0x${manifestFile.sha256}`, files };
}

/**
 * A data room as the chunks of a ZIP, with the service's signed receipt of its manifest.
 * @throws Error mid-stream when a file is not the one that the manifest lists
 */
export async function* zipDataRoom(deps: CampaignDeps, room: DataRoom): AsyncGenerator<Uint8Array> {
  const signed = [
    room.manifestFile,
    fileOf(receiptPath, "application/vc+jwt", Buffer.from(await receiptOf(deps, room))),
    fileOf(issuerPath, "application/did+json", Buffer.from(`${canonicalJson(deps.schemeFiles.identity.document)}\n`)),
  ];
  const entries = [...signed, ...room.files].map((file) => ({
    name: file.path,
    size: file.bytes,
    lastModified: fileTime,
    input: checked(file),
  }));
  yield* streamZip(entries);
}

/** The service's signature of the manifest. The same data room and key give the same token. */
async function receiptOf(deps: CampaignDeps, { closed, manifest, hash }: DataRoom): Promise<string> {
  const { at } = await requireClose(deps, closed.row);
  return await deps.credentials.attest({
    type: "DataRoomReceipt",
    id: `urn:hearth:data-room:${hash.slice(2)}`,
    subject: receiptSubject(manifest, hash),
    issuedAt: at,
  });
}

async function* checked({ path, sha256, open }: RoomFile): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of open()) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== sha256) throw new Error(`The file ${path} is not the one that the manifest lists.`);
}
