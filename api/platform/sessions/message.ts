import { calculateJwkThumbprintUri, type JWK } from "jose";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import type { RuleDetail } from "../errors.ts";

/** How long a nonce is valid, and the largest age of a message, in milliseconds. */
export const signInMs = 10 * 60_000;
/** How far a wallet's clock may be ahead, in milliseconds. */
const skewMs = 60_000;
const loopback = ["localhost", "127.0.0.1"];

export type SignInMessage = Required<Pick<Parsed, "address" | "domain" | "uri" | "chainId" | "nonce" | "issuedAt">> &
  Parsed;
type Parsed = ReturnType<typeof parseSiweMessage>;

/** Values with which a message is compared. */
export type Expected = { publicUrl: string; chainId: number; publicJwk: JWK; now: Date };

/** Read a message of ERC-4361; undefined when it is malformed or ambiguous. */
export function readMessage(text: string): SignInMessage | undefined {
  const parsed = parseSiweMessage(text);
  try {
    // Written again it must be the same text, for any precision of its times.
    const again = createSiweMessage(parsed as Parameters<typeof createSiweMessage>[0]);
    return plainTimes(again) === plainTimes(text) ? (parsed as SignInMessage) : undefined;
  } catch {
    return undefined;
  }
}

function plainTimes(text: string): string {
  const times = /^(Issued At|Expiration Time|Not Before): (.+)$/gm;
  return text.replace(times, (_, name: string, time: string) => `${name}: ${new Date(time).toISOString()}`);
}

/** List every rule that a message breaks. Nonce and signature are checked elsewhere. */
export async function brokenMessageRules(message: SignInMessage, expected: Expected): Promise<RuleDetail[]> {
  const { publicUrl, chainId, publicJwk, now } = expected;
  const details: RuleDetail[] = [];
  const broken = (field: string, rule: string, text: string) =>
    details.push({ path: `message.${field}`, rule, message: text });
  const origins = originsOf(publicUrl);
  const { protocol, origin: own } = new URL(publicUrl);
  const scheme = message.scheme ?? protocol.slice(0, -1);
  if (!origins.includes(originOf(`${scheme}://${message.domain}`) ?? ""))
    broken("domain", "own-domain", `The message is for another site than ${own}.`);
  if (!origins.includes(originOf(message.uri) ?? ""))
    broken("uri", "own-uri", `The message is for another address than ${own}.`);
  if (message.chainId !== chainId) broken("chainId", "own-chain", `The message must name chain ${chainId}.`);
  const uri = await calculateJwkThumbprintUri(publicJwk);
  if (!message.resources?.includes(uri))
    broken("resources", "names-proof-key", `The message must name the proof key among its resources: ${uri}.`);
  details.push(...brokenTimes(message, now));
  return details;
}

function brokenTimes({ issuedAt, expirationTime, notBefore }: SignInMessage, now: Date): RuleDetail[] {
  const details: RuleDetail[] = [];
  const age = now.getTime() - issuedAt.getTime();
  if (age < -skewMs || age > signInMs) {
    const message = `The message must be at most ${signInMs / 60_000} minutes old.`;
    details.push({ path: "message.issuedAt", rule: "issued-now", message });
  }
  if (expirationTime !== undefined && expirationTime <= now)
    details.push({ path: "message.expirationTime", rule: "not-expired", message: "The message has expired." });
  if (notBefore !== undefined && notBefore.getTime() > now.getTime() + skewMs)
    details.push({ path: "message.notBefore", rule: "begun", message: "The message does not hold yet." });
  return details;
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Return the service's origin; for a loopback host, under both its names. */
function originsOf(publicUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => `${protocol}//${name}${port === "" ? "" : `:${port}`}`);
}
