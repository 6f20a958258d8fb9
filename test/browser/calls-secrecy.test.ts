import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import OpusScript from "opusscript";
import { FrameOpener } from "../../sdk/src/live-agent/media-frames.ts";
import { withoutBrowser } from "../support/browser.ts";
import { type Recorder, recordCall } from "./calls-recorder.ts";
import { type CallWorld, openCallWorld } from "./calls-world.ts";

/** The loudest sample of Opus frames; invalid frames are skipped. */
function loudest(frames: Uint8Array[]): number {
  const opus = new OpusScript(48_000, 1);
  let most = 0;
  for (const frame of frames) {
    const pcm = opus.decode(Buffer.from(frame));
    for (let at = 0; at + 1 < pcm.length; at += 2) most = Math.max(most, Math.abs(pcm.readInt16LE(at)));
  }
  opus.delete();
  return most;
}

async function recorded({ payloads }: Recorder, count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  for (let i = 0; i < 600 && payloads.length < count; i += 1) await sleep(100);
  assert.ok(payloads.length >= count, `only ${payloads.length} came`);
  return payloads.map((payload) => new Uint8Array(payload));
}

describe("a recorder of a call's media", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  const recorders: Recorder[] = [];
  before(async () => {
    world = await openCallWorld();
  });
  after(async () => {
    for (const recorder of recorders) await recorder.close();
    await world?.close();
  });
  const record = async (sessionId: string) => {
    const recorder = await recordCall(world, sessionId);
    recorders.push(recorder);
    return recorder;
  };

  it("gets only encrypted media, which only the sender's key decrypts", async () => {
    const sessionId = await world.user.session();
    const tab = await world.join(sessionId, { media: { audio: true } });
    const payloads = await recorded(await record(sessionId), 150);
    const keys = await tab.page.evaluate(() => window.sentKeys);
    const [opener, stranger] = [new FrameOpener(), new FrameOpener()];
    for (const { keyId, base } of keys) {
      await opener.addKey(new Uint8Array(base), keyId);
      await stranger.addKey(crypto.getRandomValues(new Uint8Array(32)), keyId);
    }
    const opened: Uint8Array[] = [];
    for (const payload of payloads) {
      assert.equal(await stranger.open("audio", payload), undefined);
      const frame = await opener.open("audio", payload);
      if (frame === undefined) continue;
      opened.push(frame);
      if (frame.length > 8) assert.equal(Buffer.from(payload).indexOf(frame.subarray(1)), -1);
    }
    assert.equal(opened.length, payloads.length);
    assert.ok(loudest(opened) > 1_000, "what was opened is not what the microphone heard");
  });

  it("gets silence when the browser does not encrypt", async () => {
    const sessionId = await world.user.session();
    const tab = await world.join(sessionId, { media: { audio: true } });
    await tab.page.evaluate(() =>
      Object.defineProperty(RTCRtpSender.prototype, "transform", { set: () => {}, configurable: true }),
    );
    const payloads = await recorded(await record(sessionId), 150);
    assert.ok(loudest(payloads) < 10, "sound went out readable");
  });

  it("gets no call from a browser that cannot encrypt; Chromium's older interface works like the standard one", async () => {
    const sessionId = await world.user.session();
    const older = () => Reflect.deleteProperty(globalThis, "RTCRtpScriptTransform");
    const neither = () => {
      Reflect.deleteProperty(globalThis, "RTCRtpScriptTransform");
      Reflect.deleteProperty(RTCRtpSender.prototype, "createEncodedStreams");
    };
    const media = { audio: true, video: { width: 160, height: 120, frameRate: 10 } };
    const one = await world.join(sessionId, { media });
    const two = await world.join(sessionId, { media }, { before: older });
    for (const tab of [one, two])
      await tab.receives(([from]) => (from?.framesDecoded ?? 0) > 5 && (from?.audioEnergy ?? 0) > 1e-5);
    const three = await world.join(sessionId, { media }, { before: neither });
    const { status, error, tracks } = await three.state();
    assert.deepEqual([status, tracks], ["error", 0]);
    assert.equal(error, "This browser cannot encrypt media end to end.");
    for (const tab of [one, two, three]) await tab.page.close();
  });
});
