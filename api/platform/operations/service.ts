import { randomUUID } from "node:crypto";
import { AppError, type RuleDetail } from "../errors.ts";
import { type Actor, decodeCursor, type RequestContext, toPage } from "../http/index.ts";
import type { OperationDeps } from "./deps.ts";
import type { Operation, OperationRowsQuery, StartedOperation } from "./schemas.ts";
import type { OperationRow } from "./store.ts";

export type NewOperation = {
  /** A type that a feature defined with `operations.define`. */
  type: string;
  /** JSON; amounts as decimal text, since JSON has no bigint. */
  input: unknown;
  /** Rows of work as JSON, each of which gets one answer. They are stored as they come; an error of theirs stores nothing. */
  rows?: Iterable<unknown> | AsyncIterable<unknown>;
  /** Amount of work for an operation without rows. */
  total?: number;
};

/**
 * Store an operation and start it; from then on it survives a kill. Under an Idempotency-Key, return the operation of an
 * interrupted attempt instead of starting a second one.
 */
export async function startOperation(
  deps: OperationDeps,
  ctx: RequestContext,
  { type, input, rows = [], total = 0 }: NewOperation,
): Promise<StartedOperation> {
  const { operations, clock } = deps;
  const id = idOf(ctx.idempotencyKey ?? randomUUID());
  const now = clock.now();
  const fresh = { status: "queued" as const, done: 0, total, failed: 0, attempts: 0, createdAt: now, updatedAt: now };
  await operations.store.insert({ id, type, actor: ctx.actor, input, ...fresh }, rows);
  operations.wake();
  return { operationId: id, url: operationUrl(id) };
}

/** Find the operation that an interrupted attempt of the same request has started. Call this before the request's checks. */
export async function findStarted(
  deps: OperationDeps,
  ctx: RequestContext,
  type: string,
): Promise<StartedOperation | undefined> {
  if (ctx.idempotencyKey === undefined) return undefined;
  const found = await deps.operations.store.find(idOf(ctx.idempotencyKey));
  return found?.type === type ? { operationId: found.id, url: operationUrl(found.id) } : undefined;
}

/** Find an operation that a record refers to; null when there is none or the actor may not read it. */
export async function findReadable(
  deps: OperationDeps,
  ctx: RequestContext,
  id: string,
): Promise<StartedOperation | null> {
  const found = await deps.operations.store.find(id);
  return found !== undefined && maySee(ctx.actor, found.actor) ? { operationId: id, url: operationUrl(id) } : null;
}

function idOf(uuid: string): string {
  return `OPER-${uuid.replaceAll("-", "")}`;
}

/** Return the path of an operation, for `Location`. */
export function operationUrl(id: string): string {
  return `/v1/operations/${id}`;
}

/** Read an operation. @throws AppError NOT_FOUND when there is none or the actor may not see it */
export async function readOperation(deps: OperationDeps, ctx: RequestContext, id: string): Promise<Operation> {
  return toOperation(await findVisible(deps, ctx, id), deps.operations.obstacle());
}

/** List one page of an operation's rows, in their order. @throws AppError NOT_FOUND when the actor may not see the operation */
export async function listOperationRows(
  deps: OperationDeps,
  ctx: RequestContext,
  id: string,
  { limit, cursor, status }: OperationRowsQuery,
) {
  await findVisible(deps, ctx, id);
  const position = decodeCursor(cursor);
  const after = position === undefined ? undefined : Number(position[0]);
  const rows = await deps.operations.store.listRows(id, limit, after, status);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.index]);
  return { items: items.map(({ index, status, input, answer }) => ({ index, status, input, answer })), nextCursor };
}

async function findVisible(deps: OperationDeps, ctx: RequestContext, id: string): Promise<OperationRow> {
  const operation = await deps.operations.store.find(id);
  if (operation === undefined || !maySee(ctx.actor, operation.actor))
    throw new AppError("NOT_FOUND", `There is no operation ${id}.`);
  return operation;
}

function maySee(actor: Actor, starter: Actor): boolean {
  if (["admin", "regulator", "evaluator"].includes(actor.role)) return true;
  if (actor.keyId === starter.keyId) return true;
  if (actor.role !== starter.role || actor.role === "integrator") return false;
  return actor.supplierDid === starter.supplierDid && actor.implementerDid === starter.implementerDid;
}

function toOperation(row: OperationRow, obstacle: RuleDetail | undefined): Operation {
  const { id, type, status, done, total, failed } = row;
  const times = { createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
  const operation: Operation = { id, type, status, progress: { done, total, failed }, ...times };
  if (row.waitsUntil !== null) operation.waitsUntil = row.waitsUntil.toISOString();
  if (obstacle !== undefined && row.status === "running" && row.waitsUntil === null) operation.waitsFor = obstacle;
  if (row.result !== null) operation.result = row.result;
  if (row.error !== null) operation.error = row.error;
  return operation;
}
