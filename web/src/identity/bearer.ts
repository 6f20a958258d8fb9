import { noteServerTime, serverNow } from "../api/server-time.ts";
import { loadSigning } from "./load-signing.ts";
import type { parseToken } from "./mint.ts";
import { type Claim, formatResource } from "./resource.ts";
import type { SigningKey } from "./signing-key.ts";
import { TimedCache } from "./timed-cache.ts";

const minuteMs = 60_000;
const bearerMs = 60 * minuteMs;
const invocationMs = 10 * minuteMs;
const delegationMs = 24 * 60 * minuteMs;

/** Read the DID that tokens for this server are addressed to. @throws Error when the server does not give it */
export async function readServiceDid(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/.well-known/did.json`);
  noteServerTime(answer);
  const document: unknown = answer.ok ? await answer.json() : undefined;
  if (typeof document === "object" && document !== null && "id" in document && typeof document.id === "string") {
    return document.id;
  }
  throw new Error(`${origin} does not publish its DID.`);
}

/** What another owner has delegated to a key; `expiresAt` in unix seconds. */
export type BearerGrant = { proof: Awaited<ReturnType<typeof parseToken>>; expiresAt: number };

export type BearerOptions = {
  key: SigningKey;
  serviceDid: () => Promise<string>;
  /** Also read and change hidden files. */
  reveal: boolean;
  /** Absent: the key's own namespace. */
  grant?: BearerGrant;
  now?: () => number;
};

/** Cache of bearer tokens for the key's whole namespace. Each is valid for an hour and renewed five minutes before it ends. */
export function bearerCache({ key, serviceDid, reveal, grant, now = Date.now }: BearerOptions): TimedCache<string> {
  const nb = reveal ? { nb: { hidden: "*" } } : {};
  const claims: Claim[] =
    grant === undefined
      ? [{ can: "fs/*", with: formatResource(key.did()), ...nb }]
      : grant.proof.capabilities.map(({ can, with: resource }) => ({ can, with: resource }));
  const make = async () => {
    const [audience, { mint, formatToken }] = await Promise.all([serviceDid(), loadSigning()]);
    const token = await mint({
      issuer: key,
      audience,
      claims,
      expiration: Math.min(
        Math.floor(serverNow(now() + bearerMs) / 1000),
        grant?.expiresAt ?? Number.POSITIVE_INFINITY,
      ),
      ...(grant === undefined ? {} : { proofs: [grant.proof] }),
    });
    return { value: await formatToken(token), expiresAt: now() + bearerMs };
  };
  return new TimedCache(make, 5 * minuteMs, now);
}

export type Artefact = { serialized: string; expiresAt: number };

/** Sign an invocation that authenticates the user to the oracle; `expiresAt` in unix milliseconds. */
export async function createInvocation(key: SigningKey, oracleDid: string, now = Date.now()): Promise<Artefact> {
  const expiresAt = now + invocationMs;
  return await sign(key, oracleDid, expiresAt, [{ can: "oracle/chat", with: "ixo:oracle" }]);
}

/** Sign a delegation that lets the oracle converse and use the user's files for a day, except hidden files. */
export async function createDelegation(key: SigningKey, oracleDid: string, now = Date.now()): Promise<Artefact> {
  const expiresAt = now + delegationMs;
  return await sign(key, oracleDid, expiresAt, [
    { can: "oracle/*", with: "ixo:oracle" },
    { can: "fs/*", with: formatResource(key.did()) },
  ]);
}

async function sign(key: SigningKey, audience: string, expiresAt: number, claims: { can: string; with: string }[]) {
  // The token expires by the server's clock; its cache entry by this device's.
  const expiration = Math.floor(serverNow(expiresAt) / 1000);
  const { formatArtefact, mint } = await loadSigning();
  const token = await mint({ issuer: key, audience, claims, expiration });
  return { serialized: await formatArtefact(token), expiresAt: Math.floor(expiresAt / 1000) * 1000 };
}
