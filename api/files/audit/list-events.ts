import { and, desc, eq, lt } from "drizzle-orm";
import { decodeCursor, foreignCursor, toPage } from "../../platform/http/index.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { unixSeconds } from "../records/file-metadata.ts";
import { findFile } from "../records/find-file.ts";
import type { FileEventKind } from "./event.ts";
import { type FileEventRow, fileEvents } from "./tables.ts";

/** An event as the API shows it. */
export type FileEventRecord = {
  id: string;
  /** Place in the namespace's chain, from 1. */
  sequence: number;
  kind: FileEventKind;
  namespace: string;
  fileId?: string;
  version?: number;
  /** DID that owns the authority, and DID that used it; absent on the public routes. */
  actor?: string;
  invoker?: string;
  tokenCid?: string;
  runId?: string;
  toolCallId?: string;
  /** Hexadecimal; equal for equal bytes of one file, meaningless without the file's key. */
  cidHmac?: string;
  /** Unix seconds. */
  at: number;
  /** The same time as it was hashed: ISO 8601 with milliseconds. */
  recordedAt: string;
  /** SHA-256 of the event and the previous hash, hexadecimal. */
  hash: string;
};

export type EventPage = { items: FileEventRecord[]; nextCursor: string | null };
export type PageInput = { limit?: number | undefined; cursor?: string | undefined };

/**
 * List a file's audit events, newest first. Needs `fs/read` on the file's current path.
 * @throws AppError FORBIDDEN, NOT_FOUND, INVALID_INPUT for a cursor of another list
 */
export async function listFileEvents(ctx: FileContext, input: { ref: FileRef } & PageInput): Promise<EventPage> {
  const { id, namespace } = await findFile(ctx, "fs/read", input.ref);
  return await listPage(ctx, { namespace, fileId: id }, input);
}

/**
 * List the audit events of the caller's namespace, newest first, including those of purged files. Only the owner may call it.
 * @throws AppError FORBIDDEN, INVALID_INPUT for a cursor of another list
 */
export async function listEvents(ctx: FileContext, input: PageInput = {}): Promise<EventPage> {
  ctx.access.requireOwner("fs/read");
  return await listPage(ctx, { namespace: ctx.access.grant.owner }, input);
}

async function listPage(
  ctx: FileContext,
  { namespace, fileId }: { namespace: string; fileId?: string },
  { limit = 50, cursor }: PageInput,
): Promise<EventPage> {
  const [before] = decodeCursor(cursor) ?? [];
  if (typeof before === "string") throw foreignCursor();
  const rows = await ctx.deps.db
    .select()
    .from(fileEvents)
    .where(
      and(
        eq(fileEvents.namespace, namespace),
        fileId === undefined ? undefined : eq(fileEvents.fileId, fileId),
        before === undefined ? undefined : lt(fileEvents.sequence, before),
      ),
    )
    .orderBy(desc(fileEvents.sequence))
    .limit(limit + 1);
  const { items, nextCursor } = toPage(rows, limit, ({ sequence }) => [sequence]);
  return { items: items.map(toRecord), nextCursor };
}

function toRecord(row: FileEventRow): FileEventRecord {
  const { id, sequence, kind, namespace, at, hash, cidHmac, format: _format, ...rest } = row;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    id,
    sequence,
    kind,
    namespace,
    ...given,
    ...(cidHmac === null ? {} : { cidHmac: Buffer.from(cidHmac).toString("hex") }),
    at: unixSeconds(at),
    recordedAt: at.toISOString(),
    hash: Buffer.from(hash).toString("hex"),
  };
}
