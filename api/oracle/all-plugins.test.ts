import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { quietLog } from "../../test/support/oracle/agent.ts";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import { openTestServices, type TestServices } from "../../test/support/oracle/plugins.ts";
import { describeApi } from "../platform/server/docs.ts";
import { mintToken } from "../platform/ucan/mint.ts";
import { createAgent } from "./agent/agent.ts";
import { capabilityTools } from "./agent/capabilities.ts";
import { bundledPlugins } from "./plugins/bundled.ts";
import { loadPlugins, routesOf } from "./plugins/host/load-plugins.ts";

describe("the oracle with its plugins, over the wire", () => {
  let services: TestServices;
  let oracle: TestOracle;
  let user: TestUser;
  before(async () => {
    // The same identity as that of the oracle below: a room is of a user and an oracle.
    services = await openTestServices({ PUBLIC_URL: "http://localhost:3000" });
    const plugins = await loadPlugins({
      plugins: bundledPlugins,
      features: {},
      env: {},
      services: services.services,
      log: quietLog,
      ownTools: capabilityTools,
      say: () => {},
    });
    const agent = createAgent({ plugins, oracleName: "Hearth", endpoint: undefined, log: quietLog });
    const pluginRoutes = routesOf(plugins);
    oracle = await openTestOracle(agent, {}, { pluginRoutes });
    user = await newTestUser(oracle);
  });
  after(async () => {
    await oracle.close();
    await services.close();
  });

  const say = async (sessionId: string, message: string) => {
    const answer = await user.call("POST", `/messages/${encodeURIComponent(sessionId)}`, { message });
    return ((await answer.json()) as { message: { content: string } }).message.content;
  };

  it("answers the weather without a header, and preferences only with one", async () => {
    const weather = await fetch(`${oracle.url}/weather/now?city=Lusaka`);
    assert.equal(weather.status, 200);
    assert.equal(((await weather.json()) as { ok: boolean }).ok, true);
    assert.equal((await fetch(`${oracle.url}/weather/now?city=`)).status, 400);
    assert.equal((await fetch(`${oracle.url}/weather/now?city=Nowhere`)).status, 404);
    assert.equal((await fetch(`${oracle.url}/user-preferences`)).status, 401);
  });

  it("documents the routes of its plugins, and which need no header", () => {
    const { paths = {} } = describeApi(oracle.app);
    assert.deepEqual(paths["/weather/now"]?.get?.security, []);
    assert.deepEqual(paths["/user-preferences"]?.get?.security, [{ ucan: [] }]);
    assert.ok(paths["/memory/{id}"]?.delete);
  });

  it("gives the user what is remembered, to read and to write, and nobody else", async () => {
    assert.equal((await fetch(`${oracle.url}/memory`)).status, 401);
    const memories = async (of = user, query = "") => {
      const answer = await of.call("GET", `/memory${query}`);
      return ((await answer.json()) as { memories: { id: string; text: string }[] }).memories;
    };
    await say(await user.session(), '/tool remember_fact {"text":"Sells stoves"}');
    const added = (await (await user.call("POST", "/memory", { text: "Works in Kafue" })).json()) as { id: string };
    assert.deepEqual(
      (await memories()).map(({ text }) => text),
      ["Works in Kafue", "Sells stoves"],
    );
    assert.deepEqual(
      (await memories(user, "?question=stoves")).map(({ text }) => text),
      ["Sells stoves"],
    );
    const stranger = await newTestUser(oracle);
    assert.deepEqual(await memories(stranger), []);
    assert.equal((await stranger.call("DELETE", `/memory/${added.id}`)).status, 404);
    assert.equal((await user.call("PUT", `/memory/${added.id}`, { text: "" })).status, 400);
    assert.equal((await user.call("PUT", `/memory/${added.id}`, { text: "Works in Lusaka" })).status, 200);
    assert.equal((await user.call("DELETE", `/memory/${added.id}`)).status, 200);
    assert.deepEqual(
      (await memories()).map(({ text }) => text),
      ["Sells stoves"],
    );
  });

  it("serves the file tools by a delegation over files alone, together with an invocation or stored for later", async () => {
    const raw = await mintToken({ issuer: user.key, audience: oracle.did, abilities: ["fs/write"], path: "/" });
    const path = `/messages/${encodeURIComponent(await user.session())}`;
    const ask = async (message: string, headers = {}) => {
      const answer = await user.call("POST", path, { message }, headers);
      return ((await answer.json()) as { message: { content: string } }).message.content;
    };
    assert.match(await ask('/tool vfs_list {"path":"/"}'), /no delegation over your files/);
    await ask('/tool vfs_write {"path":"/a.md","content":"tea"}', { "x-ucan-delegation": raw });
    assert.match(await ask('/tool vfs_read {"path":"/a.md"}', { "x-ucan-delegation": raw }), /tea/);
    assert.equal((await user.call("POST", "/delegation", { raw })).status, 200);
    assert.match(await ask('/tool vfs_read {"path":"/a.md"}'), /tea/);
    assert.equal((await fetch(`${oracle.url}/sessions`, { headers: { "x-ucan-delegation": raw } })).status, 401);
  });

  it("lets no argument lead to another route than its tool's", async () => {
    const session = await user.session();
    await say(session, '/tool load_capability {"names":["vouchers"]}');
    for (const id of ["..", ".", ""]) {
      for (const tool of [`get_voucher {"voucherId":"${id}"}`, `get_voucher_history {"voucherId":"${id}"}`]) {
        assert.match(await say(session, `/tool ${tool}`), /"voucherId" is not a valid path segment/, tool);
      }
    }
    assert.match(await say(session, '/tool trace {"id":".."}'), /"id" is not a valid path segment/);
    assert.match(await say(session, '/tool get_voucher {"voucherId":["a"]}'), /must be a text or a number/);
  });

  it("keeps what is said over sessions, and of what is loaded within one", async () => {
    const preferences = async () => (await user.call("GET", "/user-preferences")).json();
    const session = await user.session();
    assert.equal(await preferences(), null);
    await say(session, '/tool set_user_preferences {"tone":"warm"}');
    assert.equal(((await preferences()) as { tone: string }).tone, "warm");
    await say(session, '/tool load_capability {"names":["weather"]}');
    assert.match(await say(session, '/tool get_current_weather {"city":"Nairobi"}'), /"city":"Nairobi"/);
    assert.match(await say(await user.session(), '/tool get_current_weather {"city":"Nairobi"}'), /no tool/);
  });
});
