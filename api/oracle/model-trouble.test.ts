import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { EventType, HttpAgent } from "@ag-ui/client";
import { z } from "zod";
import { type Act, type ModelServer, startModelServer } from "../../test/support/model-server.ts";
import { bootOf, pluginOf, quietLog } from "../../test/support/oracle/agent.ts";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import { isWhole, readAll, stream, textOf } from "../../test/support/oracle/streams.ts";
import { createAgent } from "./agent/agent.ts";
import { defineOracleTool } from "./plugins/host/tool.ts";

// Long enough for a busy machine to pass the first words on.
const silenceMs = 1200;

const look = defineOracleTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.strictObject({ at: z.int() }),
  destructive: false,
  readOnly: true,
  run: async ({ input }) => ({ seen: input.at }),
});

describe("a language model that does not do as it should", () => {
  let model: ModelServer;
  let oracle: TestOracle;
  let alice: TestUser;
  before(async () => {
    model = await startModelServer(() => []);
    const always = {
      title: "t",
      summary: "s",
      whenToUse: ["w"],
      category: "core" as const,
      visibility: "always" as const,
    };
    const plugins = await bootOf([pluginOf("looking", [look], { manifest: always })]);
    const endpoint = { baseUrl: model.url, apiKey: undefined, models: ["m"], silenceMs };
    oracle = await openTestOracle(
      createAgent({ plugins, oracleName: "Test", endpoint, log: quietLog, limits: { steps: 3 } }),
    );
    alice = await newTestUser(oracle);
  });
  after(async () => {
    await oracle?.close();
    await model?.close();
  });
  beforeEach(() => {
    model.requests.length = 0;
  });

  const streamed = async (acts: Act[]) => {
    model.script = () => acts;
    const sessionId = await alice.session();
    const frames = await readAll(await stream(alice, sessionId));
    assert.ok(isWhole(frames));
    return { frames, sessionId, status: frames.at(-1)?.data.status };
  };
  const whole = async (acts: Act[], body: object = {}) => {
    model.script = () => acts;
    const sessionId = await alice.session();
    const answer = await alice.call("POST", `/messages/${sessionId}`, { message: "hello", ...body });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, sessionId };
  };
  const never = new Promise(() => {});
  /** A failure that the library would otherwise try again. */
  const overloaded = '{"error":{"message":"overloaded","code":503}}';

  for (const [name, broken] of [
    ["whose connection breaks", { disconnect: true }],
    ["that reports an error", { raw: overloaded }],
    ["that falls silent", { until: never }],
  ] as const) {
    describe(`${name} after its first words`, () => {
      const acts: Act[] = [{ text: ["Once ", "upon "] }, { waitMs: 50 }, broken];

      it("is not asked again, and the stream ends failed with its words said once", async () => {
        const { frames, status, sessionId } = await streamed(acts);
        assert.deepEqual([textOf(frames), status, model.requests.length], ["Once upon ", "failed", 1]);
        const error = frames.find(({ event }) => event === "error")?.data;
        assert.deepEqual([error?.kind, error?.retryable], ["UPSTREAM", true]);
        assert.match(String(error?.error), /language model/);
        const { messages } = (await (await alice.call("GET", `/messages/${sessionId}`)).json()) as {
          messages: { content: string; isComplete: boolean }[];
        };
        assert.deepEqual([messages[1]?.content, messages[1]?.isComplete], ["Once upon ", false]);
      });

      it("gets 502 with the text so far, and the same again when it is requested again", async () => {
        const { status, body, sessionId } = await whole(acts, { requestId: "once" });
        const answer = body.answer as { type: string; content: string; id: string };
        assert.deepEqual([status, body.code, body.statusCode], [502, "UPSTREAM", 502]);
        assert.deepEqual([answer.type, answer.content, body.sessionId], ["ai", "Once upon ", sessionId]);
        const again = await alice.call("POST", `/messages/${sessionId}`, { message: "hello", requestId: "once" });
        assert.equal(again.status, 502);
        assert.deepEqual(((await again.json()) as typeof body).answer, answer);
        assert.equal(model.requests.length, 1);
      });

      it("ends an AG-UI run as an error", async () => {
        model.script = () => acts;
        const http = new HttpAgent({ url: `${oracle.url}/ag-ui`, headers: alice.headers, threadId: `thread ${name}` });
        const events: string[] = [];
        http.addMessage({ id: crypto.randomUUID(), role: "user", content: "hello" });
        await http.runAgent({}, { onEvent: ({ event }) => void events.push(event.type) }).catch(() => {});
        assert.equal(events.at(-1), EventType.RUN_ERROR);
        assert.equal(events.filter((type) => type === EventType.TEXT_MESSAGE_START).length, 1);
      });
    });
  }

  it("is asked again when it fails before it has said anything", async () => {
    model.script = (_, turn) => (turn === 0 ? [{ status: 503, body: {} }] : [{ text: "Here." }]);
    const frames = await readAll(await stream(alice, await alice.session()));
    assert.deepEqual([textOf(frames), frames.at(-1)?.data.status, model.requests.length], ["Here.", "finished", 2]);
  });

  it("is aborted when it never says a word, whatever else keeps the line open", async () => {
    const idle = Array.from({ length: 160 }, (): Act[] => [
      { raw: '{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}' },
      { waitMs: 50 },
    ]).flat();
    for (const acts of [[{ until: never }], idle]) {
      const began = Date.now();
      const { frames, status } = await streamed(acts);
      assert.deepEqual([textOf(frames), status], ["", "failed"]);
      assert.ok(Date.now() - began < 5 * silenceMs);
      const error = frames.find(({ event }) => event === "error")?.data;
      assert.equal(error?.error, "The language model said nothing for 1.2 seconds.");
    }
    assert.equal(model.requests.length, 2);
    assert.equal((await whole([{ until: never }])).status, 502);
  });

  it("may take as long as it likes while it speaks", async () => {
    const { frames, status } = await streamed([{ text: Array.from({ length: 12 }, (_, i) => `${i} `), delayMs: 120 }]);
    assert.deepEqual([textOf(frames), status], ["0 1 2 3 4 5 6 7 8 9 10 11 ", "finished"]);
  });

  it("that calls tools without end is stopped with a sentence, and the next message continues", async () => {
    model.script = (_, turn) => [{ calls: [{ name: "look", args: { at: turn } }] }];
    const sessionId = await alice.session();
    const frames = await readAll(await stream(alice, sessionId));
    assert.equal(model.requests.length, 3);
    assert.equal(frames.at(-1)?.data.status, "finished");
    assert.match(textOf(frames), /^I have stopped here, because one message may take at most 3 steps/);
    model.script = () => [{ text: "Done." }];
    assert.equal(textOf(await readAll(await stream(alice, sessionId, "continue"))), "Done.");
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(said, /I have stopped here/);
  });

  it("that ends by itself on its last step is not said to be stopped", async () => {
    model.script = (_, turn) => (turn < 2 ? [{ calls: [{ name: "look", args: { at: turn } }] }] : [{ text: "Seen." }]);
    const frames = await readAll(await stream(alice, await alice.session()));
    assert.equal(textOf(frames), "Seen.");
  });
});
