import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newTestUser } from "../../api/oracle/testing.ts";
import { withoutBrowser } from "../support/browser.ts";
import { type CallWorld, openCallWorld } from "./calls-world.ts";

describe("two tabs in a call", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  before(async () => {
    world = await openCallWorld();
  });
  after(() => world?.close());

  it("see and hear each other, and show the same safety number", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId);
    const two = await world.join(sessionId);
    for (const tab of [one, two]) {
      const [from] = await tab.receives(([each]) => (each?.framesDecoded ?? 0) > 10 && (each?.audioEnergy ?? 0) > 0);
      assert.ok(from !== undefined);
      const { status, error, participants } = await tab.state();
      assert.deepEqual([status, error, participants.length], ["connected", undefined, 1]);
    }
    const [a, b] = [await one.state(), await two.state()];
    assert.match(a.safetyNumber ?? "", /^(\d{5} ){11}\d{5}$/);
    assert.equal(a.safetyNumber, b.safetyNumber);
  });

  it("see who mutes, switches the camera off, and leaves; a guest who is invited joins", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId);
    const invitation = await one.page.evaluate(async () => (await window.call.invite()).invitation);
    const bob = await newTestUser(world.oracle);
    const guest = await world.join("", { did: bob.did, invocation: bob.invocation, invitation });
    await guest.receives(([from]) => (from?.framesDecoded ?? 0) > 5);
    const { safetyNumber } = await one.shows((state) => state.participants.some(({ connected }) => connected));
    assert.equal((await guest.state()).safetyNumber, safetyNumber);
    await one.page.evaluate(async () => {
      await window.call.toggleMute();
      await window.call.setVideoEnabled(false);
    });
    const { participants } = await guest.shows(({ participants: [other] }) => other?.muted === true && !other.video);
    assert.equal(participants[0]?.did, world.user.did);
    assert.deepEqual([(await one.state()).isMuted, (await one.state()).tracks], [true, 1]);
    await one.page.evaluate(() => window.call.setVideoEnabled(true));
    await guest.shows(({ participants: [other] }) => other?.video === true);
    await guest.page.evaluate(() => window.call.leave());
    await one.shows(({ participants: others, safetyNumber: digits }) => others.length === 0 && digits === undefined);
    assert.deepEqual([(await guest.state()).status, (await guest.state()).tracks], ["ended", 0]);
  });
});
