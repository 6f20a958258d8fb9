import { randomBytes } from "node:crypto";
import { type Address, BaseError } from "viem";
import { AppError, type RuleDetail } from "../errors.ts";
import { isOnCurve } from "../keys/index.ts";
import { chainUnavailable, isChainUnreachable } from "../unavailable.ts";
import type { SessionDeps } from "./deps.ts";
import { brokenMessageRules, readMessage, type SignInMessage, signInMs } from "./message.ts";
import type { CreatedSession, NewSession } from "./schemas.ts";
import { chooseStanding, serializeSession } from "./service.ts";
import type { WalletSessionRow } from "./tables.ts";
import { generateToken } from "./token.ts";

/** Longest duration of a session, in milliseconds: a working day. */
const sessionMs = 8 * 3_600_000;
/** How long ended sessions and expired nonces are kept, in milliseconds. */
const keptMs = 3_600_000;

/** Issue a nonce for one sign-in message, with the other values that the message must hold. */
export async function issueNonce(deps: SessionDeps) {
  const { clock, sessions, config, chain } = deps;
  const now = clock.now().getTime();
  await sessions.store.sweep(new Date(now - keptMs));
  const nonce = randomBytes(16).toString("hex");
  const expiresAt = new Date(now + signInMs);
  await sessions.store.insertNonce(nonce, expiresAt);
  const { host, origin } = new URL(config.publicUrl);
  return {
    nonce,
    expiresAt: expiresAt.toISOString(),
    domain: host,
    uri: origin,
    version: "1" as const,
    chainId: chain.id,
  };
}

/**
 * Start a session for an account that signed an ERC-4361 message. The message's nonce is used up.
 * @throws AppError UNAUTHENTICATED with every rule that message, signature and key break; FORBIDDEN when the account does not
 *   have the role that it chose; UNAVAILABLE
 */
export async function beginSession(deps: SessionDeps, input: NewSession): Promise<CreatedSession> {
  const message = readMessage(input.message);
  if (message === undefined) {
    const text = "The message does not have the form of ERC-4361.";
    throw refuse([{ path: "message", rule: "message-form", message: text }]);
  }
  const details = await brokenRules(deps, input, message);
  if (details.length > 0) throw refuse(details);
  const { sessions, clock } = deps;
  const standing = await chooseStanding(sessions, message.address, input);
  const { id, token, secretHash } = generateToken();
  const row: WalletSessionRow = {
    id,
    secretHash,
    address: message.address.toLowerCase(),
    ...standing,
    publicJwk: input.publicJwk as WalletSessionRow["publicJwk"],
    createdAt: clock.now(),
    expiresAt: endOf(message, clock.now()),
    endedAt: null,
  };
  if (!(await sessions.store.begin(message.nonce, row))) throw refuse([unknownNonce]);
  deps.log.info({ sessionId: id, actsAs: row.actsAs }, "session started");
  return { ...(await serializeSession(sessions, row)), token };
}

const unknownNonce = {
  path: "message.nonce",
  rule: "nonce-unused",
  message: "The nonce is unknown, used or too old: ask for another one.",
};

async function brokenRules({ config, chain, clock, sessions }: SessionDeps, input: NewSession, message: SignInMessage) {
  const { publicJwk, signature } = input;
  const now = clock.now();
  const expected = {
    publicUrl: config.publicUrl,
    chainId: chain.id,
    publicJwk: publicJwk as WalletSessionRow["publicJwk"],
    now,
  };
  const details: RuleDetail[] = await brokenMessageRules(message, expected);
  if (!(await sessions.store.hasNonce(message.nonce, now))) details.push(unknownNonce);
  if (!isOnCurve(publicJwk)) {
    details.push({ path: "publicJwk", rule: "valid-key", message: "This is not a point of the curve." });
  }
  if (!(await isSigned(chain.client, { address: message.address, message: input.message, signature }))) {
    const text = `The message is not signed by ${message.address}.`;
    details.push({ path: "signature", rule: "signature-valid", message: text });
  }
  return details;
}

type Signed = { address: Address; message: string; signature: `0x${string}` };

/** Check that the account's key signed, or that its contract accepts the signature, even one that is not deployed yet. */
async function isSigned(client: SessionDeps["chain"]["client"], signed: Signed): Promise<boolean> {
  try {
    return await client.verifyMessage({ ...signed, mode: "eoa" });
  } catch (error) {
    if (error instanceof BaseError && !isChainUnreachable(error)) return false;
    throw chainUnavailable(error);
  }
}

function endOf({ expirationTime }: SignInMessage, now: Date): Date {
  const latest = now.getTime() + sessionMs;
  return new Date(Math.min(latest, expirationTime?.getTime() ?? latest));
}

function refuse(details: RuleDetail[]): AppError {
  const message = "This message is not accepted for sign-in; details lists every reason.";
  return new AppError("UNAUTHENTICATED", message, { details });
}
