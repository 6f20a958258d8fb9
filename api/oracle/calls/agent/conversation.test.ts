import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { quietLog } from "../../../../test/support/oracle/agent.ts";
import { type SpeechServer, startSpeechServer } from "../../../../test/support/speech-server.ts";
import { AppError } from "../../../platform/errors.ts";
import { Conversation, type ShownWords, type StartSpokenTurn } from "./conversation.ts";

const utterance = new Int16Array(16_000).fill(900);

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 250 && !holds(); i += 1) await sleep(20);
  assert.ok(holds(), "it did not come");
}

/** An answer that grows as a test says. */
function growingAnswer() {
  let text = "";
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const say = (more: string) => {
    text += more;
  };
  return { turn: { text: () => text, ended }, say, end };
}

describe("a conversation in a call", () => {
  let speech: SpeechServer;
  let shown: ShownWords[];
  let said: number;
  let hushed: number;
  let demands: string[][];
  before(async () => {
    speech = await startSpeechServer(() => "");
  });
  beforeEach(() => {
    [shown, demands, said, hushed] = [[], [], 0, 0];
    speech.spoken.splice(0);
    speech.failsToSpeak = false;
    speech.words = (_, n) => `Words ${n}.`;
    speech.heard.splice(0);
  });
  after(() => speech.close());

  const converse = (startTurn: StartSpokenTurn, hears = speech.url) => {
    const endpoint = { model: "m", apiKey: undefined };
    return new Conversation(
      {
        call: { id: "CALL-1", sessionId: "s", userDid: "did:key:z" },
        startTurn,
        log: quietLog,
        speech: { hear: { ...endpoint, baseUrl: hears }, speak: { ...endpoint, baseUrl: speech.url, voice: "v" } },
      },
      {
        caption: async (words) => void shown.push(words),
        say: () => void said++,
        hush: () => void hushed++,
        askForPayment: async (claimIds) => void demands.push(claimIds),
      },
    );
  };
  const notices = () => shown.flatMap(({ code }) => code ?? []);

  it("speaks an answer sentence by sentence, while it is still made", async () => {
    const { turn, say, end } = growingAnswer();
    const conversation = converse(async () => turn);
    conversation.begun();
    conversation.spoken(utterance);
    say("There are seven vouchers in Lusaka. Three of them");
    await until(() => said === 1);
    assert.deepEqual(
      speech.spoken.map(({ input }) => input),
      ["There are seven vouchers in Lusaka."],
    );
    say(" are open.");
    end();
    await until(() => said === 2);
    assert.equal(speech.spoken[1]?.input, "Three of them are open.");
    const last = shown.at(-1);
    assert.deepEqual([last?.role, last?.isFinal], ["agent", true]);
    assert.equal(last?.text, "There are seven vouchers in Lusaka. Three of them are open.");
  });

  it("is silent as soon as the user speaks, and takes the new words while the old answer is not yet ended", async () => {
    const [first, second] = [growingAnswer(), growingAnswer()];
    const begun: string[] = [];
    const conversation = converse(async ({ message }) => {
      begun.push(message);
      return begun.length === 1 ? first.turn : second.turn;
    });
    conversation.begun();
    conversation.spoken(utterance);
    await until(() => begun.length === 1);
    first.say("It takes a long time to tell all of this. And more.");
    await until(() => said === 1);
    conversation.begun();
    assert.equal(hushed, 2);
    conversation.spoken(utterance);
    await until(() => begun.length === 2);
    first.end();
    second.say("Yes.");
    second.end();
    await until(() => said === 2);
    assert.deepEqual(
      speech.spoken.map(({ input }) => input),
      ["It takes a long time to tell all of this.", "Yes."],
    );
  });

  it("says so when it cannot be understood, and continues", async () => {
    const { turn, say, end } = growingAnswer();
    const conversation = converse(async () => turn);
    speech.words = (_, n) => (n === 0 ? { status: 503 } : "Again.");
    conversation.spoken(utterance);
    await until(() => shown.length === 1);
    assert.deepEqual(notices(), ["not-understood"]);
    assert.match(shown[0]?.text ?? "", /speech recognition does not answer/);
    conversation.spoken(utterance);
    say("Here I am.");
    end();
    await until(() => said === 1);
  });

  it("says so when it has no voice: the answer is written", async () => {
    const { turn, say, end } = growingAnswer();
    speech.failsToSpeak = true;
    const conversation = converse(async () => turn);
    conversation.spoken(utterance);
    say("Here I am.");
    end();
    await until(() => notices().includes("no-voice"));
    assert.ok(shown.some(({ role, text }) => role === "agent" && text === "Here I am."));
    assert.equal(said, 0);
  });

  it("asks for payment, and answers when it is paid", async () => {
    const { turn, say, end } = growingAnswer();
    let paid = false;
    const conversation = converse(async () => {
      if (!paid) throw new AppError("PAYMENT_REQUIRED", "Pay first.", { extra: { claimIds: ["CLM-1"] } });
      return turn;
    });
    conversation.spoken(utterance);
    await until(() => demands.length === 1);
    assert.deepEqual([demands, notices()], [[["CLM-1"]], ["payment-required"]]);
    paid = true;
    conversation.spoken(utterance);
    say("Thank you.");
    end();
    await until(() => said === 1);
  });

  it("tells a refusal in its own words, and a failure without its cause", async () => {
    const failures = [new AppError("RATE_LIMITED", "Too many messages."), new Error("secret cause")];
    const conversation = converse(async () => {
      throw failures.shift();
    });
    conversation.spoken(utterance);
    conversation.spoken(utterance);
    await until(() => notices().length === 2);
    assert.deepEqual(notices(), ["refused", "not-answered"]);
    assert.ok(!JSON.stringify(shown).includes("secret cause"));
  });
});
