import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { DID, delegate } from "@ucanto/core";
import type { Capability, DID as Did, Signer } from "@ucanto/interface";
import type { Config } from "../../../api/config.ts";
import { type Conversations, type ConversationsDeps, openConversations } from "../../../api/oracle/conversations.ts";
import { mountConversations } from "../../../api/oracle/http/mount.ts";
import type { PluginRoutes } from "../../../api/oracle/plugins/host/plugin.ts";
import type { Agent } from "../../../api/oracle/wire/turn.ts";
import { createDidResolver, didKeyMethod } from "../../../api/platform/dids/did-resolution.ts";
import type { App } from "../../../api/platform/http/context.ts";
import { openIdentity, type ServiceIdentity } from "../../../api/platform/identity/identity.ts";
import type { Log } from "../../../api/platform/log.ts";
import type { CoreDeps, CoreOptions } from "../../../api/platform/server/core.ts";
import { type OpenAuthority, openAuthority } from "../../../api/platform/ucan/authority.ts";
import { generateKey, type Key } from "../../../api/platform/ucan/mint.ts";
import { openTestCore } from "../core.ts";

export type TestOracle = {
  url: string;
  app: App;
  oracle: Conversations;
  core: CoreDeps<Config>;
  identity: ServiceIdentity;
  authority: OpenAuthority;
  /** The DID that tokens are addressed to. */
  did: string;
  close: () => Promise<void>;
};

export type TestOracleOptions = CoreOptions & { log?: Log } & Partial<
    Pick<ConversationsDeps, "requirePayment" | "resolver" | "speech" | "tokenCheckMs" | "connectionLimits">
  > & { pluginRoutes?: PluginRoutes[] };

/** For tests: the oracle alone, on a real database, behind a real HTTP server. */
export async function openTestOracle(
  agent: Agent,
  env: Record<string, string> = {},
  options: TestOracleOptions = {},
): Promise<TestOracle> {
  const core = await openTestCore(
    { ORACLE_REQUESTS_PER_MINUTE: "1000000", ORACLE_NEW_USERS_PER_MINUTE: "1000000", ...env },
    options,
  );
  const { config, deps } = core;
  const identity = await openIdentity({ ...config, publicUrl: "http://localhost:3000" });
  const { resolver = createDidResolver([didKeyMethod], Date.now), pluginRoutes = [] } = options;
  const authority = openAuthority({ ...deps, identity, resolver });
  const { requirePayment, speech, connectionLimits, tokenCheckMs } = options;
  const oracle = await openConversations({
    ...deps,
    identity,
    authority,
    resolver,
    agent,
    requirePayment,
    speech,
    connectionLimits,
    tokenCheckMs,
  });
  const { app } = core;
  mountConversations(app, { ...oracle, pluginRoutes });
  const server = createAdaptorServer({ fetch: app.fetch }) as HttpServer;
  oracle.attach(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    await oracle.stop();
    server.closeAllConnections();
    await oracle.close();
    await core.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, app, oracle, core: deps, identity, authority, did: identity.did, close };
}

/** For tests of the wire: says the message again. */
export const echoAgent: Agent = {
  models: () => [],
  async runTurn({ message, emit }) {
    emit({ type: "text", delta: message });
    return {};
  },
};

export type TestToken = {
  issuer: Signer;
  audience: string;
  capabilities?: { can: string; with: string; nb?: Record<string, unknown> }[];
  /** Unix seconds; five minutes from now when absent. */
  expiration?: number;
  proofs?: Parameters<typeof delegate>[0]["proofs"];
};

/** For tests: an invocation or delegation as base64 CAR. Nothing is checked. */
export async function mintOracleToken({
  issuer,
  audience,
  capabilities,
  expiration,
  proofs,
}: TestToken): Promise<string> {
  const given = capabilities ?? [{ can: "oracle/chat", with: "ixo:oracle" }];
  const token = await delegate({
    issuer,
    audience: DID.parse(audience as Did),
    capabilities: given as unknown as [Capability],
    expiration: expiration ?? Math.floor(Date.now() / 1000) + 300,
    proofs: proofs ?? [],
  });
  const { ok, error } = await token.archive();
  if (ok === undefined) throw error;
  return Buffer.from(ok).toString("base64");
}

export type TestUser = {
  key: Key;
  did: string;
  headers: Record<string, string>;
  invocation: string;
  /** A request as this user; a body is sent as JSON. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  session: () => Promise<string>;
};

/** For tests: somebody with a key, who sends an invocation with every request. */
export async function newTestUser({ url, did: audience }: Pick<TestOracle, "url" | "did">): Promise<TestUser> {
  const key = await generateKey();
  const invocation = await mintOracleToken({ issuer: key, audience });
  const headers = { authorization: `Bearer ${invocation}`, "x-auth-type": "ucan" };
  const call: TestUser["call"] = (method, path, body, more = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json", ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const session = async () => ((await (await call("POST", "/sessions")).json()) as { sessionId: string }).sessionId;
  return { key, did: key.did(), headers, invocation, call, session };
}
