import { eq } from "drizzle-orm";
import { idempotencyRecords } from "../../api/platform/idempotency/tables.ts";
import type { RegistryTest } from "./registry.ts";

/** For tests: leave a request as a process does that is killed after the write and before the response. */
export async function interruptResponse({ deps }: RegistryTest, idempotencyKey: string): Promise<void> {
  const running = { status: "running" as const, answerStatus: null, answerHeaders: null, answerBody: null };
  await deps.db
    .update(idempotencyRecords)
    .set({ ...running, leaseUntil: new Date(0) })
    .where(eq(idempotencyRecords.idempotencyKey, idempotencyKey));
}
