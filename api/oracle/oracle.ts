import type { Server as HttpServer } from "node:http";
import type { Resolvable } from "did-resolver";
import type { Hono } from "hono";
import pg from "pg";
import type { Server } from "socket.io";
import { english, generateMnemonic } from "viem/accounts";
import type { CoreDeps } from "../platform/core.ts";
import type { AppEnv } from "../platform/http/context.ts";
import type { ServiceIdentity } from "../platform/identity/identity.ts";
import { loadOrCreateSecretText } from "../platform/secrets.ts";
import type { OpenAuthority } from "../platform/ucan/authority.ts";
import { createSignatureVerifier } from "../platform/ucan/token/signatures.ts";
import { readDidRegistry, withRegisteredKeys } from "./auth/did-keys.ts";
import { TokenVerifier } from "./auth/tokens.ts";
import { beginSpokenTurns } from "./calls/agent/begin.ts";
import type { CallAgents } from "./calls/agent/call-agents.ts";
import { LiveCalls } from "./calls/live-calls.ts";
import type { OracleRuntimeConfig } from "./configuration.ts";
import { type Delegations, openDelegations } from "./delegations/delegations.ts";
import type { Fetch } from "./facade.ts";
import { createMessageStore, type MessageStore } from "./messages/message-store.ts";
import { freeOfCharge, type RequirePayment } from "./payments/admission.ts";
import { Runs } from "./runs/runs.ts";
import { createSessionStore, type SessionStore } from "./sessions/session-store.ts";
import { createBus, createSocketServer } from "./sockets/bus.ts";
import { ClientCalls } from "./sockets/client-calls.ts";
import { serveSockets } from "./sockets/sockets.ts";
import type { Agent } from "./turn.ts";

/** Routes of a plugin, mounted at the root behind the oracle's authentication. */
export type PluginRoutes = {
  app: Hono<AppEnv>;
  /** Those that need no header, as `GET /path`. */
  publicRoutes: readonly string[];
};

/** Everything of the runtime that a request may need. */
export type Oracle = {
  name: string;
  /** The `id` of `/.well-known/did.json`. */
  did: string;
  audiences: readonly string[];
  clock: CoreDeps["clock"];
  /** How long a client has to answer a call, in milliseconds. */
  clientCallMs: number;
  agent: Agent;
  auth: { tokens: TokenVerifier; loaded: boolean };
  sessions: SessionStore;
  messages: MessageStore;
  runs: Runs;
  calls: ClientCalls;
  liveCalls: LiveCalls;
  delegations: Delegations;
  requirePayment: RequirePayment;
  pluginRoutes: readonly PluginRoutes[];
  io: Server;
  /** Gives the agent's tools the app that they call the REST facade of. */
  attachApi: (fetch: Fetch) => void;
  /** Serve sockets beside the HTTP server's routes. */
  attach: (server: HttpServer) => void;
  /** End all turns of this process, with what they said so far; their streams end with it, and its sockets are let go. */
  stop: () => Promise<void>;
  close: () => Promise<void>;
};

export type OracleDeps = Pick<
  CoreDeps<OracleRuntimeConfig>,
  "config" | "db" | "exclusive" | "rateLimiter" | "clock" | "log"
> & {
  identity: Pick<ServiceIdentity, "did" | "audiences">;
  authority: Pick<OpenAuthority, "revocations">;
  /** Resolves did:web and did:ethr. */
  resolver: Resolvable;
  agent: Agent;
  pluginRoutes?: readonly PluginRoutes[];
  requirePayment?: RequirePayment;
  attachApi?: (fetch: Fetch) => void;
  callAgents?: CallAgents;
};

/** Open the runtime; turns that an earlier process left are ended before this resolves. */
export async function openOracle(deps: OracleDeps): Promise<Oracle> {
  const { config, db, exclusive, clock, log, identity, authority, agent } = deps;
  const { name, clientCallMs, mnemonic, didRegistry } = config.oracle;
  if (mnemonic.kind === "made") await loadOrCreateSecretText(config.dataDir, "oracle", () => generateMnemonic(english));
  const { audiences } = identity;
  const resolver = withRegisteredKeys({ ...deps, registry: await readDidRegistry(didRegistry) });
  const signatures = createSignatureVerifier(resolver);
  const tokens = new TokenVerifier({ signatures, revocations: authority.revocations, audiences, clock });
  // Connections of its own: one of them only listens.
  const pool = exclusive ? undefined : new pg.Pool({ connectionString: config.databaseUrl, max: 4 });
  pool?.on("error", (error) => log.error({ err: error }, "the sockets' connection to the database failed"));
  const io = createSocketServer(pool, log);
  const bus = createBus(io, exclusive);
  const runs = new Runs({ db, exclusive, clock, log, bus });
  runs.tellSockets = (sessionId, eventName, payload) => void io.to(sessionId).emit("event", { eventName, payload });
  runs.announce = (run) => void io.to(run.sessionId).emit("run", run);
  const sessions = createSessionStore(db);
  const calls = new ClientCalls(bus);
  const { ice } = config.oracle;
  const liveCalls = new LiveCalls({ db, processId: runs.processId, exclusive, io, bus, clock, log, ice });
  const auth = { tokens, loaded: mnemonic.kind !== "blank" };
  const { rateLimiter } = deps;
  const sockets = serveSockets({ io, auth, sessions, calls, liveCalls, config, rateLimiter, clock, log });
  await Promise.all([runs.ready, liveCalls.ready]);
  const oracle: Oracle = {
    ...{ name, did: identity.did, audiences, clock, clientCallMs, agent, auth, sessions, runs, calls, liveCalls, io },
    messages: createMessageStore(db),
    delegations: openDelegations({ db, tokens, audiences, clock }),
    requirePayment: deps.requirePayment ?? freeOfCharge,
    pluginRoutes: deps.pluginRoutes ?? [],
    attachApi: deps.attachApi ?? (() => {}),
    attach: sockets.attach,
    stop: async () => {
      await deps.callAgents?.close();
      await runs.stop();
      // A server that closes waits for them, for ever.
      io.local.disconnectSockets(true);
    },
    close: async () => {
      await liveCalls.close();
      await runs.close();
      await sockets.close();
      await pool?.end();
    },
  };
  deps.callAgents?.start({ calls: liveCalls, did: identity.did, begin: beginSpokenTurns(oracle) });
  return oracle;
}
