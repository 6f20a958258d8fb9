import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { isLosslessNumber, parse } from "lossless-json";
import { defineRules, type RuleDetail } from "../../platform/errors.ts";
import { callOutside, OutboundError, type OutboundRules } from "../../platform/outbound/index.ts";
import { type JsonObject, stringsOf } from "./credential-token.ts";

const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** The specification's minimum, for herd privacy: shorter lists are refused. */
const MIN_ENTRIES = 131_072;
const FETCH_TIMEOUT_MS = 5_000;
const DEFAULT_TTL_MS = 300_000;
const FAILURE_TTL_MS = 2_000;
const MAX_CACHED = 64;
const unzip = promisify(gunzip);

/** A list credential with verified signature and dates. */
export type ProvenList = {
  issuerDid: string;
  types: string[];
  subject: JsonObject;
  id?: unknown;
  validUntil: Date | null;
};
/** Verify a fetched list credential. @throws Error with the reason when it is not valid */
export type ProveList = (input: unknown, now: Date) => Promise<ProvenList>;
/**
 * Read one of the service's lists without the network: the compact token at an address; undefined for other addresses.
 */
export type ReadOwnList = (url: string) => Promise<string | undefined>;
export type StatusChecker = (entry: JsonObject, issuerDid: string, now: Date) => Promise<RuleDetail | undefined>;

type StatusList = { issuerDid: string; purposes: string[]; bits: Buffer; ttlMs: number; validUntil: Date | null };
type Cached = { list: Promise<StatusList>; expiresAt: number };
type StatusEntry = { url: string; index: number; purpose: string };

/** The status cannot be read, so the credential is refused; the message gives the reason. */
class StatusError extends Error {}

const path = "verifiableCredential";
const broken = defineRules({
  "credential-revoked": ["not-revoked", "The credential was revoked by its issuer"],
  "credential-suspended": ["not-revoked", "The credential is suspended"],
  "credential-status-unknown": ["not-revoked", "{problem}"],
});

/**
 * Create a check of one `credentialStatus` entry in its Bitstring Status List v1.0. It returns why the credential is
 * refused (revoked, suspended, or unknown status), or undefined for a valid one.
 * Lists are cached for their `ttl`, at most five minutes, so a revocation is seen within that time.
 */
export function createStatusChecker(
  prove: ProveList,
  rules: OutboundRules,
  readOwn: ReadOwnList = async () => undefined,
): StatusChecker {
  const cache = new Map<string, Cached>();

  async function readList(url: string, now: Date): Promise<StatusList> {
    // This service's revocations count immediately.
    const own = await readOwn(url);
    if (own !== undefined) return readCredential(url, own, now, prove);
    const known = cache.get(url);
    if (known && known.expiresAt > now.getTime()) return known.list;
    const entry: Cached = { list: fetchList(url, now, prove, rules), expiresAt: now.getTime() + DEFAULT_TTL_MS };
    cache.delete(url);
    cache.set(url, entry);
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    try {
      entry.expiresAt = now.getTime() + (await entry.list).ttlMs;
    } catch (error) {
      entry.expiresAt = now.getTime() + FAILURE_TTL_MS;
      throw error;
    }
    return entry.list;
  }

  return async (entry, issuerDid, now) => {
    try {
      const wanted = readEntry(entry);
      const list = await readList(wanted.url, now);
      requireItsList(wanted, list, issuerDid, now);
      return judge(wanted, list);
    } catch (error) {
      if (error instanceof StatusError) return broken("credential-status-unknown", path, { problem: error.message });
      throw error;
    }
  };
}

function readEntry(entry: JsonObject): StatusEntry {
  if (!stringsOf(entry.type)?.includes("BitstringStatusListEntry")) {
    throw new StatusError("The credential's status is of an unknown type");
  }
  const purpose = entry.statusPurpose;
  if (purpose !== "revocation" && purpose !== "suspension") {
    throw new StatusError("The credential's status has an unknown purpose");
  }
  if (entry.statusSize !== undefined && String(entry.statusSize) !== "1") {
    throw new StatusError("Statuses of more than one bit are not supported");
  }
  const text = isLosslessNumber(entry.statusListIndex) ? entry.statusListIndex.toString() : entry.statusListIndex;
  if (typeof text !== "string" || !/^(0|[1-9]\d{0,9})$/.test(text)) {
    throw new StatusError("The credential's status has no valid index");
  }
  if (typeof entry.statusListCredential !== "string") throw new StatusError("The credential's status names no list");
  return { url: entry.statusListCredential, index: Number(text), purpose };
}

/** @throws StatusError when the list does not tell about the entry */
function requireItsList(wanted: StatusEntry, list: StatusList, issuerDid: string, now: Date): void {
  if (list.issuerDid !== issuerDid) {
    throw new StatusError("The status list was issued by another issuer than the credential");
  }
  if (list.validUntil && list.validUntil <= now) throw new StatusError("The status list has expired");
  if (!list.purposes.includes(wanted.purpose)) throw new StatusError(`The status list is not one of ${wanted.purpose}`);
  if (wanted.index >= list.bits.length * 8) throw new StatusError("The credential's index is outside the status list");
}

function judge(wanted: StatusEntry, list: StatusList): RuleDetail | undefined {
  const set = ((list.bits[wanted.index >> 3] ?? 0xff) >> (7 - (wanted.index & 7))) & 1;
  if (set === 0) return undefined;
  return broken(wanted.purpose === "revocation" ? "credential-revoked" : "credential-suspended", path);
}

async function fetchList(url: string, now: Date, prove: ProveList, rules: OutboundRules): Promise<StatusList> {
  return readCredential(url, await fetchCredential(url, rules), now, prove);
}

async function readCredential(url: string, credential: unknown, now: Date, prove: ProveList): Promise<StatusList> {
  const proven = await proveList(credential, now, prove);
  if (!proven.types.includes("BitstringStatusListCredential")) {
    throw new StatusError("The status list is not a BitstringStatusListCredential");
  }
  if (proven.id !== undefined && proven.id !== url) throw new StatusError("The status list belongs to another address");
  const { subject } = proven;
  const purposes = stringsOf(subject.statusPurpose);
  if (!stringsOf(subject.type)?.includes("BitstringStatusList") || !purposes) {
    throw new StatusError("The status list credential holds no BitstringStatusList");
  }
  const ttl = isLosslessNumber(subject.ttl) ? Number(subject.ttl.toString()) : DEFAULT_TTL_MS;
  const ttlMs = Math.min(Math.max(ttl, 0), DEFAULT_TTL_MS);
  const bits = await expand(subject.encodedList);
  return { issuerDid: proven.issuerDid, purposes, bits, ttlMs, validUntil: proven.validUntil };
}

async function fetchCredential(url: string, rules: OutboundRules): Promise<unknown> {
  const headers = { accept: "application/vc+jwt, application/vc, application/json" };
  const limits = { headers, timeoutMs: FETCH_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, maxRedirects: 2 };
  try {
    const answer = await callOutside(url, limits, rules);
    if (answer.status !== 200) throw new StatusError(`The status list's place answers ${answer.status}`);
    const text = answer.body.toString("utf8").trim();
    return text.startsWith("{") ? parse(text) : text;
  } catch (error) {
    if (error instanceof OutboundError) throw new StatusError(`The status list's address ${error.message}`);
    if (error instanceof SyntaxError) throw new StatusError("The status list is not JSON");
    throw error;
  }
}

async function proveList(input: unknown, now: Date, prove: ProveList): Promise<ProvenList> {
  try {
    return await prove(input, now);
  } catch (error) {
    throw new StatusError(`The status list does not verify: ${(error as Error).message}`);
  }
}

async function expand(encodedList: unknown): Promise<Buffer> {
  if (typeof encodedList !== "string" || !/^u[\w-]+$/.test(encodedList)) {
    throw new StatusError("The status list is not base64url with its multibase prefix");
  }
  try {
    const bits = await unzip(Buffer.from(encodedList.slice(1), "base64url"), { maxOutputLength: MAX_LIST_BYTES });
    if (bits.length * 8 < MIN_ENTRIES) throw new StatusError(`The status list has fewer than ${MIN_ENTRIES} entries`);
    return bits;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new StatusError(`The status list cannot be expanded to at most ${MAX_LIST_BYTES} bytes`, { cause: error });
  }
}
