import { t } from "i18next";
import { clientWith, hearth } from "../api/client.ts";
import { signInWithKey } from "./holder.ts";
import { provePossession } from "./proof.ts";
import { createProofKey, forgetProofKey } from "./proof-keys.ts";

const visitor = clientWith({ key: null });

/**
 * Make a passkey for the session's person.
 *
 * @throws HearthError from the API; Error with a sentence when the person or the authenticator refused
 */
export async function createPasskey(name: string): Promise<void> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = await hearth.post("/v1/keys/self/passkeys/challenges");
  const registration = await ask(() => startRegistration({ optionsJSON: optionsJSON as never }));
  await hearth.post("/v1/keys/self/passkeys", { body: { name, registration: registration as never } });
}

/**
 * Sign in with a passkey: this device gets a key of its person, bound to a key pair made here, and stays signed in.
 *
 * @throws HearthError UNAUTHENTICATED when the passkey is unknown or revoked; Error with a sentence when the person refused
 */
export async function signInWithPasskey(): Promise<void> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const proof = await createProofKey();
  try {
    const { publicJwk } = proof;
    const optionsJSON = await visitor.post("/v1/passkeys/challenges", { body: { publicJwk } });
    const assertion = await ask(() => startAuthentication({ optionsJSON: optionsJSON as never }));
    const url = new URL("/v1/passkeys/sign-in", window.location.origin);
    const dpop = await provePossession(proof, { token: optionsJSON.challenge, method: "POST", url });
    const body = { publicJwk, assertion: assertion as never };
    const { key } = await visitor.post("/v1/passkeys/sign-in", { body, headers: { dpop: dpop ?? "" } });
    await signInWithKey({ token: key, proof }, true);
  } catch (error) {
    await forgetProofKey(proof);
    throw error;
  }
}

/** Browsers say nothing about why a person refused. */
async function ask<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === "InvalidStateError";
    throw new Error(t(isKnown ? "shell.passkey.known" : "shell.passkey.cancelled"), { cause: error });
  }
}
