import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { type CallTab, type CallWorld, openCallWorld } from "./calls-world.ts";

/** Far above a decoder's comfort noise, and far below a beep of the microphone. */
const silence = 1e-5;
const deviceOf = (tab: CallTab, kind: "audio" | "video") =>
  tab.page.evaluate((wanted) => {
    const track = window.call
      .getState()
      .localStream?.getTracks()
      .find((each) => each.kind === wanted);
    return track === undefined ? undefined : { id: track.getSettings().deviceId, live: track.readyState === "live" };
  }, kind);
const devicesOf = (tab: CallTab, kind: "audioInputs" | "videoInputs") =>
  tab.page.evaluate((wanted) => window.call.getState().devices[wanted].map(({ deviceId }) => deviceId), kind);

describe("devices of a call", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  before(async () => {
    world = await openCallWorld();
  });
  after(() => world?.close());

  it("can be changed by id during the call, are replaced when unplugged, and can be muted from the start", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId, { muted: true });
    const two = await world.join(sessionId);
    const { participants } = await two.shows((state) => state.participants.some(({ connected }) => connected));
    assert.equal(participants[0]?.muted, true);
    const [quiet] = await two.receives(([from]) => (from?.framesDecoded ?? 0) > 5);
    assert.ok((quiet?.audioEnergy ?? 1) < silence, "one who begins in silence is heard");
    await one.page.evaluate(() => window.call.setMuted(false));
    await two.receives(([from]) => (from?.audioEnergy ?? 0) > silence);
    for (const [kind, plural] of [
      ["audio", "audioInputs"],
      ["video", "videoInputs"],
    ] as const) {
      const before = await deviceOf(one, kind);
      const other = (await devicesOf(one, plural)).find((id) => id !== before?.id);
      assert.ok(other !== undefined, `there is no other ${kind} device`);
      await one.page.evaluate(([k, id]) => window.call.selectDevice(`${k}input` as MediaDeviceKind, id), [
        kind,
        other,
      ] as const);
      assert.deepEqual(await deviceOf(one, kind), { id: other, live: true });
      const missing = await one.page.evaluate(
        (k) => window.call.selectDevice(`${k}input` as MediaDeviceKind, "none").catch((error) => error.reason),
        kind,
      );
      assert.deepEqual([missing, await deviceOf(one, kind)], ["missing", { id: other, live: true }]);
      // What the browser reports for an unplugged device.
      await one.page.evaluate((k) => {
        const track = window.call
          .getState()
          .localStream?.getTracks()
          .find((each) => each.kind === k);
        track?.stop();
        track?.dispatchEvent(new Event("ended"));
      }, kind);
      await one.page.waitForFunction((k) => {
        const track = window.call
          .getState()
          .localStream?.getTracks()
          .find((each) => each.kind === k);
        return track?.readyState === "live";
      }, kind);
    }
    const [seen] = await two.received();
    await two.receives(
      ([from]) =>
        (from?.framesDecoded ?? 0) > (seen?.framesDecoded ?? 0) + 10 &&
        (from?.audioEnergy ?? 0) > (seen?.audioEnergy ?? 0),
    );
    // No permission is left, so no other device can replace it.
    await one.page.context().clearPermissions();
    const { deviceProblem, isMuted, isVideoEnabled, status } = await one.shows(({ tracks }) => tracks === 0);
    assert.deepEqual([deviceProblem?.reason, isMuted, isVideoEnabled, status], ["refused", true, false, "connected"]);
    await two.shows(({ participants: [other] }) => other?.muted === true && !other.video);
    for (const tab of [one, two]) await tab.page.close();
  });

  it("that are refused: the call continues without a camera; a missing microphone is an error, and the user can still listen", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId, {}, { permissions: ["microphone"] });
    const { status, deviceProblem, isVideoEnabled } = await one.state();
    assert.deepEqual(
      [status, deviceProblem, isVideoEnabled],
      ["connected", { kind: "video", reason: "refused" }, false],
    );
    const two = await world.join(sessionId, {}, { permissions: [] });
    const refused = await two.state();
    assert.equal(refused.status, "error");
    assert.match(refused.error ?? "", /microphone may not be used/);
    await two.page.evaluate(() => window.call.join({ audio: false }));
    assert.deepEqual([(await two.state()).status, (await two.state()).isMuted], ["connected", true]);
    await two.receives(([from]) => (from?.audioEnergy ?? 0) > silence);
    for (const tab of [one, two]) await tab.page.close();
  });
});
