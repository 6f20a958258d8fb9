import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { type AppEnv, createRouter, errorResponses, everyRole, requestContext } from "../http/index.ts";
import type { EventDeps } from "./deps.ts";
import { EVENT_SCOPE, openEventStream } from "./stream.ts";
import { type EventType, eventTypes } from "./types.ts";

/** Interval of heartbeats that keep proxies from closing a quiet stream, in milliseconds. */
const HEARTBEAT_MS = 15_000;

const types = z
  .string()
  .max(1000)
  .transform((text, ctx): EventType[] => {
    const named = text.split(",");
    const unknown = named.filter((name) => !eventTypes.some((type) => type === name));
    for (const name of unknown) {
      ctx.addIssue({ code: "custom", message: `There is no event type ${name}.`, params: { rule: "event-type" } });
    }
    return named as EventType[];
  });

const stream = createRoute({
  method: "get",
  path: "/events",
  callers: everyRole(EVENT_SCOPE),
  tags: ["Events"],
  summary: "Follow what happens, as server-sent events",
  description:
    "Events of the key's own DIDs, in the chain's order. Send the last `id` as Last-Event-ID (or `lastEventId`) to " +
    "continue exactly there; without it the stream starts with what happens next. An event may come twice after the " +
    "chain was reorganised: its message then has the same `id`. A key can have 32 streams open; the next one answers 429.",
  request: {
    query: z.object({
      types: types.optional().openapi({ type: "string", description: "Comma-separated event types; absent: all." }),
      lastEventId: z.string().max(64).optional(),
    }),
    headers: z.object({ "last-event-id": z.string().max(64).optional() }),
  },
  responses: {
    200: { description: "A stream of events", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses(400, 403),
  },
});

/** Create the route of the event stream. */
export function eventRoutes(deps: EventDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(stream, async (c) => {
    const { types, lastEventId } = c.req.valid("query");
    const aborter = new AbortController();
    const signal = AbortSignal.any([aborter.signal, deps.events.stopping]);
    const options = { lastEventId: c.req.header("last-event-id") ?? lastEventId, types, signal };
    const events = await openEventStream(deps, requestContext(c), options);
    c.header("X-Accel-Buffering", "no");
    return streamSSE(c, async (sse) => {
      sse.onAbort(() => aborter.abort());
      const heart = setInterval(() => void beat(deps, c, sse, aborter), HEARTBEAT_MS);
      try {
        await sse.write(": connected\n\n");
        for await (const { position, message } of events) {
          await sse.writeSSE({ id: position, event: message.type, data: JSON.stringify(message) });
        }
      } finally {
        clearInterval(heart);
        aborter.abort();
      }
    });
  });
}

async function hasEnded(deps: EventDeps, c: Context<AppEnv>): Promise<boolean> {
  const { actor } = c.var;
  if (actor.sessionId !== undefined) return !(await deps.sessions.verifier.isInForce(actor.sessionId));
  const key = await deps.keys.store.find(actor.keyId);
  if (key === undefined) return false;
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= deps.clock.now());
}

/** Send heartbeats until the key is revoked or the session ends. */
async function beat(
  deps: EventDeps,
  c: Context<AppEnv>,
  sse: SSEStreamingApi,
  aborter: AbortController,
): Promise<void> {
  try {
    if (await hasEnded(deps, c)) aborter.abort();
    else await sse.write(": still here\n\n");
  } catch (error) {
    deps.log.warn({ err: error }, "an event stream was ended");
    aborter.abort();
  }
}
