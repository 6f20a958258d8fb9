import { eq } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { namespaces } from "../tables.ts";
import { overFileLimit, overQuota } from "./refusals.ts";

/** How many bytes a write may still bring, and the refusal of one that brings more. */
export type Room = { limit: number; refusal: () => Error };

/**
 * What the file limit and the namespace's quota leave.
 * @param declaredSize the length that the caller announces, when it does
 * @throws AppError TOO_LARGE when that is too much already
 */
export async function findRoom(ctx: FileContext, declaredSize?: number): Promise<Room> {
  const { fileLimitBytes: fileLimit, namespaceQuotaBytes: quota } = ctx.deps.config.files;
  let room: Room = { limit: fileLimit, refusal: () => overFileLimit(fileLimit) };
  if (quota !== undefined) {
    const used = await usedBytes(ctx);
    if (quota - used < fileLimit) room = { limit: Math.max(0, quota - used), refusal: () => overQuota(quota, used) };
  }
  if (declaredSize !== undefined && declaredSize > room.limit) throw room.refusal();
  return room;
}

async function usedBytes(ctx: FileContext): Promise<number> {
  const [row] = await ctx.deps.db
    .select({ bytes: namespaces.bytes })
    .from(namespaces)
    .where(eq(namespaces.namespace, ctx.access.grant.owner));
  return row?.bytes ?? 0;
}
