import type { Server as HttpServer } from "node:http";
import type { Server, Socket } from "socket.io";
import type { CoreDeps } from "../../../platform/core.ts";
import { AppError } from "../../../platform/errors.ts";
import { addressOf } from "../../../platform/http/client-address.ts";
import type { Log } from "../../../platform/log.ts";
import { type AuthenticateOptions, authenticate, meetFrom } from "../../auth/authenticate.ts";
import { type LiveCalls, roomOfParticipant } from "../../calls/live-calls.ts";
import { type CallSpeaker, serveCalls } from "../../calls/serve-calls.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import type { ClientCalls } from "../../wire/client-calls.ts";
import type { OracleRuntimeConfig } from "../../configuration.ts";
import { limitMessages } from "./limit-messages.ts";

export type SocketParts = {
  io: Server;
  auth: AuthenticateOptions;
  sessions: SessionStore;
  calls: ClientCalls;
  liveCalls: LiveCalls;
  config: CoreDeps<OracleRuntimeConfig>["config"];
  rateLimiter: CoreDeps["rateLimiter"];
  clock: { now: () => Date };
  log: Log;
};

type Known = { user: string; sessionId: string };
/** Somebody who was invited to a call, and knows nothing of its session. */
type Guest = { user: string; invitedTo: string };

/** Events that the server sends, as `list-events` tells them. */
const events = [
  ...["tool_call", "render_component", "browser_tool_call", "action_call", "message_cache_invalidation"],
  "confirmation_request",
];

/** The sockets of a session whose clients have said that they can ask their user. */
export const roomOfConfirmers = (sessionId: string) => `confirms ${sessionId}`;

/** Answer sockets: who may connect, what they ask, what they answer. A room is a session, or a participant of a call. */
export function serveSockets(parts: SocketParts): { attach: (server: HttpServer) => void; close: () => Promise<void> } {
  const { io, log } = parts;
  io.use((socket, next) => {
    admit(socket, parts).then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof Refusal)) log.error({ err: error }, "a socket could not be admitted");
        next(error instanceof Refusal ? error : new Error("Something went wrong on our side."));
      },
    );
  });
  io.on("connection", (socket) => {
    socket.use(limitMessages(socket));
    socket.use(passShallow);
    const speaker = socket.data as CallSpeaker;
    if ("sessionId" in speaker) {
      void socket.join(speaker.sessionId);
      hear(socket, parts);
    }
    serveCalls({ socket, calls: parts.liveCalls, speaker, log });
    greet(socket, parts);
  });
  let attached = false;
  const attach = (server: HttpServer) => {
    attached = true;
    io.attach(server);
  };
  // Without a server of its own it has nothing that it could close but the adapter.
  const close = async () => (attached ? await io.close() : await io.of("/").adapter.close());
  return { attach, close };
}

/** How deep what a client says may be nested: writing what is much deeper would break this process. */
const deepest = 200;

/** Lets an event pass that is not nested too deep; any other is answered with a refusal, where an answer is asked for. */
function passShallow([, ...given]: unknown[], next: () => void): void {
  const acknowledge = given.at(-1);
  const message = `A message is nested ${deepest} levels deep at most.`;
  if (!given.some(isDeep)) next();
  else if (typeof acknowledge === "function") acknowledge({ error: { code: "INVALID_INPUT", message } });
}

/** Told level by level: a function that calls itself would not come back either. */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null && !ArrayBuffer.isView(each) ? Object.values(each) : [],
    );
  }
  return false;
}

class Refusal extends Error {}

async function admit(socket: Socket, parts: SocketParts): Promise<void> {
  const { auth, sessions, liveCalls, config } = parts;
  const given = socket.handshake.auth as { invocation?: unknown; ucanDelegation?: unknown; callInvitation?: unknown };
  const artifacts = { invocation: textOf(given.invocation), delegation: textOf(given.ucanDelegation) };
  const { address: remote, headers } = socket.handshake;
  const forwarded = config.trustProxy ? headers["x-forwarded-for"] : undefined;
  const meet = () => meetFrom(addressOf(remote, forwarded?.toString()), parts);
  const caller = await authenticate(artifacts, { ...auth, meet, forgiveExpired: true }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw new Refusal(error.code === "RATE_LIMITED" ? error.message : `Unauthorized: ${error.message}`);
  });
  const invitation = textOf(given.callInvitation);
  if (invitation !== undefined) {
    await liveCalls.ofInvitation(invitation).catch((error: unknown) => {
      throw error instanceof AppError ? new Refusal(error.message) : error;
    });
    socket.data = { user: caller.did, invitedTo: invitation } satisfies Guest;
    return;
  }
  const { sessionId } = socket.handshake.query;
  if (typeof sessionId !== "string" || sessionId === "") throw new Refusal("Unauthorized: the query needs a sessionId");
  if ((await sessions.find(sessionId, caller.did)) === undefined) throw new Refusal(`Session ${sessionId} not found`);
  socket.data = { user: caller.did, sessionId } satisfies Known;
}

function greet(socket: Socket, { clock }: SocketParts): void {
  const { sessionId = "" } = socket.data as Partial<Known>;
  const message = "Connected to the oracle's events";
  socket.emit("connected", { message, sessionId, timestamp: clock.now().toISOString() });
}

function hear(socket: Socket, { io, calls, clock }: SocketParts): void {
  const { user, sessionId } = socket.data as Known;
  const timestamp = () => clock.now().toISOString();
  /** Answers by an event, and by the acknowledgement where one is asked for. */
  const answer = (event: string, payload: object, given: unknown[]) => {
    socket.emit(event, payload);
    const acknowledge = given.at(-1);
    if (typeof acknowledge === "function") acknowledge(payload);
  };
  socket.on("ping", (...given) => answer("pong", { timestamp: timestamp() }, given));
  socket.on("subscribe", (...given) => {
    const { events: wanted } = (given[0] ?? {}) as { events?: unknown };
    if (Array.isArray(wanted) && wanted.includes("confirmation_request")) void socket.join(roomOfConfirmers(sessionId));
    answer("subscribed", { sessionId, timestamp: timestamp() }, given);
  });
  socket.on("list-events", (...given) => answer("available-events", { events, timestamp: timestamp() }, given));
  socket.on("status", (...given) => {
    const { rooms, sids } = io.of("/").adapter;
    // Of this process; a socket is alone in the room of its own id, and in that of its place in a call.
    const others = [roomOfParticipant(""), roomOfConfirmers("")];
    const isSession = (room: string) => !sids.has(room) && !others.some((prefix) => room.startsWith(prefix));
    const activeSessions = [...rooms.keys()].filter(isSession).length;
    const totalConnections = sids.size;
    answer("status", { connected: true, sessionId, activeSessions, totalConnections, timestamp: timestamp() }, given);
  });
  for (const event of ["tool_result", "action_call_result", "confirmation_result"]) {
    socket.on(event, (message: unknown, ...given: unknown[]) => {
      calls.answer(user, sessionId, message);
      const acknowledge = given.at(-1);
      if (typeof acknowledge === "function") acknowledge({ received: true });
    });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
