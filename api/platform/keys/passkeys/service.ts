import { calculateJwkThumbprint, type JWK } from "jose";
import { AppError } from "../../errors.ts";
import type { RequestContext } from "../../http/index.ts";
import { loopbackHosts } from "../../values/loopback.ts";
import type { KeyDeps } from "../deps.ts";
import { checkProof } from "../dpop.ts";
import { generateKey } from "../format.ts";
import { templateOf } from "../invitations/service.ts";
import { refuseBrokenKey, requireParticipants } from "../rules.ts";
import type { CreatedApiKey } from "../schemas.ts";
import { toApiKey, toRow } from "../service.ts";
import type { KeyRow } from "../store.ts";
import { toProofKey } from "../verifier.ts";
import type { NewPasskey, Passkey, PasskeySignIn } from "./schemas.ts";
import type { PasskeyRow } from "./store.ts";

/** The library is large, and loaded when the first person uses a passkey. */
const webauthn = () => import("@simplewebauthn/server");

/** How long an authenticator has for a challenge, in milliseconds. */
const challengeMs = 5 * 60_000;
/** COSE numbers of EdDSA, ES256 and RS256: what every authenticator has one of, and Node verifies. */
const algorithms = [-8, -7, -257];
/** Most valid passkeys of a person. */
const mostPasskeys = 5;

/**
 * The relying party: the host of PUBLIC_URL. On this machine it is `localhost`, because WebAuthn takes no addresses.
 * @throws AppError CONFLICT when PUBLIC_URL has the address of a machine instead of a name
 */
function relyingParty({ config }: Pick<KeyDeps, "config">) {
  const url = new URL(config.publicUrl);
  if (loopbackHosts.has(url.hostname)) {
    const local = new URL(url);
    local.hostname = "localhost";
    return { id: "localhost", origins: [local.origin] };
  }
  if (/^[\d.]+$|^\[/.test(url.hostname)) {
    const message = "Passkeys need a host name in PUBLIC_URL, and this system has an address.";
    throw new AppError("CONFLICT", message, { details: [{ rule: "host-name", message }] });
  }
  return { id: url.hostname, origins: [url.origin] };
}

/** Find the caller's key and its person's devices. @throws AppError RULE_VIOLATION unless the key is bound to a key pair */
async function ownDevices({ keys }: KeyDeps, { actor }: RequestContext): Promise<{ row: KeyRow; devices: string[] }> {
  const row = actor.sessionId === undefined ? await keys.store.find(actor.keyId) : undefined;
  if (row === undefined || row.publicJwk === null) {
    const message = "Only an API key that is bound to a key pair can have passkeys.";
    throw new AppError("RULE_VIOLATION", message, { details: [{ rule: "bound-key", message }] });
  }
  return { row, devices: await keys.passkeys.devicesUpTo(row.id) };
}

/** Begin a registration: options for `navigator.credentials.create`. @throws AppError RULE_VIOLATION, CONFLICT */
export async function passkeyRegistrationOptions(deps: KeyDeps, ctx: RequestContext) {
  const { id: rpID } = relyingParty(deps);
  const { row, devices } = await ownDevices(deps, ctx);
  const valid = (await deps.keys.passkeys.list(devices)).filter(({ revokedAt }) => revokedAt === null);
  if (valid.length >= mostPasskeys) {
    const message = `A person can have at most ${mostPasskeys} passkeys: revoke one first.`;
    throw new AppError("CONFLICT", message, { details: [{ rule: "passkeys-of-person", message }] });
  }
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "Hearth",
    rpID,
    userName: row.name,
    userDisplayName: row.name,
    attestationType: "none",
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: valid.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await keepChallenge(deps, options.challenge, `register ${row.id}`);
  return options;
}

/** Register a passkey for the caller's key. @throws AppError RULE_VIOLATION when the browser's answer does not hold; CONFLICT */
export async function registerPasskey(deps: KeyDeps, ctx: RequestContext, input: NewPasskey): Promise<Passkey> {
  const { id: expectedRPID, origins } = relyingParty(deps);
  const { row } = await ownDevices(deps, ctx);
  const { registration } = input;
  const { verifyRegistrationResponse } = await webauthn();
  const challenge = challengeOf(registration.response.clientDataJSON);
  const now = deps.clock.now();
  const isFresh =
    challenge !== undefined && (await deps.keys.passkeys.takeChallenge(challenge, `register ${row.id}`, now));
  const verified = isFresh
    ? await unlessInvalid(
        verifyRegistrationResponse({
          response: registration as never,
          expectedChallenge: challenge,
          expectedOrigin: origins,
          expectedRPID,
          requireUserVerification: true,
        }),
      )
    : undefined;
  if (!verified?.verified) throw notConfirmed("RULE_VIOLATION");
  const { credential } = verified.registrationInfo;
  const made: PasskeyRow = {
    id: credential.id,
    keyId: row.id,
    name: input.name,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: credential.transports ?? [],
    madeKeys: [],
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  };
  if (!(await deps.keys.passkeys.insert(made))) {
    const message = "This passkey is registered already.";
    throw new AppError("CONFLICT", message, { details: [{ rule: "passkey-once", message }] });
  }
  deps.log.info({ passkeyOf: row.id }, "passkey registered");
  return toPasskey(made);
}

/** List the passkeys of the caller's person, newest first. @throws AppError RULE_VIOLATION */
export async function listPasskeys(deps: KeyDeps, ctx: RequestContext): Promise<{ items: Passkey[] }> {
  const { devices } = await ownDevices(deps, ctx);
  return { items: (await deps.keys.passkeys.list(devices)).map(toPasskey) };
}

/** Revoke a passkey of the caller's person. Keys that it made stay valid. @throws AppError RULE_VIOLATION; NOT_FOUND */
export async function revokePasskey(deps: KeyDeps, ctx: RequestContext, id: string): Promise<Passkey> {
  const { devices } = await ownDevices(deps, ctx);
  const row = await deps.keys.passkeys.revoke(id, devices, deps.clock.now());
  if (row === undefined) throw new AppError("NOT_FOUND", "There is no such passkey.");
  return toPasskey(row);
}

/** Begin a sign-in: options for `navigator.credentials.get`, good only for the given key pair. @throws AppError CONFLICT */
export async function passkeySignInOptions(deps: KeyDeps, publicJwk: JWK) {
  const { id: rpID } = relyingParty(deps);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({ rpID, userVerification: "required" });
  await keepChallenge(deps, options.challenge, await purposeOf(publicJwk));
  return options;
}

type ProofOfRequest = { proof: string | undefined; method: string; urls: string[] };

/**
 * Make an API key for this device by a passkey, bound to the device's key pair: with the role, holder, limits and expiry of the key
 * that registered the passkey.
 * @throws AppError UNAUTHENTICATED, the same for each reason, so that the answer says nothing about a passkey
 */
export async function signInWithPasskey(
  deps: KeyDeps,
  { publicJwk, assertion }: PasskeySignIn,
  request: ProofOfRequest,
): Promise<CreatedApiKey> {
  const now = deps.clock.now();
  const challenge = challengeOf(assertion.response.clientDataJSON);
  const purpose = await purposeOf(publicJwk);
  const isFresh = challenge !== undefined && (await deps.keys.passkeys.takeChallenge(challenge, purpose, now));
  if (!isFresh) throw notConfirmed("UNAUTHENTICATED");
  const problem = await checkProof(
    toProofKey(publicJwk),
    assertion.id,
    { ...request, token: challenge, now },
    deps.keys.proofs,
  );
  if (problem !== undefined) throw notConfirmed("UNAUTHENTICATED");
  const row = await deps.keys.passkeys.find(assertion.id);
  if (row === undefined || row.revokedAt !== null || !(await deps.keys.verifier.isInForce(row.keyId))) {
    throw notConfirmed("UNAUTHENTICATED");
  }
  const counter = await verifiedCounter(deps, row, assertion, challenge);
  const owner = await deps.keys.store.find(row.keyId);
  if (owner === undefined) throw notConfirmed("UNAUTHENTICATED");
  const template = { ...templateOf(owner), publicJwk };
  refuseBrokenKey(template, now);
  await requireParticipants(deps, template);
  const { id, key, secretHash } = generateKey();
  const made = toRow(template, { id, secretHash, createdBy: owner.id, createdAt: now });
  const revoked = await deps.keys.passkeys.use(row, counter, made);
  if (revoked === undefined) throw notConfirmed("UNAUTHENTICATED");
  for (const old of revoked) deps.keys.verifier.forget(old);
  deps.log.info({ keyId: id, role: made.role, by: owner.id }, "signed in with a passkey");
  return { ...toApiKey(made), key };
}

async function verifiedCounter(
  deps: KeyDeps,
  row: PasskeyRow,
  assertion: PasskeySignIn["assertion"],
  expectedChallenge: string,
): Promise<number> {
  const { id: expectedRPID, origins } = relyingParty(deps);
  const { id, counter, publicKey } = row;
  const { verifyAuthenticationResponse } = await webauthn();
  const verified = await unlessInvalid(
    verifyAuthenticationResponse({
      response: assertion as never,
      expectedChallenge,
      expectedOrigin: origins,
      expectedRPID,
      credential: { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")) },
      requireUserVerification: true,
    }),
  );
  if (!verified?.verified) throw notConfirmed("UNAUTHENTICATED");
  return verified.authenticationInfo.newCounter;
}

async function keepChallenge({ keys, clock }: KeyDeps, challenge: string, purpose: string): Promise<void> {
  const now = clock.now();
  await keys.passkeys.addChallenge({ challenge, purpose, expiresAt: new Date(now.getTime() + challengeMs) }, now);
}

const purposeOf = async (publicJwk: JWK) => `sign-in ${await calculateJwkThumbprint(publicJwk)}`;

/** The challenge that the browser says it signed. */
function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")) as {
      challenge?: unknown;
    };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The library throws an Error for everything that does not hold. */
async function unlessInvalid<T>(verification: Promise<T>): Promise<T | undefined> {
  try {
    return await verification;
  } catch {
    return undefined;
  }
}

function notConfirmed(code: "RULE_VIOLATION" | "UNAUTHENTICATED"): AppError {
  if (code === "UNAUTHENTICATED") {
    const reasons = "it is unknown or revoked, its person's key ended, or the confirmation does not hold";
    return new AppError(code, `This passkey cannot sign in: ${reasons}. Try again, or ask for an invitation.`);
  }
  const message = "The confirmation of the passkey does not hold. Begin again.";
  return new AppError(code, message, { details: [{ rule: "passkey-confirmed", message }] });
}

function toPasskey({ id, name, keyId, createdAt, lastUsedAt, revokedAt }: PasskeyRow): Passkey {
  return {
    id,
    name,
    keyId,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
