import { HearthError } from "../../../wire/src/errors.ts";
import { clientWith } from "../api/client.ts";
import { forgetProofKey } from "./proof-keys.ts";
import type { ApiKey } from "./session.ts";

/** Longest time that signing out waits for the server, in milliseconds. */
const waitMs = 3_000;

/**
 * End a wallet's session on the server, and delete the key pair that its token is bound to: without it, nobody can use
 * the token.
 */
export async function endOnServer({ token, proof, standing }: ApiKey): Promise<void> {
  if (proof === undefined) return;
  try {
    const signal = AbortSignal.timeout(waitMs);
    if (standing !== undefined)
      await clientWith({ key: { token, proof } }).delete("/v1/sessions/{id}", { path: { id: "self" }, signal });
  } catch (error) {
    const isExpected = error instanceof HearthError || (error instanceof DOMException && error.name === "TimeoutError");
    // The server is unreachable or the session has ended: without its key pair it cannot be used, and it expires in
    // hours.
    if (!isExpected) throw error;
  } finally {
    await forgetProofKey(proof);
  }
}
