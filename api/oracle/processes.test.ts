import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import {
  agentOf,
  connect,
  framesOf,
  isWhole,
  readAll,
  socketOf,
  stream,
  textOf,
} from "../../test/support/oracle/streams.ts";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { insertFrames } from "./runs/frame-writer.ts";
import { oracleRuns } from "./runs/tables.ts";
import { encodeFrame } from "./wire/frames.ts";

describe("two runtimes on one PostgreSQL", () => {
  const agent = agentOf(() => ({}));
  let postgres: TestPostgres;
  let one: TestOracle;
  let other: TestOracle;
  let alice: TestUser;
  /** The same user at the other process. */
  let there: TestUser;
  before(async () => {
    postgres = await startPostgres();
    const env = { DATABASE_URL: await postgres.createDatabase(), SERVICE_KEY: "5".repeat(64) };
    [one, other] = [await openTestOracle(agent, env), await openTestOracle(agent, env)];
    alice = await newTestUser(one);
    const call: TestUser["call"] = (method, path, body) =>
      fetch(`${other.url}${path}`, {
        method,
        headers: alice.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    there = { ...alice, call };
  });
  after(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await postgres?.stop();
  });
  const counting = () => {
    agent.turn = async ({ emit, signal }) => {
      for (let i = 0; i < 100 && !signal.aborted; i++) {
        emit({ type: "text", delta: `${i} ` });
        await sleep(10);
      }
      return {};
    };
  };

  it("resume at one what was begun at the other, losing and doubling nothing", async () => {
    counting();
    const sessionId = await alice.session();
    const answer = await stream(alice, sessionId);
    const runId = answer.headers.get("x-run-id") ?? "";
    const frames = [];
    for await (const frame of framesOf(answer)) {
      frames.push(frame);
      if (frame.id === 10) break;
    }
    const { run } = (await (await there.call("GET", `/sessions/${sessionId}/run`)).json()) as {
      run: { runId: string };
    };
    assert.equal(run.runId, runId);
    frames.push(...(await readAll(await there.call("GET", `/runs/${runId}?after=10`))));
    assert.deepEqual(
      frames.map(({ id }) => id),
      frames.map((_, index) => index + 1),
    );
    assert.equal(textOf(frames), Array.from({ length: 100 }, (_, i) => `${i} `).join(""));
    assert.ok(isWhole(frames));
  });

  it("send the last frame once when a turn ends while its frames are read at the other", async () => {
    counting();
    const sessionId = await alice.session();
    const answer = await stream(alice, sessionId);
    const runId = answer.headers.get("x-run-id") ?? "";
    const whole = readAll(answer);
    const { store } = other.oracle.runs;
    const framesAfter = store.framesAfter.bind(store);
    store.framesAfter = async (...args) => {
      store.framesAfter = framesAfter;
      await whole;
      return await framesAfter(...args);
    };
    const frames = await readAll(await there.call("GET", `/runs/${runId}?after=1`));
    assert.deepEqual(
      frames.map(({ id }) => id),
      (await whole).slice(1).map(({ id }) => id),
    );
  });

  it("abort at one what runs at the other", async () => {
    counting();
    const sessionId = await alice.session();
    const begun = await stream(alice, sessionId);
    assert.deepEqual(await (await there.call("POST", "/messages/abort", { sessionId })).json(), { success: true });
    const frames = await readAll(begun);
    assert.equal(frames.at(-1)?.data.status, "aborted");
    assert.ok(isWhole(frames) && frames.length < 90);
  });

  it("end the earlier turn at the other when a message comes to one", async () => {
    counting();
    const sessionId = await alice.session();
    const first = readAll(await stream(alice, sessionId, "first"));
    const second = await readAll(await stream(there, sessionId, "second"));
    assert.equal((await first).at(-1)?.data.status, "aborted");
    assert.equal(second.at(-1)?.data.status, "finished");
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as {
      messages: { type: string }[];
    };
    assert.deepEqual(
      messages.map(({ type }) => type),
      ["human", "ai", "human", "ai"],
    );
  });

  it("serve a turn at one with a tab whose socket is at the other", async () => {
    const tools = [{ name: "pick", description: "", schema: {} }];
    agent.turn = async ({ emit, callClient }) => {
      emit({ type: "text", delta: String(await callClient({ toolName: "pick", args: {} })) });
      return {};
    };
    const sessionId = await alice.session();
    const socket = socketOf(other, sessionId, { invocation: alice.invocation });
    assert.equal(await connect(socket), undefined);
    const coming = socket.next("browser_tool_call");
    const answering = alice.call("POST", `/messages/${sessionId}`, { message: "go", tools });
    const { toolCallId } = (await coming) as { toolCallId: string };
    socket.emit("tool_result", { toolCallId, result: "picked there" });
    const { message } = (await (await answering).json()) as { message: { content: string } };
    assert.equal(message.content, "picked there");
    socket.disconnect();
  });

  it("end what a dead one left", async () => {
    const sessionId = await alice.session();
    const runId = "01M80BFXZ99FFQZYV44SCW421V";
    const { db } = one.core;
    const facts = { sessionId, userDid: alice.did, requestId: "r", messageId: "m-of-the-dead" };
    const run = { id: runId, ...facts, status: "running" as const, processId: "dead", startedAt: new Date() };
    const frames = encodeFrame(1, "message", JSON.stringify({ content: "last words", timestamp: "" }));
    // Together: either process may close the run as soon as it sees it.
    await db.transaction(async (tx) => {
      await tx.insert(oracleRuns).values(run);
      await insertFrames(tx, [{ runId, firstSeq: 1, lastSeq: 1, frames }]);
    });
    const told = await readAll(await there.call("GET", `/runs/${runId}`));
    assert.equal(told.at(-1)?.data.status, "interrupted");
    assert.equal(textOf(told), "last words");
    assert.ok(isWhole(told));
  });
});
