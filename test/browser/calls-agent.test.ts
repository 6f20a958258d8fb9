import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createAgent } from "../../api/oracle/agent/agent.ts";
import { capabilityTools } from "../../api/oracle/agent/capabilities.ts";
import { calls } from "../../api/oracle/plugins/calls/plugin.ts";
import { loadPlugins } from "../../api/oracle/plugins/host/load-plugins.ts";
import { withoutBrowser } from "../support/browser.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { quietLog } from "../support/oracle/agent.ts";
import { openTestServices, type TestServices } from "../support/oracle/plugins.ts";
import { type SpeechServer, speechLikeWav, startSpeechServer } from "../support/speech-server.ts";
import { type CallWorld, openCallWorld } from "./calls-world.ts";
import { sees } from "./waiting.ts";

type Chat = { messages: { type: string; content: string }[] };

/** Samples of a tenth of a second. */
const windowSize = 1_600;

/** Loudness of the loudest tenth of a second of a WAV file: on a busy machine, silence may be recorded around the words. */
function loudness(wav: Buffer): number {
  const pcm = wav.subarray(44);
  const samples = Array.from({ length: Math.floor(pcm.length / 2) }, (_, index) => pcm.readInt16LE(2 * index));
  const starts = Array.from({ length: Math.ceil(samples.length / windowSize) }, (_, index) => index * windowSize);
  const powers = starts.map((start) => {
    const window = samples.slice(start, start + windowSize);
    return window.reduce((sum, sample) => sum + sample ** 2, 0) / windowSize;
  });
  return Math.sqrt(Math.max(0, ...powers));
}

describe("the agent in a call", { skip: withoutBrowser() }, () => {
  let folder: string;
  let model: ModelServer;
  let speech: SpeechServer;
  const open: { world: CallWorld; services: TestServices }[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "call-"));
    await writeFile(join(folder, "voice.wav"), speechLikeWav());
    speech = await startSpeechServer((_, n) => (n === 0 ? "How many vouchers are there?" : ""));
    model = await startModelServer(() => [{ text: ["There are ", "seven."], delayMs: 50 }]);
  });
  after(async () => {
    for (const { world, services } of open) {
      await world.close();
      await services.close();
    }
    await speech?.close();
    await model?.close();
    await rm(folder, { recursive: true });
  });

  /** A runtime whose plugin has this environment. */
  const openWorld = async (env: Record<string, string>) => {
    const services = await openTestServices();
    const plugins = await loadPlugins({
      plugins: [calls],
      features: {},
      env,
      services: services.services,
      log: quietLog,
      ownTools: capabilityTools,
      say: () => {},
    });
    const endpoint = { baseUrl: model.url, apiKey: undefined, models: ["scripted"] };
    const agent = createAgent({ plugins, oracleName: "Hearth", endpoint, log: quietLog });
    const args = [`--use-file-for-fake-audio-capture=${join(folder, "voice.wav")}`];
    const world = await openCallWorld({ agent, speech: plugins[0]?.speech, args });
    open.push({ world, services });
    return world;
  };

  it("hears the user, and answers with a turn of the session, in captions and by voice", async () => {
    const world = await openWorld({ STT_BASE_URL: speech.url, STT_API_KEY: "stt-key", TTS_BASE_URL: speech.url });
    const sessionId = await world.user.session();
    const tab = await world.join(sessionId, { agent: true, media: { audio: true } });
    const { participants } = await tab.shows((state) => state.participants.some(({ connected }) => connected));
    assert.deepEqual(
      participants.map(({ kind, did }) => [kind, did]),
      [["agent", world.oracle.did]],
    );
    const { captions } = await tab.shows((state) =>
      state.captions.some(({ role, isFinal }) => role === "agent" && isFinal),
    );
    assert.deepEqual(
      captions.map(({ role, text }) => [role, text]),
      [
        ["user", "How many vouchers are there?"],
        ["agent", "There are seven."],
      ],
    );
    const [heard] = speech.heard;
    assert.deepEqual([heard?.model, heard?.authorization], ["whisper-1", "Bearer stt-key"]);
    assert.ok(
      heard !== undefined && loudness(heard.wav) > 1_000,
      "what was sent to be understood is not what was said",
    );
    await tab.receives(([from]) => (from?.audioEnergy ?? 0) > 0.01);
    assert.equal(speech.spoken[0]?.input, "There are seven.");
    const thread = async () => {
      const answer = await world.user.call("GET", `/messages/${encodeURIComponent(sessionId)}`);
      return ((await answer.json()) as Chat).messages.map(({ type, content }) => [type, content]);
    };
    await sees(thread, [
      ["human", "How many vouchers are there?"],
      ["ai", "There are seven."],
    ]);
    const prompt = JSON.stringify(model.requests[0]?.messages[0]);
    assert.match(prompt, /live call/);
    await tab.page.evaluate(() => window.call.leave());
    assert.equal((await tab.state()).status, "ended");
  });

  it("says that it cannot hear when no speech recognition is configured", async () => {
    const world = await openWorld({});
    const tab = await world.join(await world.user.session(), { agent: true, media: { audio: true } });
    const { captions } = await tab.shows((state) => state.captions.length > 0);
    assert.deepEqual(
      captions.map(({ role }) => role),
      ["notice"],
    );
    assert.match(captions[0]?.text ?? "", /cannot hear.*Type/);
  });
});
