import { randomUUID } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import type { Server } from "socket.io";
import { english, generateMnemonic } from "viem/accounts";
import { loadOrCreateSecretText } from "../platform/secrets.ts";
import { createSignatureVerifier } from "../platform/ucan/index.ts";
import { type Delegations, openDelegations } from "./auth/delegations.ts";
import { readDidRegistry, withRegisteredKeys } from "./auth/did-keys.ts";
import { TokenVerifier } from "./auth/tokens.ts";
import { CallAgents } from "./calls/agent/call-agents.ts";
import type { SpeechOptions } from "./calls/agent/speech-api.ts";
import { LiveCalls } from "./calls/live-calls.ts";
import type { OracleConfig } from "./configuration.ts";
import type { OracleDeps, OracleSettings } from "./deps.ts";
import type { LimitStreamsDeps } from "./http/limit-streams.ts";
import type { CallerDeps } from "./http/require-caller.ts";
import { serveSockets } from "./http/sockets/serve-sockets.ts";
import { type ConnectionLimits, UserConnectionLimit } from "./http/user-connection-limit.ts";
import { TokenWatch } from "./http/watch-tokens.ts";
import { releaseCharge } from "./payments/claim-store.ts";
import { freeOfCharge, type RequirePayment } from "./runs/admission.ts";
import { Runs } from "./runs/runs.ts";
import { type SendMessage, sendMessage } from "./runs/send-message.ts";
import { createMessageStore, type MessageStore } from "./sessions/message-store.ts";
import { createSessionStore, type SessionStore } from "./sessions/session-store.ts";
import { requireSession, sessionNotFound } from "./sessions/sessions.ts";
import { createBus, createSocketPool, createSocketServer, whenListening } from "./wire/bus.ts";
import { ClientCalls } from "./wire/client-calls.ts";
import type { Agent } from "./wire/turn.ts";

/** Conversations of users with an agent, over HTTP, sockets and live calls. */
export type Conversations = CallerDeps &
  LimitStreamsDeps & {
    name: string;
    /** The oracle's DID: the `id` of `/.well-known/did.json`. */
    did: string;
    db: OracleDeps["db"];
    clock: OracleDeps["clock"];
    agent: Agent;
    sessions: SessionStore;
    messages: MessageStore;
    /** Counts the open sockets. */
    sockets: Pick<UserConnectionLimit, "open">;
    runs: Runs;
    liveCalls: LiveCalls;
    delegations: Delegations;
    sendMessage: SendMessage;
    /** End what runs in the session, delete it, and disconnect its sockets. @throws AppError NOT_FOUND */
    deleteSession: (sessionId: string, userDid: string) => Promise<void>;
    /** Send an event to the session's sockets. */
    emitToSession: (sessionId: string, eventName: string, payload: object) => void;
    /** Serve sockets on the HTTP server. */
    attach: (server: HttpServer) => void;
    /** End this process's turns, keep their text so far, end their streams and disconnect its sockets. */
    stop: () => Promise<void>;
    close: () => Promise<void>;
  };

export type ConversationsDeps = Pick<
  OracleDeps,
  "db" | "exclusive" | "rateLimiter" | "clock" | "log" | "workers" | "resolver"
> & {
  config: Pick<OracleSettings, "dataDir" | "databaseUrl" | "trustProxy" | "oracle">;
  identity: Pick<OracleDeps["identity"], "did" | "audiences">;
  authority: Pick<OracleDeps["authority"], "revocations">;
  agent: Agent;
  /** By default every message is free. */
  requirePayment?: RequirePayment | undefined;
  /** How the agent hears and speaks in live calls. Undefined if it takes no calls. */
  speech?: SpeechOptions | undefined;
  /** How often the tokens of open sockets are checked, in milliseconds. Undefined: every 15 seconds. */
  tokenCheckMs?: number | undefined;
  /** How many streams, and how many sockets, a user and an address may have open. Undefined: as documented. */
  connectionLimits?: ConnectionLimits | undefined;
};

/** Open the conversations. Before this resolves, it ends the turns that an earlier process left open. */
export async function openConversations(deps: ConversationsDeps): Promise<Conversations> {
  const { config, db, exclusive, clock, log, workers, identity, agent, rateLimiter } = deps;
  const { name, clientCallMs, mnemonic, ice, requestsPerMinute, newUsersPerMinute } = config.oracle;
  const { did } = identity;
  const limits = { requestsPerMinute, newUsersPerMinute };
  const tokens = await openTokens(deps);
  const auth = { tokens, loaded: mnemonic.kind !== "blank" };
  const delegations = openDelegations({ db, tokens, audiences: identity.audiences, clock });
  const sessions = createSessionStore(db);

  const pool = exclusive ? undefined : createSocketPool(config.databaseUrl, log);
  const io = createSocketServer(pool, log);
  const bus = createBus(io, exclusive);
  const emitToSession: Conversations["emitToSession"] = (sessionId, eventName, payload) =>
    void io.to(sessionId).emit("event", { eventName, payload });
  const announce = (run: { sessionId: string }) => void io.to(run.sessionId).emit("run", run);
  const runs = new Runs({ db, exclusive, clock, log, workers, bus, emitToSession, announce, releaseCharge });

  const clientCalls = new ClientCalls(bus);
  const { requirePayment = freeOfCharge } = deps;
  const turnDeps = { agent, runs, sessions, delegations, requirePayment, io, clientCalls, clientCallMs };
  const send: SendMessage = (caller, sessionId, message) => sendMessage(turnDeps, caller, sessionId, message);

  const callAgents = openCallAgents(deps, send);
  const { processId } = runs;
  const liveCalls = new LiveCalls({
    db,
    processId,
    exclusive,
    io,
    bus,
    clock,
    log,
    workers,
    ice,
    agent: callAgents?.join,
  });
  const watch = new TokenWatch({ auth, workers, checkMs: deps.tokenCheckMs });
  deps.authority.revocations.onCommitted(() => {
    watch.checkNow();
    bus.publish("revoked", {});
  });
  bus.on("revoked", () => watch.checkNow());
  const { trustProxy } = config;
  const places = new UserConnectionLimit("sockets", deps.connectionLimits);
  const sockets = serveSockets({
    io,
    auth,
    sessions,
    clientCalls,
    liveCalls,
    places,
    trustProxy,
    rateLimiter,
    limits,
    clock,
    log,
    watch,
  });
  await Promise.all([runs.ready, liveCalls.ready, whenListening(pool, log)]);

  return {
    name,
    did,
    db,
    clock,
    agent,
    auth,
    rateLimiter,
    limits,
    streams: new UserConnectionLimit("streams", deps.connectionLimits),
    watch,
    sessions,
    messages: createMessageStore(db),
    sockets: places,
    runs,
    liveCalls,
    delegations,
    sendMessage: send,
    deleteSession: (sessionId, userDid) => deleteSession({ sessions, runs, liveCalls, io }, sessionId, userDid),
    emitToSession,
    attach: sockets.attach,
    stop: async () => {
      await callAgents?.close();
      await runs.stop();
      // An HTTP server that closes would wait for open sockets for ever.
      io.local.disconnectSockets(true);
    },
    close: async () => {
      await liveCalls.close();
      await runs.close();
      await watch.close();
      await sockets.close();
      await pool?.end();
    },
  };
}

async function openTokens(deps: ConversationsDeps): Promise<TokenVerifier> {
  const { config, identity, authority, clock } = deps;
  await createMnemonic(config.oracle.mnemonic, config.dataDir);
  const resolver = withRegisteredKeys({ ...deps, registry: await readDidRegistry(config.oracle.didRegistry) });
  const signatures = createSignatureVerifier(resolver);
  const { audiences } = identity;
  return new TokenVerifier({ signatures, revocations: authority.revocations, audiences, clock });
}

async function createMnemonic({ kind }: OracleConfig["mnemonic"], dataDir: string): Promise<void> {
  if (kind === "made") await loadOrCreateSecretText(dataDir, "oracle", () => generateMnemonic(english));
}

function openCallAgents({ speech, identity, log }: ConversationsDeps, send: SendMessage): CallAgents | undefined {
  if (speech === undefined) return undefined;
  return new CallAgents({
    did: identity.did,
    speech,
    log,
    startTurn: async ({ user, sessionId, callId, message }) => {
      const input = { message, attachments: [], clientTools: [], requestId: randomUUID(), metadata: { callId } };
      // The user's stored delegation applies, as for any message without one.
      const { run, ended } = await send({ did: user, delegation: null }, sessionId, input);
      return { text: () => run.text, ended };
    },
  });
}

type DeleteSessionDeps = Pick<Conversations, "sessions" | "runs" | "liveCalls"> & { io: Server };

async function deleteSession(deps: DeleteSessionDeps, id: string, userDid: string): Promise<void> {
  const { sessions, runs, liveCalls, io } = deps;
  await requireSession(deps, id, userDid);
  await runs.abortAndWait(id);
  await liveCalls.endOf(id);
  if (!(await sessions.remove(id, userDid))) throw sessionNotFound();
  io.in(id).disconnectSockets(true);
}
