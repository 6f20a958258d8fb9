import assert from "node:assert/strict";
import { request as openRequest } from "node:http";
import { after, before, test } from "node:test";
import { io } from "socket.io-client";
import { createAgent } from "../../api/oracle/agent/agent.ts";
import { capabilityTools } from "../../api/oracle/agent/capabilities.ts";
import { bundledPlugins } from "../../api/oracle/plugins/bundled.ts";
import { loadPlugins, routesOf } from "../../api/oracle/plugins/host/load-plugins.ts";
import { describeApi } from "../../api/platform/server/docs.ts";
import { quietLog } from "../support/oracle/agent.ts";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../support/oracle/oracle.ts";
import { openTestServices, type TestServices } from "../support/oracle/plugins.ts";
import { connect, socketOf } from "../support/oracle/streams.ts";
import { mutateTree, write } from "./fuzz/mutate.ts";
import { createRandom } from "./fuzz/random.ts";
import { type Document, mutatedRequest, operationsOf } from "./fuzz/request.ts";

const count = process.env.HEARTH_LONG === "1" ? 10_000 : 1_000;
const seed = Number(process.env.FUZZ_SEED ?? (process.env.HEARTH_LONG === "1" ? Date.now() % 2 ** 31 : 20_261_123));
/** Deeper than a program that reads by calling itself can go, in less than a message may hold. */
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

let services: TestServices;
let oracle: TestOracle;
let user: TestUser;
before(async () => {
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
  oracle = await openTestOracle(agent, { ORACLE_CLIENT_CALL_MS: "200" }, { pluginRoutes });
  user = await newTestUser(oracle);
});
after(async () => {
  await oracle?.close();
  await services?.close();
});

/** A turn from its beginning to its end: nothing that came before has broken or blocked anything. */
async function assertServes(): Promise<void> {
  const sessionId = await user.session();
  const socket = socketOf(oracle, sessionId, { invocation: user.invocation });
  assert.equal(await connect(socket), undefined);
  assert.ok(await socket.timeout(5_000).emitWithAck("ping"));
  const answer = await user.call("POST", `/messages/${encodeURIComponent(sessionId)}`, { message: "hello" });
  assert.equal(answer.status, 200);
  socket.disconnect();
}

test(`answers ${count} broken requests to the oracle without a server error`, async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`);
  const document = JSON.parse(JSON.stringify(describeApi(oracle.app))) as Document;
  const random = createRandom(seed);
  const operations = operationsOf(document).filter(({ path }) => !/^\/(v1|api)\//.test(path));
  assert.ok(operations.length > 15, `${operations.length} routes`);
  const sessions = await Promise.all(Array.from({ length: 3 }, () => user.session()));
  const known = { sessionId: sessions, threadId: sessions, model: ["offline"] };
  const use = { random, known, components: document.components?.schemas ?? {} };
  const statuses = new Map<number, number>();
  for (let i = 1; i <= count; i++) {
    const operation = random.pick(operations);
    const { method, path, headers, body } = mutatedRequest(operation, use);
    const authorised = random.chance(0.9) ? { ...user.headers, ...headers } : headers;
    const init = { method, headers: authorised, ...(body === undefined ? {} : { body: body as string }) };
    const answer = await oracle.app.request(path, init);
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    assert.ok(
      answer.status < 500,
      `request ${i}: ${answer.status} for ${method} ${path} ${String(body).slice(0, 500)}: ${text}`,
    );
  }
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  await assertServes();
});

test("refuses what is nested deeper than it can read", async () => {
  const path = `/messages/${encodeURIComponent(await user.session())}`;
  const bodies = [
    deep,
    `{"message":"a","metadata":{"a":${deep}}}`,
    `{"message":"a","tools":[{"name":"a","description":"a","schema":{"a":${deep}}}]}`,
  ];
  for (const body of bodies) {
    const headers = { ...user.headers, "content-type": "application/json" };
    const answer = await fetch(`${oracle.url}${path}`, { method: "POST", headers, body });
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} for ${body.slice(0, 40)}`);
  }
  await assertServes();
});

const spoken = {
  ping: {},
  status: {},
  subscribe: { events: ["confirmation_request"] },
  "list-events": {},
  tool_result: { toolCallId: "a", result: { a: [1] }, error: "" },
  action_call_result: { sessionId: "$a:b", toolCallId: "a", result: {} },
  confirmation_result: { toolCallId: "a", result: true },
  call_join: { publicKey: `B${"A".repeat(86)}`, muted: true, video: false, agent: false, resume: "a" },
  call_ice_servers: {},
  call_signal: { to: "a", description: { type: "offer", sdp: "v=0" }, candidate: { candidate: "a" } },
  call_key: { to: "a", keyId: 1, iv: "a", sealed: "a" },
  call_state: { muted: true, video: true },
  call_invite: {},
  call_leave: {},
  error: {},
  "": {},
};

/** A broken payload as it goes over the line; JSON that is none goes elsewhere. */
function broken(payload: unknown, random: ReturnType<typeof createRandom>): unknown {
  const tree = { body: structuredClone(payload) };
  for (let i = 0; i < 1 + random.below(3); i++) mutateTree(tree, random);
  try {
    return JSON.parse(write(tree.body));
  } catch {
    return Buffer.from(write(tree.body));
  }
}

test(`hears ${count} malformed events without harm: none stops it, hangs, or is kept`, async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`);
  const random = createRandom(seed);
  const sessionId = await user.session();
  const socket = socketOf(oracle, sessionId, { invocation: user.invocation });
  assert.equal(await connect(socket), undefined);
  const names = Object.entries(spoken);
  for (let i = 0; i < count; i++) {
    const [name, payload] = random.pick(names);
    const given = Array.from({ length: random.below(3) }, () => broken(payload, random));
    if (random.chance(0.3)) socket.emit(name, ...given, () => {});
    else socket.emit(name, ...given);
    if (i % 50 === 0) assert.ok(await socket.timeout(10_000).emitWithAck("ping"), `after ${i} events`);
  }
  assert.ok(await socket.timeout(10_000).emitWithAck("ping"));
  socket.disconnect();
  await assertServes();
});

test("hears an answer that is nested deeper than it can write", async () => {
  const sessionId = await user.session();
  const socket = io(oracle.url, {
    query: { sessionId },
    auth: { invocation: user.invocation },
    transports: ["websocket"],
  });
  await new Promise((resolve) => socket.once("connected", resolve));
  const { engine } = socket.io;
  for (const name of Object.keys(spoken).filter((each) => each !== "")) {
    for (const field of ["result", "events", "description"])
      engine.write(`2["${name}",{"toolCallId":"a","${field}":${deep}}]`);
  }
  assert.ok(await socket.timeout(10_000).emitWithAck("ping"));
  socket.disconnect();
  await assertServes();
});

test("survives sockets and polls that speak no protocol, and lets them go", async () => {
  const frames = [
    "",
    "4",
    "42",
    "40{",
    "42[",
    '42["error"]',
    '42["disconnect"]',
    '42["connect_error"]',
    "451-[",
    '451-["a",{"_placeholder":true,"num":9}]',
    "9",
    "\u0000",
    "6",
    "1",
    "43[]",
    "44",
    "4".repeat(2_000_000),
  ];
  for (const frame of frames) {
    const raw = new WebSocket(`${oracle.url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`);
    await new Promise((resolve) => raw.addEventListener("open", resolve));
    raw.send(frame);
    raw.send(Uint8Array.of(1, 2, 3));
    raw.close();
    const answer = await post("/socket.io/?EIO=4&transport=polling", frame.slice(0, 100));
    assert.ok(answer < 500, `${answer} for ${frame.slice(0, 20)}`);
  }
  for (const path of [
    "?EIO=3&transport=polling",
    "?EIO=4&transport=none",
    "?EIO=4&transport=polling&sid=none",
    "?EIO=%00",
    "",
    "../x",
  ]) {
    assert.ok((await post(`/socket.io/${path}`, "x")) < 500, path);
  }
  await assertServes();
});

function post(path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = openRequest(`${oracle.url}${path}`, { method: "POST" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
