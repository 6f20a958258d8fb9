import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  mintOracleToken,
  newTestUser,
  openTestOracle,
  type TestOracle,
  type TestUser,
} from "../../../../test/support/oracle/oracle.ts";
import {
  agentOf,
  connect,
  readAll,
  socketOf,
  stream,
  type TestSocket,
} from "../../../../test/support/oracle/streams.ts";
import { fileRevocations } from "../../../platform/ucan/tables.ts";

type Call = { sessionId: string; requestId: string; toolCallId: string; toolName: string; args: unknown };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("sockets", () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let alice: TestUser;
  let sessionId: string;
  const sockets: TestSocket[] = [];
  before(async () => {
    oracle = await openTestOracle(agent, { ORACLE_CLIENT_CALL_MS: "400" }, { tokenCheckMs: 50 });
    alice = await newTestUser(oracle);
    sessionId = await alice.session();
  });
  after(async () => {
    for (const socket of sockets) socket.disconnect();
    await oracle.close();
  });
  const open = (id: string | undefined, auth: Record<string, string>) => {
    const socket = socketOf(oracle, id, auth);
    sockets.push(socket);
    return socket;
  };
  const connected = async (user = alice, id = sessionId) => {
    const socket = open(id, { invocation: user.invocation });
    assert.equal(await connect(socket), undefined);
    return socket;
  };
  const mint = (expiration: number, issuer = alice.key) =>
    mintOracleToken({ issuer, audience: oracle.did, expiration });

  it("greets and answers what clients ask", async () => {
    const socket = await connected();
    const greeting = socket.heard.find(({ event }) => event === "connected")?.payload as Record<string, unknown>;
    assert.deepEqual(Object.keys(greeting), ["message", "sessionId", "timestamp"]);
    for (const [asked, answered] of [
      ["ping", "pong"],
      ["subscribe", "subscribed"],
      ["list-events", "available-events"],
    ] as const) {
      const coming = socket.next(answered);
      socket.emit(asked);
      await coming;
    }
    const status = (await socket.emitWithAck("status", {})) as Record<string, unknown>;
    const { timestamp, ...facts } = status;
    assert.deepEqual(facts, { connected: true, sessionId, activeSessions: 1, totalConnections: 1 });
    assert.deepEqual(socket.heard.at(-1)?.payload, { ...facts, timestamp });
    socket.disconnect();
  });

  it("accepts so many connections without a token from one network, and does not count those with one", async () => {
    const [own] = await Promise.all([connected(), connected(), connected()]);
    const path = `${oracle.url}/socket.io/?EIO=4&transport=polling`;
    const handshake = async () => {
      const answer = await fetch(path);
      const text = await answer.text();
      return { status: answer.status, sid: answer.ok ? (JSON.parse(text.slice(1)) as { sid: string }).sid : undefined };
    };
    const opened: Awaited<ReturnType<typeof handshake>>[] = [];
    for (let i = 0; i < 210; i++) opened.push(await handshake());
    const accepted = opened.filter(({ status }) => status === 200);
    assert.deepEqual([accepted.length, new Set(opened.slice(200).map(({ status }) => status))], [200, new Set([403])]);
    // An engine.io packet of type 1 closes the connection, whose place is then free.
    for (const { sid } of accepted) await fetch(`${path}&sid=${sid}`, { method: "POST", body: "1" });
    assert.equal((await handshake()).status, 200);
    assert.match(JSON.stringify(await own.emitWithAck("ping", {})), /timestamp/);
    await connected();
  });

  it("answers so many messages of one socket at a time, whatever they are", async () => {
    const socket = await connected();
    const events = ["ping", "status", "tool_result", "call_leave"].flatMap((event) => Array<string>(150).fill(event));
    const answers = (await Promise.all(events.map((event) => socket.emitWithAck(event, {})))) as {
      error?: { code: string };
    }[];
    const codes = answers.map(({ error }) => error?.code);
    assert.deepEqual(new Set(codes.slice(0, 400)), new Set([undefined]));
    assert.deepEqual(new Set(codes.slice(400)), new Set(["RATE_LIMITED"]));
    assert.match(JSON.stringify(await (await connected()).emitWithAck("ping", {})), /timestamp/);
  });

  it("refuses who is nobody, and sessions that are not theirs as unknown ones", async () => {
    assert.match((await connect(open(sessionId, {}))) ?? "", /^Unauthorized: /);
    assert.match(
      (await connect(open(sessionId, { invocation: "bm8=" }))) ?? "",
      /^Unauthorized: Invalid UCAN invocation/,
    );
    assert.match((await connect(open(undefined, { invocation: alice.invocation }))) ?? "", /^Unauthorized: /);
    assert.equal(await connect(open("$none:h", { invocation: alice.invocation })), "Session $none:h not found");
    for (const none of ["$\0:h", "x".repeat(10_000)]) {
      const why = (await connect(open(none, { invocation: alice.invocation }))) ?? "";
      assert.equal(why, `Session ${none.slice(0, 256)} not found`);
    }
    const bob = await newTestUser(oracle);
    assert.equal(await connect(open(sessionId, { invocation: bob.invocation })), `Session ${sessionId} not found`);
  });

  it("accepts a delegation without an invocation, and an expired invocation only with a delegation of the same user", async () => {
    const [expired, delegation] = [await mint(inSeconds(-10)), await mint(inSeconds(3600))];
    assert.equal(await connect(open(sessionId, { ucanDelegation: delegation })), undefined);
    assert.equal(await connect(open(sessionId, { invocation: expired, ucanDelegation: delegation })), undefined);
    assert.match((await connect(open(sessionId, { invocation: expired }))) ?? "", /^Unauthorized/);
    const bob = await newTestUser(oracle);
    const others = await mint(inSeconds(3600), bob.key);
    assert.match(
      (await connect(open(sessionId, { invocation: expired, ucanDelegation: others }))) ?? "",
      /^Unauthorized/,
    );
    const headers = { authorization: `Bearer ${expired}`, "x-auth-type": "ucan", "x-ucan-delegation": delegation };
    assert.equal((await fetch(`${oracle.url}/sessions`, { headers })).status, 401);
  });

  const disconnected = (socket: TestSocket) =>
    new Promise<string>((resolve) => socket.once("disconnect", (reason) => resolve(reason)));

  it("ends with its token, and stays while a delegation of the same user holds", async () => {
    const [short, delegation] = [await mint(inSeconds(4)), await mint(inSeconds(3600))];
    const bob = await newTestUser(oracle);
    const others = await mint(inSeconds(3600), bob.key);
    const [alone, beside, foreign] = [
      open(sessionId, { invocation: short }),
      open(sessionId, { invocation: short, ucanDelegation: delegation }),
      open(sessionId, { invocation: short, ucanDelegation: others }),
    ];
    for (const socket of [alone, beside, foreign]) assert.equal(await connect(socket), undefined);
    // Not "io server disconnect": after that a client would not come back by itself.
    assert.deepEqual(await Promise.all([disconnected(alone), disconnected(foreign)]), [
      "transport close",
      "transport close",
    ]);
    assert.match(JSON.stringify(await beside.emitWithAck("ping", {})), /timestamp/);
    beside.disconnect();
  });

  it("ends when its token is revoked, and hears nothing more", async () => {
    const token = await mint(inSeconds(301));
    const socket = open(sessionId, { invocation: token });
    assert.equal(await connect(socket), undefined);
    const gone = disconnected(socket);
    const held = await oracle.oracle.auth.tokens.verify("invocation", token);
    const [identity = ""] = (held as unknown as { identities: string[] }).identities;
    const row = { identity, cid: held.cid, owner: held.issuer, issuer: held.issuer, audience: oracle.did };
    await oracle.core.db.insert(fileRevocations).values({ ...row, revokedBy: held.issuer, revokedAt: new Date() });
    await oracle.authority.revocations.committed(identity);
    assert.equal(await gone, "transport close");
    assert.match((await connect(open(sessionId, { invocation: token }))) ?? "", /^Unauthorized/);
    assert.equal(await connect(open(sessionId, { invocation: alice.invocation })), undefined);
  });

  it("admits 64 sockets of one user, and another when one has left", async () => {
    const carol = await newTestUser(oracle);
    const id = await carol.session();
    const all = await Promise.all(Array.from({ length: 64 }, () => connected(carol, id)));
    const refused = open(id, { invocation: carol.invocation });
    assert.equal(await connect(refused), "64 sockets of this user are open. Close one before you open another.");
    // A refusal of another kind takes no place.
    assert.match((await connect(open("$none:h", { invocation: carol.invocation }))) ?? "", /not found/);
    all.pop()?.disconnect();
    await sleep(50);
    all.push(await connected(carol, id));
    for (const socket of all) socket.disconnect();
  });

  it("tells tool calls and components as events, and the end of a turn to other tabs", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "tool", toolCallId: "1", toolName: "look", args: {}, status: "done", output: "seen" });
      emit({ type: "component", componentName: "Chart", args: { a: 1 } });
      return {};
    };
    const socket = await connected();
    const frames = await readAll(await stream(alice, sessionId, "x", { requestId: "r9" }));
    await sleep(50);
    const told = socket.heard.filter(({ event }) => event === "event").map(({ payload }) => payload as never) as {
      eventName: string;
      payload: Record<string, unknown>;
    }[];
    const names = told.map(({ eventName }) => eventName);
    assert.deepEqual(names, ["tool_call", "render_component", "message_cache_invalidation"]);
    assert.equal(told[0]?.payload.eventId, frames.find(({ event }) => event === "tool_call")?.data.eventId);
    const { eventId, ...component } = told[1]?.payload ?? {};
    assert.ok(typeof eventId === "string");
    assert.deepEqual(component, { sessionId, requestId: "r9", componentName: "Chart", args: { a: 1 } });
    assert.deepEqual(told[2]?.payload, { sessionId: "", requestId: "" });
    const begun = socket.heard.filter(({ event }) => event === "run").map(({ payload }) => payload);
    assert.deepEqual(begun, [{ sessionId, requestId: "r9", runId: frames[0]?.data.runId }]);
    socket.disconnect();
  });

  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 } },
    required: ["n"],
    additionalProperties: false,
  };
  const tools = [{ name: "pick", description: "", schema }];
  const agActions = [{ name: "paint", description: "", schema: {} }];
  /** A turn that makes one call and answers with its outcome. */
  const calling = (toolName: string, args: Record<string, unknown>) => {
    agent.turn = async ({ emit, callClient }) => {
      const answer = await callClient({ toolName, args, toolCallId: "model-1" }).catch((error: Error) => error.message);
      emit({ type: "text", delta: JSON.stringify(answer) });
      return {};
    };
  };
  const ask = async () => {
    const answer = await alice.call("POST", `/messages/${sessionId}`, { message: "go", tools, agActions });
    return ((await answer.json()) as { message: { content: string } }).message.content;
  };

  it("has the tab run a browser tool, once, by an id that nobody guesses", async () => {
    const socket = await connected();
    calling("pick", { n: 2 });
    const coming = socket.next("browser_tool_call");
    const answering = ask();
    const call = (await coming) as Call;
    assert.deepEqual(Object.keys(call), ["sessionId", "requestId", "toolCallId", "toolName", "args"]);
    assert.match(call.toolCallId, /^[0-9a-f-]{36}$/);
    assert.deepEqual([call.sessionId, call.toolName, call.args], [sessionId, "pick", { n: 2 }]);
    socket.emit("tool_result", { toolCallId: "guess", result: "wrong" });
    socket.emit("tool_result", { toolCallId: call.toolCallId, result: { picked: true } });
    socket.emit("tool_result", { toolCallId: call.toolCallId, result: "second" });
    assert.equal(await answering, '{"picked":true}');
    socket.disconnect();
  });

  it("has the tab run an action, and takes its answer as the tab's error or result", async () => {
    const socket = await connected();
    calling("paint", { any: "thing" });
    const coming = socket.next("action_call");
    const answering = ask();
    const call = (await coming) as Call;
    socket.emit("action_call_result", { sessionId, toolCallId: call.toolCallId, result: "painted" });
    assert.equal(await answering, '"painted"');
    const again = socket.next("action_call");
    const failing = ask();
    socket.emit("action_call_result", {
      sessionId,
      toolCallId: ((await again) as Call).toolCallId,
      result: null,
      error: "no paint",
    });
    assert.match(await failing, /no paint/);
    socket.disconnect();
  });

  it("never sends arguments that break the declared schema, nor calls of what was not declared", async () => {
    const socket = await connected();
    calling("pick", { n: 0, more: 1 });
    assert.match(await ask(), /schema/);
    calling("steal", {});
    assert.match(await ask(), /did not declare/);
    assert.equal(socket.heard.filter(({ event }) => event.endsWith("_call")).length, 0);
    socket.disconnect();
  });

  it("ends a call that nobody answers, and one whose answer is too large", async () => {
    calling("pick", { n: 1 });
    const began = Date.now();
    assert.match(await ask(), /did not answer within 400 ms/);
    assert.ok(Date.now() - began >= 400);
    const socket = await connected();
    const coming = socket.next("browser_tool_call");
    const answering = ask();
    socket.emit("tool_result", { toolCallId: ((await coming) as Call).toolCallId, result: "x".repeat(300_000) });
    assert.match(await answering, /larger than/);
    socket.disconnect();
  });

  it("accepts an answer only from the session's owner", async () => {
    const bob = await newTestUser(oracle);
    const others = await connected(bob, await bob.session());
    const socket = await connected();
    calling("pick", { n: 1 });
    const coming = socket.next("browser_tool_call");
    const answering = ask();
    const { toolCallId } = (await coming) as Call;
    others.emit("tool_result", { toolCallId, result: "bob's" });
    await sleep(50);
    socket.emit("tool_result", { toolCallId, result: "alice's" });
    assert.equal(await answering, `"alice's"`);
    for (const each of [others, socket]) each.disconnect();
  });

  type Question = { eventName: string; payload: Call & { summary: string } };
  const question = async (socket: TestSocket): Promise<Question> => {
    const event = (await socket.next("event")) as Question;
    return event.eventName === "confirmation_request" ? event : await question(socket);
  };

  it("asks nobody to confirm who has not said that it can, and does not wait", async () => {
    const socket = await connected();
    agent.turn = async ({ emit, confirm }) => {
      const asked = confirm({ toolName: "pay", summary: "Pay 5.", args: { amount: 5 } });
      emit({ type: "text", delta: await asked.then(String, ({ message }: Error) => message) });
      return {};
    };
    assert.match(await ask(), /"pay" was not run: it needs the user's confirmation, and the user's app cannot ask/);
    assert.ok(!JSON.stringify(socket.heard).includes("confirmation_request"));
    socket.disconnect();
  });

  it("asks the user to confirm with the literal arguments", async () => {
    const socket = await connected();
    await socket.emitWithAck("subscribe", { events: ["confirmation_request"] });
    agent.turn = async ({ emit, confirm }) => {
      const answer = await confirm({ toolName: "pay", summary: "Pay 5.", args: { amount: 5 } });
      emit({ type: "text", delta: String(answer) });
      return {};
    };
    for (const result of [true, false, "true"]) {
      const answering = ask();
      const { eventName, payload } = await question(socket);
      assert.deepEqual(
        [eventName, payload.toolName, payload.args, payload.summary],
        ["confirmation_request", "pay", { amount: 5 }, "Pay 5."],
      );
      socket.emit("confirmation_result", { toolCallId: payload.toolCallId, result });
      assert.equal(await answering, String(result === true));
    }
    socket.disconnect();
  });

  it("lets the sockets of a deleted session go", async () => {
    const doomed = await alice.session();
    const socket = await connected(alice, doomed);
    const gone = new Promise((resolve) => socket.once("disconnect", resolve));
    assert.equal((await alice.call("DELETE", `/sessions/${encodeURIComponent(doomed)}`)).status, 200);
    await gone;
  });

  it("lets all sockets go when the server stops", async () => {
    const socket = await connected();
    const gone = new Promise((resolve) => socket.once("disconnect", resolve));
    await oracle.oracle.stop();
    await gone;
  });
});
