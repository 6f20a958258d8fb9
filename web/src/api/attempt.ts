import { HearthError } from "../../../wire/src/errors.ts";
import { hexOf } from "../numbers/hex.ts";
import { keep, kept } from "../session/vault.ts";

type Attempt = { what: string; key: string };

/**
 * Send a request once, even if its answer is lost: repeats use the same Idempotency-Key until the server has answered, also
 * after a reload. Another request, or the same one after an answer, gets a new key.
 *
 * @param name kind of request; at most one of each kind is pending
 * @param what text that changes whenever the request changes
 */
export async function sendOnce<Answer>(
  name: string,
  what: string,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await send(keyOf(name, what));
    keep(`${name}.attempt`, undefined);
    return answer;
  } catch (error) {
    if (!isUndecided(error)) keep(`${name}.attempt`, undefined);
    throw error;
  }
}

function keyOf(name: string, what: string): string {
  const attempt = kept<Attempt>(`${name}.attempt`);
  if (attempt?.what === what) return attempt.key;
  const key = `${name}-${hexOf(crypto.getRandomValues(new Uint8Array(16)))}`;
  keep(`${name}.attempt`, { what, key } satisfies Attempt);
  return key;
}

/** Whether the server may have started the request: no answer came, or the first attempt still runs. */
function isUndecided(error: unknown): boolean {
  if (!(error instanceof HearthError)) return true;
  return error.status === 0 || error.status >= 500 || error.code === "IDEMPOTENCY_IN_PROGRESS";
}
