import { randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import { followerOf } from "../events/index.ts";
import { type Actor, decodeCursor, type RequestContext, requireScope, toPage } from "../http/index.ts";
import { changeOnce } from "../idempotency/index.ts";
import { checkOutboundUrl, OutboundError } from "../outbound/index.ts";
import type { WebhookDeps } from "./deps.ts";
import type { CreatedWebhook, Delivery, DeliveryQuery, NewWebhook, ReplayRequest, Webhook } from "./schemas.ts";
import { createSecret } from "./signature.ts";
import type { DeliveryRow, WebhookRow } from "./tables.ts";

export const WEBHOOK_SCOPE = "webhooks:write";
const MAX_WEBHOOKS_PER_KEY = 20;
type Page<T> = { items: T[]; nextCursor: string | null };

/**
 * Create a webhook that sends the key's events to a URL from now on, once for a request with an Idempotency-Key. Nothing keeps a
 * secret that was made here for the response, so a repeat after a kill that came before it makes another one for the same webhook.
 * @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION
 */
export async function createWebhook(
  deps: WebhookDeps,
  ctx: RequestContext,
  input: NewWebhook,
): Promise<CreatedWebhook> {
  requireScope(ctx.actor, WEBHOOK_SCOPE);
  requireLastingKey(ctx.actor);
  const { store, follower, box, outbound } = deps.webhooks;
  const secret = input.secret ?? createSecret();
  const sealedSecret = box.seal(secret);
  let stored: WebhookRow | undefined;
  const id = await changeOnce(
    deps.db,
    ctx,
    async () => {
      await refuseTooMany(deps, ctx.actor);
      checkUrl(input.url, outbound);
      const row: WebhookRow = {
        id: `wh_${randomBytes(8).toString("hex")}`,
        url: input.url,
        events: input.events.flatMap((type) => (type === "*" ? [] : [type])),
        sealedSecret,
        status: "active",
        ...followerOf(ctx.actor, (await deps.chain.latest()).number),
        createdAt: deps.clock.now(),
      };
      if (input.events.includes("*")) row.events = [];
      return async (tx) => {
        await store.insert(tx, row);
        stored = row;
        return row.id;
      };
    },
    async (tx, made) => {
      stored = await store.replaceSecret(tx, made, sealedSecret);
      if (stored === undefined) throw new AppError("CONFLICT", `The webhook ${made} was ended meanwhile.`);
      return made;
    },
  );
  if (stored === undefined) throw new Error(`The webhook ${id} is not stored.`);
  follower.refresh();
  return { ...show(stored), ...(input.secret === undefined ? { secret } : {}) };
}

async function refuseTooMany({ webhooks }: WebhookDeps, { keyId }: Actor): Promise<void> {
  if ((await webhooks.store.countOf(keyId)) < MAX_WEBHOOKS_PER_KEY) return;
  const message = `A key can have ${MAX_WEBHOOKS_PER_KEY} webhooks.`;
  throw new AppError("CONFLICT", message, { details: [{ rule: "webhooks-per-key", message }] });
}

/** Refuse sessions: a webhook needs a key, because it continues after a session ends. @throws AppError */
function requireLastingKey({ sessionId }: Actor): void {
  if (sessionId === undefined) return;
  const message = "A webhook needs an API key; a wallet's session ends too soon.";
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "lasting-key", message }] });
}

export async function listWebhooks(
  deps: WebhookDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<Webhook>> {
  requireScope(ctx.actor, WEBHOOK_SCOPE);
  const after = decodeCursor(query.cursor)?.[0];
  const { store } = deps.webhooks;
  const keyId = ctx.actor.role === "admin" ? undefined : ctx.actor.keyId;
  const rows = await store.list(query.limit + 1, after === undefined ? undefined : String(after), keyId);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.id]);
  return { items: items.map(show), nextCursor };
}

/** Read a webhook. @throws AppError NOT_FOUND */
export async function getWebhook(deps: WebhookDeps, ctx: RequestContext, id: string): Promise<Webhook> {
  return show(await find(deps, ctx, id));
}

/** Delete a webhook and its pending deliveries. @throws AppError NOT_FOUND */
export async function deleteWebhook(deps: WebhookDeps, ctx: RequestContext, id: string): Promise<Webhook> {
  const row = await find(deps, ctx, id);
  await deps.webhooks.store.remove(id);
  deps.webhooks.follower.refresh();
  return show(row);
}

/** List deliveries, newest first. @throws AppError NOT_FOUND */
export async function listDeliveries(
  deps: WebhookDeps,
  ctx: RequestContext,
  id: string,
  query: DeliveryQuery,
): Promise<Page<Delivery>> {
  await find(deps, ctx, id);
  const before = decodeCursor(query.cursor)?.[0];
  const { store } = deps.webhooks;
  const last = before === undefined ? undefined : Number(before);
  const rows = await store.deliveries(id, query.limit + 1, Number.isSafeInteger(last) ? last : undefined, query.status);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.id]);
  return { items: items.map(serializeDelivery), nextCursor };
}

/** Send finished deliveries again, the same bytes under a new signature. @throws AppError NOT_FOUND */
export async function replayDeliveries(
  deps: WebhookDeps,
  ctx: RequestContext,
  id: string,
  { since, status }: ReplayRequest,
): Promise<{ requeued: number }> {
  await find(deps, ctx, id);
  const { store, sender } = deps.webhooks;
  const requeued = await store.requeue(id, deps.clock.now(), {
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(status === "all" ? {} : { status }),
  });
  sender.wake();
  return { requeued };
}

async function find(deps: WebhookDeps, ctx: RequestContext, id: string): Promise<WebhookRow> {
  requireScope(ctx.actor, WEBHOOK_SCOPE);
  const row = await deps.webhooks.store.find(id);
  const isOwn = row?.keyId === ctx.actor.keyId || ctx.actor.role === "admin";
  if (!row || !isOwn) throw new AppError("NOT_FOUND", `There is no webhook ${id}.`);
  return row;
}

function checkUrl(url: string, outbound: Parameters<typeof checkOutboundUrl>[1]): void {
  try {
    checkOutboundUrl(url, outbound);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const message = `The URL ${error.message}.`;
    throw new AppError("RULE_VIOLATION", message, { details: [{ path: "url", rule: "public-address", message }] });
  }
}

function show({ id, url, events, status, createdAt }: WebhookRow): Webhook {
  return { id, url, events: events.length === 0 ? ["*"] : events, status, createdAt: createdAt.toISOString() };
}

function serializeDelivery(row: DeliveryRow): Delivery {
  const { eventId, type, status, attempts, lastStatus, lastError, nextAttemptAt, createdAt, deliveredAt } = row;
  return {
    eventId,
    type,
    status,
    attempts,
    nextAttemptAt: status === "pending" ? nextAttemptAt.toISOString() : null,
    lastStatus,
    lastError,
    createdAt: createdAt.toISOString(),
    deliveredAt: deliveredAt?.toISOString() ?? null,
  };
}
