import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { eq } from "drizzle-orm";
import { openApp } from "../../api/app.ts";
import { createLog } from "../../api/platform/log.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { type KoboPeer, koboToken, startKoboPeer } from "../../test/support/kobo-peer.ts";
import { accountOf } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import type { Connection } from "./connections/schemas.ts";
import { koboConnections } from "./tables.ts";

const implementerDid = "did:ixo:implementer/1";

let world: TestWorld;
let opened: Awaited<ReturnType<typeof openApp>>;
let peer: KoboPeer;

const open = async () => {
  const config = world.config({ ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000" });
  opened = await openApp(config, createLog(config));
};
async function call<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const authorization = { authorization: `Bearer ${testAdminKey}`, ...headers };
  const answer = await opened.app.request(`/v1${path}`, { method, headers: authorization, ...init });
  return { status: answer.status, body: (await answer.json()) as T };
}

before(async () => {
  world = await createTestWorld();
  await open();
  await call("POST", "/implementers", { did: implementerDid, account: accountOf(500), name: "Implementer" });
});
after(async () => {
  await opened?.close();
  await world?.close();
});
afterEach(() => peer?.close());

const connect = () => {
  const connection = { name: "Lusaka", serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
  const body = { ...connection, form: "household", collectorDid: "did:key:z6MkMaria", implementerDid };
  return call<Connection>("POST", "/kobo/connections", body);
};

/** A connection as a kill leaves it that comes before its hook is made; then the server starts again. */
async function interrupted(refusesHooks?: number): Promise<Connection> {
  peer = await startKoboPeer();
  const { body: made } = await connect();
  peer.hooks.splice(0);
  peer.state.refusesHooks = refusesHooks;
  const before = { hookUid: null, createdAt: new Date(Date.now() - 600_000) };
  await opened.deps.db.update(koboConnections).set(before).where(eq(koboConnections.id, made.id));
  await opened.close();
  await open();
  return made;
}
const connectionOf = async (id: string) => (await call<Connection>("GET", `/kobo/connections/${id}`)).body;

describe("a connection whose request was interrupted and never repeated", () => {
  it("gets its hook, so that its API key is used", async () => {
    const { id } = await interrupted();
    const { hookUid } = await untilFound(async () => {
      const found = await connectionOf(id);
      return found.hookUid === null ? undefined : found;
    });
    assert.deepEqual(
      peer.hooks.map(({ uid }) => uid),
      [hookUid],
    );
  });

  it("ends with its API key when Kobo refuses the hook, and the project can be connected again", async () => {
    const { id, keyId } = await interrupted(403);
    await untilFound(async () => ((await connectionOf(id)).revokedAt === null ? undefined : true));
    const key = await call<{ revokedAt: string | null }>("GET", `/keys/${keyId}`);
    assert.notEqual(key.body.revokedAt, null);
    peer.state.refusesHooks = undefined;
    assert.equal((await connect()).status, 201);
  });

  it("waits for Kobo when it cannot answer now", async () => {
    const { id } = await interrupted(503);
    await untilFound(async () => (peer.state.hooksRefused > 0 ? true : undefined));
    const { revokedAt, hookUid } = await connectionOf(id);
    assert.deepEqual([revokedAt, hookUid], [null, null]);
  });
});
