import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { Vp8RtpPayload } from "werift";
import { FrameOpener } from "../../sdk/src/live-agent/media-frames.ts";
import { withoutBrowser } from "../support/browser.ts";
import { openRelay, type Relay } from "./calls-relay.ts";
import { type CallWorld, openCallWorld } from "./calls-world.ts";

async function openerOf(keys: { keyId: number; base: number[] }[]): Promise<FrameOpener> {
  const opener = new FrameOpener();
  for (const { keyId, base } of keys) await opener.addKey(new Uint8Array(base), keyId);
  return opener;
}

/** Complete VP8 frames from the packets of both directions: frames of one packet, as small pictures have. */
function pictures({ payloads }: Relay): Uint8Array<ArrayBuffer>[] {
  return payloads.video.flatMap((packet) => {
    const { payload, isPartitionHead } = Vp8RtpPayload.deSerialize(packet);
    return isPartitionHead ? [new Uint8Array(payload)] : [];
  });
}

describe("a relay between two tabs", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  const recorders: Relay[] = [];
  before(async () => {
    world = await openCallWorld();
  });
  after(async () => {
    for (const recorder of recorders) await recorder.close();
    await world?.close();
  });

  it("receives only encrypted sound and pictures; the other end plays both", async () => {
    const sessionId = await world.user.session();
    const relay = openRelay(world);
    recorders.push(relay);
    const one = await relay.join(sessionId);
    const two = await relay.join(sessionId);
    for (const tab of [one, two])
      await tab.receives(([from]) => (from?.framesDecoded ?? 0) > 5 && (from?.audioEnergy ?? 0) > 1e-5);
    const keys = await Promise.all([one, two].map((tab) => tab.page.evaluate(() => window.sentKeys)));
    const frames = { audio: relay.payloads.audio.map((payload) => new Uint8Array(payload)), video: pictures(relay) };
    for (const kind of ["audio", "video"] as const) {
      const openers = await Promise.all(keys.map(openerOf));
      const stranger = await openerOf(keys.flat().map(({ keyId }) => ({ keyId, base: [...randomBytes(32)] })));
      let opened = 0;
      for (const frame of frames[kind].slice(-60)) {
        assert.equal(await stranger.open(kind, frame), undefined);
        const plain = await Promise.all(openers.map((opener) => opener.open(kind, frame)));
        const [clear] = plain.filter((each) => each !== undefined);
        if (clear === undefined) continue;
        opened += 1;
        assert.equal(plain.filter((each) => each !== undefined).length, 1);
        if (clear.length > 32) assert.equal(Buffer.from(frame).indexOf(clear.subarray(-16)), -1);
      }
      assert.ok(opened > 5, `nothing of ${kind} opens with the keys of those who sent it`);
    }
    for (const tab of [one, two]) await tab.page.close();
  });
});
