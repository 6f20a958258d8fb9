import { AppError } from "../../errors.ts";

/** Longest time for one signature, in milliseconds. The next nonce waits for it. */
export const signatureMs = 10_000;

/** It refused, or did not answer in time. Nothing was signed, and no nonce is used up. */
export function signerUnavailable(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", "The signer of the account gave no signature; try again in a moment.", {
    cause,
    headers: { "Retry-After": "5" },
  });
}
