import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../../test/support/oracle/oracle.ts";
import {
  agentOf,
  framesOf,
  isWhole,
  readAll,
  stream,
  type TestFrame,
  textOf,
} from "../../../test/support/oracle/streams.ts";
import type { TurnContext } from "../wire/turn.ts";
import { oracleRunFrames } from "./tables.ts";

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** Says `count` words, each in a separate frame. */
const words =
  (count: number, delayMs = 3) =>
  async ({ emit, signal }: TurnContext) => {
    for (let i = 0; i < count && !signal.aborted; i++) {
      emit({ type: "text", delta: `${i} ` });
      await sleep(delayMs);
    }
    return {};
  };
const wordsText = (count: number) => Array.from({ length: count }, (_, i) => `${i} `).join("");

describe("runs", () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let alice: TestUser;
  before(async () => {
    oracle = await openTestOracle(agent);
    alice = await newTestUser(oracle);
  });
  after(() => oracle.close());

  const join = (runId: string, after?: number, headers: Record<string, string> = {}) =>
    alice.call("GET", `/runs/${runId}${after === undefined ? "" : `?after=${after}`}`, undefined, headers);
  const runOf = async (sessionId: string) =>
    ((await (await alice.call("GET", `/sessions/${sessionId}/run`)).json()) as { run: { runId: string } | null }).run;
  /** Reads until a frame fits, and leaves. */
  const readUntil = async (answer: Response, fits: (frame: TestFrame) => boolean) => {
    const frames: TestFrame[] = [];
    for await (const frame of framesOf(answer)) {
      frames.push(frame);
      if (fits(frame)) break;
    }
    return frames;
  };

  it("continues when the tab closes, and loses and doubles nothing for a client that returns", async () => {
    agent.turn = words(200);
    const sessionId = await alice.session();
    const answer = await stream(alice, sessionId);
    const runId = answer.headers.get("x-run-id") ?? "";
    let frames = await readUntil(answer, ({ id }) => id === 8);
    assert.equal((await runOf(sessionId))?.runId, runId);
    for (let i = 0; i < 5; i++) {
      const seen = frames.at(-1)?.id ?? 0;
      const back =
        i % 2 === 0 ? await join(runId, seen) : await join(runId, undefined, { "last-event-id": String(seen) });
      frames = [...frames, ...(await readUntil(back, ({ id }) => id === seen + 3))];
    }
    frames = [...frames, ...(await readAll(await join(runId, frames.at(-1)?.id)))];
    assert.deepEqual(
      frames.map(({ id }) => id),
      frames.map((_, index) => index + 1),
    );
    assert.equal(textOf(frames), wordsText(200));
    assert.ok(isWhole(frames));
    assert.equal(await runOf(sessionId), null);
  });

  it("sends the end to a client that joins when the run is in the database and not yet here", async () => {
    const ending = Promise.withResolvers<void>();
    agent.turn = async ({ emit }) => {
      emit({ type: "text", delta: "Hello" });
      await ending.promise;
      return {};
    };
    const answer = await stream(alice, await alice.session());
    const { runs } = oracle.oracle;
    const { store } = runs;
    const [live, framesAfter] = [runs.live, store.framesAfter];
    runs.live = () => undefined;
    store.framesAfter = async () => {
      Object.assign(runs, { live });
      Object.assign(store, { framesAfter });
      return [];
    };
    const frames = readAll(await join(answer.headers.get("x-run-id") ?? ""));
    await sleep(200);
    ending.resolve();
    assert.ok(isWhole(await frames));
    assert.deepEqual(await frames, await readAll(answer));
  });

  it("replays an ended run the same way, byte for byte", async () => {
    agent.turn = words(40, 1);
    const answer = await stream(alice, await alice.session());
    const runId = answer.headers.get("x-run-id") ?? "";
    const live = await answer.text();
    const replayed = await join(runId);
    assert.equal(replayed.headers.get("x-request-id"), answer.headers.get("x-request-id"));
    assert.equal(await replayed.text(), live);
    assert.equal((await (await join(runId, 3)).text()).split("\n")[1], "id: 4");
    const [done, ...none] = await readAll(await join(runId, 999_999));
    assert.deepEqual([done?.event, none.length], ["done", 0]);
  });

  it("refuses a cursor that is none", async () => {
    assert.equal((await join("x", undefined, { "last-event-id": "later" })).status, 404);
    const answer = await stream(alice, await alice.session());
    const runId = answer.headers.get("x-run-id") ?? "";
    await readAll(answer);
    assert.equal((await alice.call("GET", `/runs/${runId}?after=x`)).status, 400);
    assert.equal((await join(runId, undefined, { "last-event-id": "later" })).status, 400);
  });

  it("answers an abort first, ends the stream later, and keeps the partial text", async () => {
    let noticed = 0;
    agent.turn = async ({ emit, signal }) => {
      emit({ type: "text", delta: "partial" });
      await aborted(signal);
      noticed = Date.now();
      emit({ type: "text", delta: " never seen" });
      return {};
    };
    const sessionId = await alice.session();
    const begun = await stream(alice, sessionId);
    const reading = readAll(begun).then((frames) => [frames, Date.now()] as const);
    const answer = await alice.call("POST", "/messages/abort", { sessionId });
    assert.deepEqual(await answer.json(), { success: true });
    const answeredAt = Date.now();
    const [frames, endedAt] = await reading;
    assert.ok(endedAt - answeredAt >= 200, `the stream ended ${endedAt - answeredAt} ms after the answer`);
    assert.ok(noticed - answeredAt < 400, "the turn is announced immediately");
    assert.equal(frames.at(-1)?.data.status, "aborted");
    assert.equal(textOf(frames), "partial");
    assert.ok(isWhole(frames));
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as { messages: object[] };
    assert.deepEqual(
      messages.map((each) => (each as { content: string }).content),
      ["hello", "partial"],
    );
    assert.deepEqual(await (await alice.call("POST", "/messages/abort", { sessionId })).json(), { success: false });
  });

  it("ends an aborted turn soon when its client has left", async () => {
    agent.turn = async ({ signal }) => {
      await aborted(signal);
      return {};
    };
    const sessionId = await alice.session();
    const reading = new AbortController();
    await fetch(`${oracle.url}/messages/${sessionId}`, {
      method: "POST",
      headers: alice.headers,
      signal: reading.signal,
      body: JSON.stringify({ message: "a", stream: true }),
    });
    reading.abort();
    await sleep(50);
    await alice.call("POST", "/messages/abort", { sessionId });
    const began = Date.now();
    while ((await runOf(sessionId)) !== null) await sleep(5);
    assert.ok(Date.now() - began < 200);
  });

  it("ends the session's earlier turn when a new message comes, and keeps both in order", async () => {
    agent.turn = async ({ emit, message, signal }) => {
      emit({ type: "text", delta: `re ${message}` });
      if (message === "first") await aborted(signal);
      return {};
    };
    const sessionId = await alice.session();
    const first = stream(alice, sessionId, "first").then(readAll);
    await sleep(100);
    const second = await readAll(await stream(alice, sessionId, "second"));
    assert.equal((await first).at(-1)?.data.status, "aborted");
    assert.equal(second.at(-1)?.data.status, "finished");
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as { messages: object[] };
    const contents = messages.map((each) => (each as { content: string }).content);
    assert.deepEqual(contents, ["first", "re first", "second", "re second"]);
  });

  it("has one turn at a time however many messages race", async () => {
    let running = 0;
    let most = 0;
    agent.turn = async ({ emit, signal }) => {
      most = Math.max(most, ++running);
      emit({ type: "text", delta: "x" });
      await Promise.race([sleep(20), aborted(signal)]);
      running -= 1;
      return {};
    };
    const sessionId = await alice.session();
    const sent = Array.from({ length: 6 }, (_, i) => stream(alice, sessionId, `m${i}`).then(readAll));
    for (const frames of await Promise.all(sent)) assert.ok(isWhole(frames));
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as {
      messages: { type: string }[];
    };
    assert.deepEqual(
      messages.map(({ type }) => type),
      Array(6).fill(["human", "ai"]).flat(),
    );
    assert.ok(most <= 2, `${most} turns at a time`);
  });

  it("does not wait for ever for a turn that does not heed the abort", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "stubborn" });
      return new Promise(() => {});
    };
    const sessionId = await alice.session();
    const reading = stream(alice, sessionId).then(readAll);
    await sleep(50);
    await alice.call("POST", "/messages/abort", { sessionId });
    assert.equal((await reading).at(-1)?.data.status, "aborted");
  });

  it("sends everything to a slow reader as well", async () => {
    const line = "x".repeat(20_000);
    agent.turn = async ({ emit }) => {
      for (let i = 0; i < 200; i++) {
        emit({ type: "text", delta: line });
        if (i % 20 === 0) await sleep(5);
        else await new Promise(setImmediate);
      }
      return {};
    };
    const answer = await stream(alice, await alice.session());
    await sleep(600);
    const frames = await readAll(answer);
    assert.equal(textOf(frames).length, 200 * line.length);
    assert.ok(isWhole(frames));
  });

  it("ends a run whose text would never end", async () => {
    agent.turn = async ({ emit, signal }) => {
      while (!signal.aborted) {
        await emit({ type: "text", delta: "y".repeat(100_000) });
        await new Promise(setImmediate);
      }
      return {};
    };
    const answer = await alice.call("POST", `/messages/${await alice.session()}`, { message: "a" });
    const {
      code,
      message,
      answer: said,
    } = (await answer.json()) as Record<string, string> & { answer: { content: string } };
    assert.deepEqual([answer.status, code, message], [502, "UPSTREAM", "The answer is longer than a turn may be."]);
    assert.ok(said.content.length > 1_000_000 && said.content.length < 20_000_000);
  });

  it("keeps text that databases refuse without failing", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "a\u0000b\ud800" });
      emit({
        type: "tool",
        toolCallId: "1",
        toolName: "t",
        args: { "\u0000": "\u0000" },
        status: "done",
        output: "\u0000",
      });
      return { messages: [{ role: "assistant", content: "\u0000" }] };
    };
    const frames = await readAll(await stream(alice, await alice.session()));
    assert.equal(frames.at(-1)?.data.status, "finished");
    assert.ok(isWhole(frames));
  });

  it("ends its runs as interrupted when the server stops", async () => {
    agent.turn = async ({ emit, signal }) => {
      emit({ type: "text", delta: "until the stop" });
      await aborted(signal);
      return {};
    };
    const other = await openTestOracle(agent);
    const bob = await newTestUser(other);
    const begun = await stream(bob, await bob.session());
    await other.oracle.stop();
    const frames = await readAll(begun);
    await other.close();
    assert.equal(frames.at(-1)?.data.status, "interrupted");
    assert.equal(textOf(frames), "until the stop");
  });

  it("forgets the frames of old runs but for their end", async () => {
    agent.turn = words(3);
    const answer = await stream(alice, await alice.session());
    const runId = answer.headers.get("x-run-id") ?? "";
    await readAll(answer);
    await oracle.oracle.runs.store.trim(new Date(Date.now() + 1_000));
    assert.equal(
      (await oracle.core.db.select().from(oracleRunFrames).where(eq(oracleRunFrames.runId, runId))).length,
      0,
    );
    assert.deepEqual(
      (await readAll(await join(runId, 2))).map(({ event }) => event),
      ["done"],
    );
  });
});
