import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { agentOf, readAll, stream } from "../../../test/support/oracle/streams.ts";
import { MessagePartLog, readParts } from "../wire/message-parts.ts";

type Shown = { id: string; content: string; toolCalls?: { id: string; name: string }[]; parts?: object[] };

describe("the order of what an answer says", () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let alice: TestUser;
  before(async () => {
    oracle = await openTestOracle(agent);
    alice = await newTestUser(oracle);
  });
  after(() => oracle.close());
  const answered = async (sessionId: string) => {
    const frames = await stream(alice, sessionId, "go");
    await readAll(frames);
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as { messages: Shown[] };
    return { message: messages.at(-1) as Shown, header: frames.headers.get("x-message-id") };
  };

  it("is kept with it: text, reasoning, calls, and components that no call asked for", async () => {
    agent.turn = ({ emit }) => {
      const look = { type: "tool", toolCallId: "c1", toolName: "look", args: {} } as const;
      emit({ type: "text", delta: "First \u0000😀. " });
      emit({ ...look, status: "isRunning" });
      emit({ type: "component", componentName: "Gauge", args: { value: 1 }, eventId: "c1" });
      emit({ ...look, status: "done", output: "seen" });
      emit({ type: "reasoning", text: "Hm." });
      emit({ type: "text", delta: "Then " });
      emit({ type: "component", componentName: "Chart", args: { points: [1] }, status: "done", eventId: "own" });
      emit({ type: "text", delta: "last." });
      return {};
    };
    const { message } = await answered(await alice.session());
    assert.equal(message.content, "First 😀. Then last.");
    const [call] = message.toolCalls ?? [];
    assert.deepEqual(message.parts, [
      { type: "text", text: "First 😀. " },
      { type: "tool_call", id: call?.id },
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Then " },
      { type: "component", id: "own", componentName: "Chart", args: { points: [1] }, status: "done" },
      { type: "text", text: "last." },
    ]);
  });

  it("is not told of an answer that is text alone", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "reasoning", text: "Hm." });
      emit({ type: "text", delta: "Yes." });
      return {};
    };
    const { message } = await answered(await alice.session());
    assert.equal(message.content, "Yes.");
    assert.ok(!("parts" in message));
  });

  it("has an id that the stream's header shows before the answer is there", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "Yes." });
      return {};
    };
    const sessionId = await alice.session();
    const { message, header } = await answered(sessionId);
    assert.equal(header, message.id);
    const runId = (await readAll(await stream(alice, sessionId, "again")))[0]?.data.runId;
    const joined = await alice.call("GET", `/runs/${runId}`);
    await readAll(joined);
    const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as { messages: Shown[] };
    assert.equal(joined.headers.get("x-message-id"), messages.at(-1)?.id);
  });

  it("survives what the database cannot hold", () => {
    const log = new MessagePartLog();
    log.addText("a\u0000b");
    log.addCall("c");
    log.addText("\ud83d");
    log.addText("\ude00c");
    assert.deepEqual(readParts(log.stored, "ab😀c", ""), [
      { type: "text", text: "ab" },
      { type: "tool_call", id: "c" },
      { type: "text", text: "😀c" },
    ]);
  });
});
