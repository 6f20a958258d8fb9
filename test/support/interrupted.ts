import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { idempotencyRecords } from "../../api/platform/idempotency/tables.ts";
import { type Answer, type RegistryTest, requireStatus } from "./registry.ts";

/** For tests: leave a request as a process does that is killed after the write and before the response. */
export async function interruptResponse(
  { deps }: { deps: Pick<RegistryTest["deps"], "db"> },
  idempotencyKey: string,
): Promise<void> {
  const running = { status: "running" as const, answerStatus: null, answerHeaders: null, answerBody: null };
  await deps.db
    .update(idempotencyRecords)
    .set({ ...running, leaseUntil: new Date(0) })
    .where(eq(idempotencyRecords.idempotencyKey, idempotencyKey));
}

/**
 * For tests: send a request, and again as after a kill that came before its response. Both are answered alike, and the second one is
 * not the stored response.
 * @returns the answer's body
 */
export async function sendInterrupted(
  test: Pick<RegistryTest, "deps">,
  send: (headers: Record<string, string>) => Promise<Answer>,
  status: number,
): Promise<unknown> {
  const key = randomUUID();
  const { body } = requireStatus(await send({ "idempotency-key": key }), status);
  await interruptResponse(test, key);
  const again = requireStatus(await send({ "idempotency-key": key }), status);
  assert.deepEqual([again.body, again.headers.get("idempotency-replayed")], [body, null]);
  return body;
}
