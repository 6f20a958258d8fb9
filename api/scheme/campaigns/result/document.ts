import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { Hex } from "viem";
import { AppError } from "../../../platform/errors.ts";
import { campaignFolder, type SchemeDeps, storeSchemeFile } from "../../scheme-files/index.ts";
import { type ResultRecord, resultFrom } from "./record.ts";
import { serializeFigures } from "./response.ts";
import type { CampaignResultFigures } from "./schemas.ts";

/** A closed campaign's result, stored encrypted in the scheme's files. Its SHA-256 is on chain. */
export type ResultDocument = {
  record: ResultRecord;
  /** Numbers carry their own text (JSON.rawJSON), to be answered as they are. */
  figures: CampaignResultFigures;
  hash: Hex;
  /** The stored file. */
  bytes: Uint8Array;
  /** `ipfs://<cid>` of the file, for who holds an evidence token. */
  uri: string;
};

/** The document's bytes and their SHA-256. */
export function writeDocument(record: ResultRecord): { bytes: Uint8Array; hash: Hex } {
  const figures = serializeFigures(record, resultFrom(record));
  const bytes = new TextEncoder().encode(
    `${JSON.stringify({ type: "KptCampaignResult", version: 1, record, figures })}\n`,
  );
  return { bytes, hash: `0x${createHash("sha256").update(bytes).digest("hex")}` };
}

/** Each result has a separate path, so that a failed attempt to close cannot overwrite the successful one. */
function pathOf(campaignId: string, hash: Hex): string {
  return `${campaignFolder(campaignId)}/result-${hash.slice(2, 34)}.json`;
}

export async function keepDocument(
  deps: SchemeDeps,
  campaignId: string,
  { bytes, hash }: { bytes: Uint8Array; hash: Hex },
): Promise<void> {
  await storeSchemeFile(deps, { path: pathOf(campaignId, hash), bytes, mimeType: "application/json" });
}

/**
 * Read the stored result of a closed campaign.
 * @throws AppError CONFLICT where it is not stored here
 */
export async function requireDocument(deps: SchemeDeps, campaignId: string, hash: Hex): Promise<ResultDocument> {
  const document = await readDocument(deps, campaignId, hash);
  if (document !== null) return document;
  const message = "The campaign was closed elsewhere: its result is not stored here.";
  throw new AppError("CONFLICT", message, { details: [{ rule: "result-kept", message }] });
}

/** Read the document whose hash is on chain; null where it is not stored here. */
export async function readDocument(deps: SchemeDeps, campaignId: string, hash: Hex): Promise<ResultDocument | null> {
  const opened = await openDocument(deps, pathOf(campaignId, hash));
  if (opened === null) return null;
  const found: Hex = `0x${createHash("sha256").update(opened.bytes).digest("hex")}`;
  if (found !== hash) throw new Error(`The stored result of campaign ${campaignId} is not the one on chain.`);
  const text = new TextDecoder().decode(opened.bytes);
  const { record } = JSON.parse(text) as { record: ResultRecord };
  const { figures } = JSON.parse(text, keepDigits) as { figures: CampaignResultFigures };
  return { record, figures, hash, bytes: opened.bytes, uri: `ipfs://${opened.cid}` };
}

async function openDocument(deps: SchemeDeps, path: string): Promise<{ bytes: Uint8Array; cid: string } | null> {
  try {
    const { schemeFiles } = deps;
    const { stream, cid } = await schemeFiles.store.open(await schemeFiles.caller(), path);
    return { bytes: await buffer(stream()), cid };
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepDigits: Reviver & ((key: string, value: unknown) => unknown) = (
  _key: string,
  value: unknown,
  context?: { source?: string },
) => (typeof value === "number" && context?.source !== undefined ? JSON.rawJSON(context.source) : value);
