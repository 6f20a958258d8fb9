import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { type ModelServer, startModelServer } from "../../../test/support/model-server.ts";
import { streamedModel } from "./streamed-model.ts";
import { tappedFetch } from "./tapped-fetch.ts";

describe("a streamed answer of a model server", () => {
  let server: ModelServer;
  let told: string[];
  before(async () => {
    server = await startModelServer(() => []);
  });
  after(() => server.close());
  beforeEach(() => {
    told = [];
  });

  const model = (toolInput?: (call: { text: string }) => void) => {
    const provider = createOpenAICompatible({
      name: "scripted",
      baseURL: server.url,
      fetch: tappedFetch((kind, delta) => told.push(kind === "text" ? delta : `(${delta})`)),
    });
    return streamedModel(provider.chatModel("m"), toolInput === undefined ? {} : { toolInput });
  };

  it("is reported token by token, while the library gets the whole text", async () => {
    server.script = () => [{ text: ["Hel", "lo", " wörld"] }];
    const { text, finishReason } = await generateText({ model: model(), prompt: "hi" });
    assert.deepEqual(told, ["Hel", "lo", " wörld"]);
    assert.equal(text, "Hello wörld");
    assert.equal(finishReason, "stop");
  });

  it("is reported before it ends", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    server.script = async () => [{ text: ["a", "b"], delayMs: 40 }, { waitMs: 200 }, { text: "c" }];
    const answer = generateText({ model: model(), prompt: "hi" }).then((result) => {
      go();
      return result;
    });
    const first = await Promise.race([gate.then(() => "ended"), until(() => told.length > 0).then(() => "told")]);
    assert.equal(first, "told");
    assert.equal((await answer).text, "abc");
  });

  it("keeps reasoning, text and calls in their order, and continues after a tool's result", async () => {
    server.script = (_, turn) =>
      turn % 2 === 0
        ? [{ reasoning: "hm" }, { text: ["Let ", "me"] }, { calls: [{ name: "add", args: { a: 1, b: 2 } }] }]
        : [{ text: ["It is", " 3"] }];
    server.requests.length = 0;
    const inputs: string[] = [];
    const { text, steps } = await generateText({
      model: model(({ text: so }) => inputs.push(so)),
      prompt: "1+2",
      tools: {
        add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b }),
      },
      stopWhen: isStepCount(4),
    });
    assert.deepEqual(told, ["(hm)", "Let ", "me", "It is", " 3"]);
    assert.equal(text, "It is 3");
    assert.equal(steps.length, 2);
    assert.equal(inputs.at(-1), `{"a":1,"b":2}`);
    assert.deepEqual(
      server.requests[1]?.messages.map(({ role }) => role),
      ["user", "assistant", "tool"],
    );
  });

  it("fails when the connection breaks, after the text so far was reported", async () => {
    server.script = () => [{ text: ["half"] }, { waitMs: 30 }, { disconnect: true }];
    await assert.rejects(generateText({ model: model(), prompt: "hi", maxRetries: 0 }));
    assert.deepEqual(told, ["half"]);
  });

  it("fails at a chunk that is none, and at a refusal", async () => {
    server.script = () => [{ text: ["x"] }, { raw: "{not json" }];
    await assert.rejects(generateText({ model: model(), prompt: "hi", maxRetries: 0 }));
    server.script = () => [{ status: 429, body: { error: { message: "slow down" } } }];
    await assert.rejects(generateText({ model: model(), prompt: "hi", maxRetries: 0 }), /slow down/);
  });

  it("stops asking when it is aborted", async () => {
    server.aborted = 0;
    server.script = () => [{ text: ["a"] }, { waitMs: 5_000 }, { text: "b" }];
    const abort = new AbortController();
    const answer = generateText({ model: model(), prompt: "hi", abortSignal: abort.signal, maxRetries: 0 });
    await until(() => told.length > 0);
    abort.abort();
    await assert.rejects(answer);
    await until(() => server.aborted === 1);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
