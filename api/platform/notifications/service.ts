import { randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import { followerOf } from "../events/index.ts";
import type { Actor, RequestContext } from "../http/index.ts";
import { checkOutboundUrl, OutboundError } from "../outbound/index.ts";
import type { NotificationDeps } from "./deps.ts";
import type {
  NewNotification,
  Notification,
  NotificationChange,
  NotificationChannels,
  NotificationOutcome,
} from "./schemas.ts";
import type { NewNotice, SubscriptionRow } from "./tables.ts";
import { languages } from "./texts.ts";
import { topics } from "./topics.ts";

const MAX_SUBSCRIPTIONS_PER_KEY = 10;
/** Most open questions to one address by all keys together, so that nobody's mailbox is filled through this service. */
const MAX_UNCONFIRMED_PER_ADDRESS = 3;

/** Describe how this system can notify people. */
export function notificationChannels({ notifications }: NotificationDeps): NotificationChannels {
  return {
    email: notifications.mailer !== undefined,
    push: { publicKey: notifications.pusher.publicKey },
    topics: [...topics],
    languages: [...languages],
  };
}

/**
 * Notify the caller of what waits, from now on. An e-mail address must be confirmed by its owner first. A repeated request for the
 * same address changes the topics and the language of the existing subscription.
 * @throws AppError FORBIDDEN for a session; CONFLICT with the broken limit; RULE_VIOLATION for an address that may not be called
 */
export async function subscribe(
  deps: NotificationDeps,
  ctx: RequestContext,
  input: NewNotification,
): Promise<Notification> {
  requireLastingKey(ctx.actor);
  const { store, box, follower, sender } = deps.notifications;
  const address = input.channel === "email" ? input.email.toLowerCase() : pushAddressOf(input.push);
  if (input.channel === "email") requireMailer(deps);
  else checkEndpoint(deps, input.push.endpoint);
  const addressHash = box.hash(address);
  const known = await store.findByAddress(ctx.actor.keyId, addressHash);
  if (known !== undefined) return await renew(deps, known, input);
  await refuseBrokenLimits(deps, ctx.actor.keyId, addressHash);
  const now = deps.clock.now();
  const row: SubscriptionRow = {
    id: `ns_${randomBytes(8).toString("hex")}`,
    channel: input.channel,
    sealedAddress: box.seal(address),
    addressHash,
    topics: input.topics,
    language: input.language,
    status: input.channel === "email" ? "unconfirmed" : "active",
    confirmedAt: input.channel === "email" ? null : now,
    ...followerOf(ctx.actor, (await deps.chain.latest()).number),
    createdAt: now,
    nextAttemptAt: now,
    attempts: 0,
    lastError: null,
  };
  const isNew = await store.insert(row, input.channel === "email" ? [confirmation(row, now)] : []);
  // Two equal requests came together.
  if (!isNew) return await subscribe(deps, ctx, input);
  follower.refresh();
  sender.wake();
  return show(deps, row);
}

/** List the caller's subscriptions, oldest first. */
export async function listSubscriptions(
  deps: NotificationDeps,
  ctx: RequestContext,
): Promise<{ items: Notification[] }> {
  if (ctx.actor.sessionId !== undefined) return { items: [] };
  const rows = await deps.notifications.store.listOf(ctx.actor.keyId);
  return { items: rows.map((row) => show(deps, row)) };
}

/** Change what a subscription is about. @throws AppError NOT_FOUND */
export async function changeSubscription(
  deps: NotificationDeps,
  ctx: RequestContext,
  id: string,
  { topics: chosen, language }: NotificationChange,
): Promise<Notification> {
  const row = await find(deps, ctx, id);
  return await change(deps, row, {
    ...(chosen === undefined ? {} : { topics: chosen }),
    ...(language === undefined ? {} : { language }),
  });
}

/** End a subscription, and delete its address. @throws AppError NOT_FOUND */
export async function endSubscription(deps: NotificationDeps, ctx: RequestContext, id: string): Promise<Notification> {
  const row = await find(deps, ctx, id);
  await deps.notifications.store.remove(id);
  deps.notifications.follower.refresh();
  return show(deps, row);
}

/** Confirm an e-mail address, by the link that was sent to it. @throws AppError NOT_FOUND for a link that is not valid */
export async function confirmAddress(deps: NotificationDeps, token: string): Promise<NotificationOutcome> {
  const { store, follower, tokens } = deps.notifications;
  const id = tokens.read(token, "confirm");
  const { number } = await deps.chain.latest();
  const isConfirmed = id !== undefined && (await store.confirm(id, { throughBlock: number, now: deps.clock.now() }));
  // The link may be opened twice.
  const isActive = isConfirmed || (id !== undefined && (await store.find(id))?.status === "active");
  if (!isActive) throw invalidLink();
  follower.refresh();
  return { status: "active" };
}

/** End a subscription by the link in its messages. It may have ended before. @throws AppError NOT_FOUND for a link that is not valid */
export async function endByLink(deps: NotificationDeps, token: string): Promise<NotificationOutcome> {
  const { store, follower, tokens } = deps.notifications;
  const id = tokens.read(token, "end");
  if (id === undefined) throw invalidLink();
  await store.remove(id);
  follower.refresh();
  return { status: "ended" };
}

function invalidLink(): AppError {
  return new AppError("NOT_FOUND", "This link is not valid any more. Ask for notifications again in the console.");
}

/** Refuse sessions: notifications continue after a session ends. */
function requireLastingKey({ sessionId }: Actor): void {
  if (sessionId === undefined) return;
  const message = "Notifications need an API key, as an invitation link gives one; a wallet's session ends too soon.";
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "lasting-key", message }] });
}

function requireMailer({ notifications }: NotificationDeps): void {
  if (notifications.mailer !== undefined) return;
  const message = "This system sends no e-mail: its operator has not configured a mail server (SMTP_URL).";
  throw new AppError("RULE_VIOLATION", message, { details: [{ path: "channel", rule: "mail-server", message }] });
}

function checkEndpoint({ notifications }: NotificationDeps, endpoint: string): void {
  try {
    checkOutboundUrl(endpoint, notifications.outbound);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const message = `The push service's URL ${error.message}.`;
    const details = [{ path: "push.endpoint", rule: "public-address", message }];
    throw new AppError("RULE_VIOLATION", message, { details });
  }
}

async function refuseBrokenLimits(deps: NotificationDeps, keyId: string, addressHash: string): Promise<void> {
  const { store } = deps.notifications;
  const [own, unconfirmed] = await Promise.all([store.countOf(keyId), store.countUnconfirmed(addressHash)]);
  const details = [
    ...(own < MAX_SUBSCRIPTIONS_PER_KEY
      ? []
      : [{ rule: "subscriptions-per-key", message: `A key can have ${MAX_SUBSCRIPTIONS_PER_KEY} subscriptions.` }]),
    ...(unconfirmed < MAX_UNCONFIRMED_PER_ADDRESS
      ? []
      : [{ rule: "unconfirmed-address", message: "This address was asked several times and has not confirmed." }]),
  ];
  const [first] = details;
  if (first !== undefined) throw new AppError("CONFLICT", first.message, { details });
}

/** Take the new choices of a repeated request; a failed address is tried again. */
async function renew(deps: NotificationDeps, row: SubscriptionRow, input: NewNotification): Promise<Notification> {
  const again =
    row.status === "failed"
      ? {
          status: row.confirmedAt === null ? ("unconfirmed" as const) : ("active" as const),
          attempts: 0,
          lastError: null,
          nextAttemptAt: deps.clock.now(),
        }
      : {};
  return await change(deps, row, { topics: input.topics, language: input.language, ...again });
}

async function change(
  deps: NotificationDeps,
  row: SubscriptionRow,
  values: Partial<SubscriptionRow>,
): Promise<Notification> {
  const { store, follower, sender } = deps.notifications;
  if (Object.keys(values).length > 0) await store.change(row.id, values);
  follower.refresh();
  sender.wake();
  return show(deps, { ...row, ...values });
}

async function find(deps: NotificationDeps, ctx: RequestContext, id: string): Promise<SubscriptionRow> {
  const row = await deps.notifications.store.find(id);
  if (row === undefined || row.keyId !== ctx.actor.keyId || ctx.actor.sessionId !== undefined) {
    throw new AppError("NOT_FOUND", `There is no subscription ${id}.`);
  }
  return row;
}

function confirmation({ id }: SubscriptionRow, now: Date): NewNotice {
  return { subscriptionId: id, eventId: "confirm", type: "address.confirm", subject: "", occurredAt: now, dueAt: now };
}

function pushAddressOf({ endpoint, keys }: { endpoint: string; keys: { p256dh: string; auth: string } }): string {
  return JSON.stringify({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } });
}

function show({ notifications }: NotificationDeps, row: SubscriptionRow): Notification {
  const address = notifications.box.open(row.sealedAddress);
  const { id, channel, topics: chosen, language, status, lastError, createdAt } = row;
  return {
    id,
    channel,
    address: channel === "email" ? address : new URL(JSON.parse(address).endpoint).host,
    topics: chosen,
    language,
    status: status === "withdrawn" ? "failed" : status,
    lastError,
    createdAt: createdAt.toISOString(),
  };
}
