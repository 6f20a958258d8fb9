import { AppError, brokenRuleError } from "../../../api/platform/errors.ts";
import {
  decodeCursor,
  decodeTimeCursor,
  foreignCursor,
  type RequestContext,
  requireRole,
  toPage,
} from "../../../api/platform/http/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { HearthError } from "../../../wire/src/index.ts";
import type { CadTrustDeps } from "../deps.ts";
import { CadTrustRefusal, CadTrustUnavailable } from "../node/errors.ts";
import { compare, makeTarget } from "../plan/make-plan.ts";
import { problem } from "../problems.ts";
import { serverOf, traceLink } from "../publish/publisher.ts";
import { requireSettings } from "../settings/service.ts";
import type { RecordRow, RunRow } from "../tables.ts";
import type { Plan, Publication, RecordAnswer, RecordQuery } from "./schemas.ts";

type PageQuery = { limit: number; cursor?: string | undefined };
type Page<T> = { items: T[]; nextCursor: string | null };

/**
 * Say what a publication would send, without sending anything.
 * @throws AppError FORBIDDEN; NOT_FOUND before the settings were set; UPSTREAM when the server does not answer; UNAVAILABLE when the
 *   index does not
 */
export async function getPlan(deps: CadTrustDeps, ctx: RequestContext): Promise<Plan> {
  requireRole(ctx.actor, "regulator");
  const { host, store } = deps;
  const settings = await requireSettings(deps);
  const { serverUrl: server, dryRun, profile } = settings;
  try {
    const picklist = await serverOf(host, settings).picklist();
    const linkOf = (blockId: string) => traceLink(host.publicUrl, blockId);
    const target = await makeTarget({ client: host.client(), profile, picklist, linkOf });
    const changes = compare(target, await store.records(server));
    const { records, notes, leftOut, problems } = target;
    return { server, dryRun, records: records.length, changes, notes, leftOut, problems };
  } catch (cause) {
    throw asAppError(cause);
  }
}

function asAppError(cause: unknown): unknown {
  if (cause instanceof CadTrustUnavailable || cause instanceof CadTrustRefusal) {
    return new AppError("UPSTREAM", `Climate Action Data Trust: ${cause.message}`, { cause });
  }
  if (cause instanceof HearthError) return new AppError("UNAVAILABLE", `The index: ${cause.message}`, { cause });
  return cause;
}

/**
 * Begin to publish. While a publication is open, that one is returned.
 * @throws AppError FORBIDDEN; NOT_FOUND before the settings were set; CONFLICT in a dry run
 */
export async function startPublication(deps: CadTrustDeps, ctx: RequestContext): Promise<Publication> {
  requireRole(ctx.actor, "regulator");
  const { serverUrl: server, dryRun } = await requireSettings(deps);
  if (dryRun) {
    throw brokenRuleError("CONFLICT", problem("registry-dry-run", "dryRun"));
  }
  const createdAt = deps.host.clock.now();
  const row: RunRow = {
    id: newId(createdAt),
    server,
    status: "queued",
    startedBy: ctx.actor.keyId,
    message: null,
    problems: [],
    created: 0,
    edited: 0,
    removed: 0,
    failures: 0,
    worker: null,
    nextTryAt: createdAt,
    createdAt,
    endedAt: null,
  };
  const isNew = await deps.store.addRun(row);
  const open = isNew ? row : await deps.store.openRun(server);
  deps.nudge();
  // The open one ended in between.
  if (open === undefined) return await startPublication(deps, ctx);
  return serializeRun(open);
}

/** @throws AppError FORBIDDEN; NOT_FOUND */
export async function getPublication(deps: CadTrustDeps, ctx: RequestContext, id: string): Promise<Publication> {
  requireRole(ctx.actor, "regulator");
  const row = await deps.store.run(id);
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no publication ${id}.`);
  return serializeRun(row);
}

/** List publications, newest first. @throws AppError FORBIDDEN; INVALID_INPUT for a foreign cursor */
export async function listPublications(
  deps: CadTrustDeps,
  ctx: RequestContext,
  { limit, cursor }: PageQuery,
): Promise<Page<Publication>> {
  requireRole(ctx.actor, "regulator");
  const position = decodeTimeCursor(cursor);
  const after = position && { createdAt: position.at, id: position.id };
  const { items, nextCursor } = toPage(await deps.store.runs(limit, after), limit, (row) => [
    row.createdAt.getTime(),
    row.id,
  ]);
  return { items: items.map(serializeRun), nextCursor };
}

/** List the records of the current server. @throws AppError FORBIDDEN; INVALID_INPUT for a foreign cursor */
export async function listRecords(
  deps: CadTrustDeps,
  ctx: RequestContext,
  { limit, cursor, ...filter }: RecordQuery,
): Promise<Page<RecordAnswer>> {
  requireRole(ctx.actor, "regulator");
  const [after] = decodeCursor(cursor) ?? [];
  if (after !== undefined && typeof after !== "string") throw foreignCursor();
  const settings = await deps.store.settings();
  if (settings === undefined) return { items: [], nextCursor: null };
  const rows = await deps.store.recordPage(settings.serverUrl, filter, limit, after);
  const { items, nextCursor } = toPage(rows, limit, ({ key }) => [key]);
  return { items: items.map(serializeRecord), nextCursor };
}

function serializeRun(row: RunRow): Publication {
  const { id, server, status, message, problems, created, edited, removed, startedBy, createdAt, endedAt } = row;
  return {
    id,
    server,
    status,
    message,
    problems,
    created,
    edited,
    removed,
    startedBy,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

function serializeRecord({ key, table, state, remoteId, problems, changedAt, publishedAt }: RecordRow): RecordAnswer {
  return {
    key,
    table,
    state,
    remoteId,
    problems,
    changedAt: changedAt.toISOString(),
    publishedAt: publishedAt?.toISOString() ?? null,
  };
}
