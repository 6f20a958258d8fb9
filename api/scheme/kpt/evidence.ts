import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { AppError, brokenRuleError, defineRules } from "../../platform/errors.ts";
import type { FileCaller } from "../../platform/ports/files.ts";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { parseJsonText } from "../../platform/values/json.ts";
import { campaignFolder, digestOf, readSchemeFile, type SchemeDeps, segmentOf } from "../scheme-files/index.ts";
import { type EvidenceEntry, maxItemBytes, maxItems, readEvidence, type StatedEvidence } from "./evidence-items.ts";

export { checkEvidence } from "./evidence-items.ts";

export type ClaimRef = { campaignId: string; claimId: string };

export type ClaimFiles = {
  claimCid: string;
  /** SHA-256 of claim.json, as on chain. The file is one block, so its CID contains this digest. */
  claimHash: Hex;
  /** ipfs URIs: claim.json first, then each piece of evidence in the claim's order. */
  evidence: string[];
};

/** The record that claim.json holds; numbers of `claim` are LosslessNumber. */
type ClaimRecord = {
  campaignId: string;
  claim: Record<string, unknown>;
  claimId: string;
  evidence: string[];
  /** Places in `evidence` of what is a link alone: its bytes are not stored here. */
  linked: number[];
  salt: string;
};
export type ReadClaimFile = ClaimFiles & Pick<ClaimRecord, "claim" | "salt">;

type NewFile = { path: string; bytes: Uint8Array; mimeType: string; cid?: string };

const saltBytes = 32;
const mostTries = 3;
const broken = defineRules({
  "claim-record-too-large": ["record-size", "A claim's record, without its data: URIs, has at most {most} bytes."],
  "claim-files-taken": ["claim-stored", "Other files took the claim's place again and again; try again."],
});
/** claim.json and a file for each item. */
const maxFiles = 1 + maxItems;

/**
 * Store a claim and its evidence as files of the scheme: claim.json with the claim as sent, its data: URIs replaced by links, and a
 * random salt, so that its hash on chain cannot confirm a guess. The same claim again returns the same CIDs; another one under the same
 * id replaces the stored one.
 * @param claim the claim's canonical JSON
 * @throws AppError INVALID_INPUT for evidence out of bounds; TOO_LARGE for a claim over 1 MiB, or what the namespace's quota refuses
 */
export async function storeClaimFiles(
  deps: SchemeDeps,
  { claim: text, ...ref }: ClaimRef & { claim: string },
): Promise<ClaimFiles> {
  const { claim, entries } = await readClaim(text);
  const caller = await deps.schemeFiles.receiver();
  const folder = claimFolder(ref);
  const evidence = entries.map(({ uri }) => uri);
  const linked = entries.flatMap(({ file }, place) => (file === undefined ? [place] : []));
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const salt = randomBytes(saltBytes).toString("hex");
    const record = claimFile(folder, { ...ref, claim, evidence, linked, salt });
    const files = [record, ...evidenceFiles(folder, entries)];
    const [claimCid, ...others] = await createAll(deps, caller, files);
    if (claimCid !== undefined && others.every((cid) => cid !== undefined)) return answer(claimCid, evidence);
    const kept = await findSame(deps, caller, { ref, claim, files });
    if (kept !== undefined) return kept;
    await removeClaimFiles(deps, ref);
  }
  throw brokenRuleError("CONFLICT", broken("claim-files-taken", undefined));
}

/** Read a claim's record; null if no files of it are stored. */
export async function readClaimFile(deps: SchemeDeps, ref: ClaimRef): Promise<ReadClaimFile | null> {
  const path = `${claimFolder(ref)}/claim.json`;
  const caller = await deps.schemeFiles.caller();
  try {
    const { cid } = await deps.schemeFiles.store.describe(caller, path);
    const { claim, evidence, salt } = parseJsonText(
      Buffer.from(await readSchemeFile(deps, path)).toString(),
    ) as ClaimRecord;
    return { ...answer(cid, evidence), claim, salt };
  } catch (error) {
    if (isCode(error, "NOT_FOUND")) return null;
    throw error;
  }
}

/** Purge the files of a claim, keys and bytes, if there are any. Linked CIDs are not stored here. */
export async function removeClaimFiles(deps: SchemeDeps, ref: ClaimRef): Promise<void> {
  const caller = await deps.schemeFiles.caller();
  const items = await deps.schemeFiles.store.list(caller, claimFolder(ref), maxFiles);
  await deps.schemeFiles.purge(items.map(({ id }) => id));
}

async function readClaim(text: string) {
  const sent = parseJsonText(text) as Record<string, unknown>;
  const { evidence: items, ...rest } = sent;
  const entries = await readEvidence((items ?? []) as StatedEvidence[], { withSeries: false });
  const claim = items === undefined ? rest : { ...rest, evidence: entries.map(({ stated }) => stated) };
  return { claim, entries };
}

function claimFile(folder: string, record: ClaimRecord): NewFile {
  const bytes = Buffer.from(canonicalJson(record));
  if (bytes.byteLength > maxItemBytes) {
    throw brokenRuleError("TOO_LARGE", broken("claim-record-too-large", undefined, { most: maxItemBytes }));
  }
  return { path: `${folder}/claim.json`, bytes, mimeType: "application/json" };
}

function evidenceFiles(folder: string, entries: readonly EvidenceEntry[]): NewFile[] {
  return entries.flatMap(({ file }) => (file === undefined ? [] : [{ ...file, path: `${folder}/${file.name}` }]));
}

/** Create the files and return their CIDs, undefined for one that existed. If one fails, the created ones are removed. */
async function createAll(
  deps: SchemeDeps,
  caller: FileCaller,
  files: readonly NewFile[],
): Promise<(string | undefined)[]> {
  const made = await Promise.allSettled(files.map((file) => createOne(deps, caller, file)));
  const failed = made.find((result) => result.status === "rejected");
  const done = made.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (failed === undefined) return done.map((file) => file?.cid);
  const ids = done.flatMap((file) => (file === undefined ? [] : [file.id]));
  await deps.schemeFiles.purge(ids);
  throw failed.reason;
}

async function createOne(deps: SchemeDeps, caller: FileCaller, { path, bytes, mimeType }: NewFile) {
  try {
    return await deps.schemeFiles.store.create(caller, { path, mimeType, content: bytes });
  } catch (error) {
    if (isCode(error, "CONFLICT")) return undefined;
    throw error;
  }
}

type Wanted = { ref: ClaimRef; claim: Record<string, unknown>; files: readonly NewFile[] };

/** Return the stored record if it is the same claim with all its evidence. */
async function findSame(
  deps: SchemeDeps,
  caller: FileCaller,
  { ref, claim, files }: Wanted,
): Promise<ClaimFiles | undefined> {
  const known = await readClaimFile(deps, ref);
  if (known === null || canonicalJson(known.claim) !== canonicalJson(claim)) return undefined;
  for (const { path, cid } of files) {
    if (cid !== undefined && (await deps.schemeFiles.store.describe(caller, path)).cid !== cid) return undefined;
  }
  const { claimCid, claimHash, evidence } = known;
  return { claimCid, claimHash, evidence };
}

function answer(claimCid: string, evidence: string[]): ClaimFiles {
  const claimUri = `ipfs://${claimCid}`;
  return { claimCid, claimHash: digestOf(claimCid), evidence: [claimUri, ...evidence] };
}

function claimFolder({ campaignId, claimId }: ClaimRef): string {
  return `${campaignFolder(campaignId)}/${segmentOf(claimId)}`;
}

function isCode(error: unknown, code: AppError["code"]): boolean {
  return error instanceof AppError && error.code === code;
}
