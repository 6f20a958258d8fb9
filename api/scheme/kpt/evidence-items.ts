import { createHash } from "node:crypto";
import { absoluteUri } from "../../../wire/src/absolute-uri.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { isCid, rawCid } from "../../platform/ucan/index.ts";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { openDataUri } from "../../platform/values/data-uri.ts";
import { readStoveSeries, type StoveSeries, stoveSeriesMediaType, stoveSeriesType } from "./stove-use/series.ts";

/** Largest number of items of a claim. */
export const maxItems = 32;
/** Most bytes of one data: URI, and of all of a claim's. One block of a CID, whose digest is then that of the bytes. */
export const maxItemBytes = 1024 * 1024;
export const maxClaimBytes = 8 * 1024 * 1024;
/** Longest URI that is not data. */
const maxUri = 2048;
const maxType = 128;
const maxStove = 100;

/** An item as a claim states it. */
export type StatedEvidence =
  | string
  | {
      type: string;
      uri?: string | undefined;
      cid?: string | undefined;
      sha256?: string | undefined;
      /** Serial or kind of the stove whose monitor wrote a series. */
      stove?: string | undefined;
    };

/**
 * An item to store. `uri` is its ipfs URI: the claim's link, or the URI of the file that stores it. `stated` is the item
 * for the claim's record, without the bytes of a data: URI.
 */
export type EvidenceEntry = {
  uri: string;
  stated: StatedEvidence;
  file?: EvidenceFile;
  /** Of a stove-use monitor. */
  series?: StoveSeries;
};
export type EvidenceFile = { name: string; bytes: Uint8Array; mimeType: string; cid: string };

/** `withSeries`: read the series of stove-use monitors, which takes a third of a second for 1 MiB. Default: true. */
type ReadOptions = { withSeries?: boolean };

type Read = { entry: EvidenceEntry; dataBytes: number } | { broken: RuleDetail[] };

/**
 * Read a claim's evidence: links by CID stay links; the bytes of data: URIs and a record of every other URI become files. Nothing
 * is fetched. @throws AppError INVALID_INPUT naming every item that is out of bounds
 */
export async function readEvidence(
  items: readonly StatedEvidence[],
  { withSeries = true }: ReadOptions = {},
): Promise<EvidenceEntry[]> {
  const path = "evidence";
  const tooMany = { path, rule: "evidence-count", message: `A claim has at most ${maxItems} pieces of evidence.` };
  if (items.length > maxItems) throw refuse([tooMany]);
  const read = await Promise.all(items.map((item, index) => readItem(item, index, withSeries)));
  const broken = read.flatMap((item) => ("broken" in item ? item.broken : []));
  const good = read.flatMap((item) => ("entry" in item ? [item] : []));
  if (good.reduce((sum, { dataBytes }) => sum + dataBytes, 0) > maxClaimBytes) {
    broken.push({
      path,
      rule: "evidence-total",
      message: `The data: URIs of a claim hold at most ${maxClaimBytes} bytes.`,
    });
  }
  if (broken.length > 0) throw refuse(broken);
  return good.map(({ entry }) => entry);
}

/** Check evidence as readEvidence does, for a claim that is not stored yet. @throws AppError INVALID_INPUT */
export async function checkEvidence(items: readonly StatedEvidence[] = []): Promise<void> {
  await readEvidence(items);
}

async function readItem(item: StatedEvidence, index: number, withSeries: boolean): Promise<Read> {
  const path = `evidence.${index}`;
  const { type, uri, cid, sha256, stove } = typeof item === "string" ? { uri: item } : item;
  const isSeries = type === stoveSeriesType;
  const broken = brokenShape(path, { type, sha256, stove });
  if (isSeries && !/^data:/i.test(uri ?? "")) {
    broken.push(rule(path, "series-sent", "The series of a stove-use monitor is sent as a data: URI."));
  }
  if ((uri === undefined) === (cid === undefined))
    broken.push(rule(path, "uri-or-cid", "Either uri or cid is expected."));
  if (broken.length > 0) return { broken };
  if (cid !== undefined) return link(path, `ipfs://${cid}`, item);
  if (uri === undefined) return { broken };
  if (/^ipfs:\/\//i.test(uri) || isCid(uri)) return link(path, isCid(uri) ? `ipfs://${uri}` : uri, item);
  if (/^data:/i.test(uri)) return await readData(path, { index, uri, sha256, isSeries, withSeries, item });
  if (uri.length > maxUri || !absoluteUri.test(uri)) {
    return { broken: [rule(path, "uri", `An absolute URI of at most ${maxUri} characters, or a CID, is expected.`)] };
  }
  const record = { ...(type === undefined ? {} : { type }), uri, ...(sha256 === undefined ? {} : { sha256 }) };
  const bytes = Buffer.from(canonicalJson(record));
  return {
    entry: kept({ name: `evidence-${index + 1}.json`, bytes, mimeType: "application/json" }, item),
    dataBytes: 0,
  };
}

function brokenShape(
  path: string,
  { type, sha256, stove }: { type?: string | undefined; sha256?: string | undefined; stove?: string | undefined },
): RuleDetail[] {
  const broken: RuleDetail[] = [];
  if (type !== undefined && (type.length === 0 || type.length > maxType)) {
    broken.push(rule(`${path}.type`, "evidence-type", `A type has 1 to ${maxType} characters.`));
  }
  if (sha256 !== undefined && !/^(0x)?[0-9a-f]{64}$/i.test(sha256)) {
    broken.push(rule(`${path}.sha256`, "sha256", "64 hexadecimal digits are expected."));
  }
  if (stove === undefined) return broken;
  if (type !== stoveSeriesType) {
    const message = `Only a piece of evidence of the type ${stoveSeriesType} names a stove.`;
    broken.push(rule(`${path}.stove`, "stove-of-series", message));
  }
  if (stove.length === 0 || stove.length > maxStove) {
    broken.push(rule(`${path}.stove`, "stove", `A stove's serial or kind has 1 to ${maxStove} characters.`));
  }
  return broken;
}

function link(path: string, uri: string, stated: StatedEvidence): Read {
  if (!isCid(uri.slice("ipfs://".length).split(/[/?#]/)[0] ?? "")) {
    return { broken: [rule(path, "cid", "A CID is expected, alone or behind ipfs://.")] };
  }
  return { entry: { uri, stated }, dataBytes: 0 };
}

type DataItem = {
  index: number;
  uri: string;
  sha256: string | undefined;
  isSeries: boolean;
  withSeries: boolean;
  item: StatedEvidence;
};

async function readData(path: string, { index, uri, sha256, isSeries, withSeries, item }: DataItem): Promise<Read> {
  const tooLarge = rule(path, "evidence-size", `A data: URI holds at most ${maxItemBytes} bytes.`);
  // Percent-encoded, a byte takes three characters.
  if (uri.length > 3 * maxItemBytes + maxUri) return { broken: [tooLarge] };
  const data = await openDataUri(uri);
  if (data === undefined) return { broken: [rule(path, "data-uri", "The data: URI cannot be decoded.")] };
  const { bytes, mimeType } = data;
  if (bytes.byteLength > maxItemBytes) return { broken: [tooLarge] };
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== undefined && sha256.replace(/^0x/i, "").toLowerCase() !== digest) {
    return { broken: [rule(`${path}.sha256`, "sha256-matches", `The SHA-256 of the data is ${digest}.`)] };
  }
  const name = `evidence-${index + 1}${isSeries ? ".csv" : ""}`;
  const entry = kept({ name, bytes, mimeType }, item);
  const stated = typeof item === "string" ? entry.uri : { ...item, uri: entry.uri };
  const dataBytes = bytes.byteLength;
  if (!isSeries || !withSeries) return { entry: { ...entry, stated }, dataBytes };
  if (mimeType !== stoveSeriesMediaType) {
    const message = `The series of a stove-use monitor is ${stoveSeriesMediaType}, not ${mimeType}.`;
    return { broken: [rule(path, "series-csv", message)] };
  }
  const read = await readStoveSeries(bytes);
  if ("broken" in read) return { broken: read.broken.map((each) => ({ ...each, path })) };
  return { entry: { ...entry, stated, series: read.series }, dataBytes };
}

function kept(file: Omit<EvidenceFile, "cid">, stated: StatedEvidence): EvidenceEntry {
  const cid = rawCid(createHash("sha256").update(file.bytes).digest()).toString();
  return { uri: `ipfs://${cid}`, stated, file: { ...file, cid } };
}

function rule(path: string, name: string, message: string): RuleDetail {
  return { path, rule: name, message };
}

function refuse(details: RuleDetail[]): AppError {
  return new AppError("INVALID_INPUT", "The evidence is not well formed; see details.", { details });
}
