import type { Server as HttpServer } from "node:http";
import type { Server, Socket } from "socket.io";
import { AppError } from "../../../platform/errors.ts";
import type { RateLimiter } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/log.ts";
import { holdsForbiddenText } from "../../../platform/values/json.ts";
import { addressOf } from "../../../platform/values/networks.ts";
import { type Artifacts, type AuthenticateOptions, authenticate, limitNewUsers } from "../../auth/authenticate.ts";
import { type LiveCalls, roomOfParticipant } from "../../calls/live-calls.ts";
import { type CallSpeaker, serveCalls } from "../../calls/serve-calls.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import { type ClientCalls, confirmationRoom } from "../../wire/client-calls.ts";
import { longestSessionId } from "../router.ts";
import type { UserConnectionLimit } from "../user-connection-limit.ts";
import type { TokenWatch } from "../watch-tokens.ts";
import { limitHandshakes } from "./limit-handshakes.ts";
import { limitMessages } from "./limit-messages.ts";

export type SocketDeps = {
  io: Server;
  auth: Pick<AuthenticateOptions, "tokens" | "loaded">;
  sessions: SessionStore;
  clientCalls: Pick<ClientCalls, "answer">;
  liveCalls: LiveCalls;
  places: UserConnectionLimit;
  /** Whether to read the client's address from X-Forwarded-For. */
  trustProxy: boolean;
  rateLimiter: RateLimiter;
  limits: { newUsersPerMinute: number };
  clock: { now: () => Date };
  log: Log;
  watch: Pick<TokenWatch, "add">;
};

/** The user of a session. */
type SessionUser = { user: string; sessionId: string };
/** A user who was invited to a call, without access to its session. */
type Guest = { user: string; invitedTo: string };

/** Events that the server sends; the answer to `list-events`. */
const events = [
  ...["tool_call", "render_component", "browser_tool_call", "action_call", "message_cache_invalidation"],
  "confirmation_request",
];

/** Handle socket connections and messages. A socket.io room is a session, or a participant of a call. */
export function serveSockets(deps: SocketDeps): {
  attach: (server: HttpServer) => void;
  close: () => Promise<void> | void;
} {
  const { io, log, places, watch } = deps;
  const handshakes = limitHandshakes(io, deps);
  const enter = async (socket: Socket) => {
    const artifacts = await admit(socket, deps);
    const { user } = socket.data as CallSpeaker;
    const leave = takePlace(places, user, addressOfSocket(socket, deps));
    // A client that left in the meantime is never connected, and so never disconnects.
    if (socket.conn.readyState !== "open") return leave();
    handshakes.admit(socket.conn);
    const unwatch = watch.add({ artifacts, endsWithToken: true, close: () => socket.conn.close() });
    socket.once("disconnect", () => {
      leave();
      unwatch();
      // There is only one namespace, so a connection that has left it is of no use.
      socket.conn.close();
    });
  };
  io.use((socket, next) => {
    enter(socket).then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof ConnectionRefusedError)) log.error({ err: error }, "a socket could not be admitted");
        next(error instanceof ConnectionRefusedError ? error : new Error("Something went wrong on our side."));
      },
    );
  });
  io.on("connection", (socket) => {
    socket.use(limitMessages(socket));
    socket.use(refuseDeep);
    const speaker = socket.data as CallSpeaker;
    if ("sessionId" in speaker) {
      void socket.join(speaker.sessionId);
      handleSession(socket, deps);
    }
    serveCalls({ socket, calls: deps.liveCalls, speaker, log });
    greet(socket, deps);
  });
  let attached = false;
  const attach = (server: HttpServer) => {
    attached = true;
    handshakes.attach(server);
  };
  // Without an HTTP server there is only the adapter to close.
  const close = () => (attached ? io.close() : io.of("/").adapter.close());
  return { attach, close };
}

/** Deepest nesting of a client's message: serializing a much deeper one would overflow the stack. */
const maxDepth = 200;

/** Drop messages that are nested too deeply. The acknowledgement, if one is requested, is an error. */
function refuseDeep([, ...given]: unknown[], next: () => void): void {
  const acknowledge = given.at(-1);
  const message = `A message may be nested at most ${maxDepth} levels deep.`;
  if (!given.some(isDeep)) next();
  else if (typeof acknowledge === "function") acknowledge({ error: { code: "INVALID_INPUT", message } });
}

/** Goes level by level, because a recursive function would overflow the stack too. */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null && !ArrayBuffer.isView(each) ? Object.values(each) : [],
    );
  }
  return false;
}

/** Refuses a connection; the client receives the message as `connect_error`. */
class ConnectionRefusedError extends Error {}

function addressOfSocket({ handshake }: Socket, { trustProxy }: Pick<SocketDeps, "trustProxy">): string {
  const { address, headers } = handshake;
  return addressOf(address, trustProxy ? headers["x-forwarded-for"]?.toString() : undefined);
}

/** @throws ConnectionRefusedError when the user or the address has too many sockets */
function takePlace(places: UserConnectionLimit, user: string, address: string): () => void {
  try {
    return places.take(user, address);
  } catch (error) {
    throw error instanceof AppError ? new ConnectionRefusedError(error.message) : error;
  }
}

/** Authenticate a connection, and find its session or call. @throws ConnectionRefusedError */
async function admit(socket: Socket, deps: SocketDeps): Promise<Artifacts> {
  const { auth, sessions, liveCalls } = deps;
  const given = socket.handshake.auth as { invocation?: unknown; ucanDelegation?: unknown; callInvitation?: unknown };
  const artifacts = { invocation: textOf(given.invocation), delegation: textOf(given.ucanDelegation) };
  const onNewUser = () => limitNewUsers(addressOfSocket(socket, deps), deps);
  const caller = await authenticate(artifacts, { ...auth, onNewUser, forgiveExpired: true }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw new ConnectionRefusedError(error.code === "RATE_LIMITED" ? error.message : `Unauthorized: ${error.message}`);
  });
  const invitation = textOf(given.callInvitation);
  if (invitation !== undefined) {
    await liveCalls.ofInvitation(invitation).catch((error: unknown) => {
      throw error instanceof AppError ? new ConnectionRefusedError(error.message) : error;
    });
    socket.data = { user: caller.did, invitedTo: invitation } satisfies Guest;
    return artifacts;
  }
  const { sessionId } = socket.handshake.query;
  if (typeof sessionId !== "string" || sessionId === "")
    throw new ConnectionRefusedError("Unauthorized: the query needs a sessionId");
  if (!isSessionId(sessionId) || (await sessions.find(sessionId, caller.did)) === undefined)
    throw new ConnectionRefusedError(`Session ${sessionId.slice(0, longestSessionId)} not found`);
  socket.data = { user: caller.did, sessionId } satisfies SessionUser;
  return artifacts;
}

function greet(socket: Socket, { clock }: SocketDeps): void {
  const { sessionId = "" } = socket.data as Partial<SessionUser>;
  const message = "Connected to the oracle's events";
  socket.emit("connected", { message, sessionId, timestamp: clock.now().toISOString() });
}

function handleSession(socket: Socket, { io, clientCalls, clock }: SocketDeps): void {
  const { user, sessionId } = socket.data as SessionUser;
  const timestamp = () => clock.now().toISOString();
  /** Respond with an event, and with the acknowledgement if one is requested. */
  const answer = (event: string, payload: object, given: unknown[]) => {
    socket.emit(event, payload);
    const acknowledge = given.at(-1);
    if (typeof acknowledge === "function") acknowledge(payload);
  };
  socket.on("ping", (...given) => answer("pong", { timestamp: timestamp() }, given));
  socket.on("subscribe", (...given) => {
    const { events: wanted } = (given[0] ?? {}) as { events?: unknown };
    if (Array.isArray(wanted) && wanted.includes("confirmation_request")) void socket.join(confirmationRoom(sessionId));
    answer("subscribed", { sessionId, timestamp: timestamp() }, given);
  });
  socket.on("list-events", (...given) => answer("available-events", { events, timestamp: timestamp() }, given));
  socket.on("status", (...given) => {
    const { rooms, sids } = io.of("/").adapter;
    // Counts this process only. Each socket also has a room with its id, and so have participants of calls.
    const others = [roomOfParticipant(""), confirmationRoom("")];
    const isSession = (room: string) => !sids.has(room) && !others.some((prefix) => room.startsWith(prefix));
    const activeSessions = [...rooms.keys()].filter(isSession).length;
    const totalConnections = sids.size;
    answer("status", { connected: true, sessionId, activeSessions, totalConnections, timestamp: timestamp() }, given);
  });
  for (const event of ["tool_result", "action_call_result", "confirmation_result"]) {
    socket.on(event, (message: unknown, ...given: unknown[]) => {
      clientCalls.answer(user, sessionId, message);
      const acknowledge = given.at(-1);
      if (typeof acknowledge === "function") acknowledge({ received: true });
    });
  }
}

/** Whether a session may have this id: no other text reaches the database. */
function isSessionId(text: string): boolean {
  return text.length <= longestSessionId && !holdsForbiddenText(text);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
