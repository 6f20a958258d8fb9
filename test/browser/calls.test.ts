import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { newTestUser } from "../support/oracle/oracle.ts";
import { type CallTab, type CallWorld, openCallWorld } from "./calls-world.ts";
import { sees } from "./waiting.ts";

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
    for (const tab of [one, two]) await tab.page.close();
  });

  it("are joined by a third: all hear each other, and nobody can decrypt media from before joining or after leaving", async () => {
    const sessionId = await world.user.session();
    const media = { audio: true, video: { width: 160, height: 120, frameRate: 10 } };
    const [one, two] = [await world.join(sessionId, { media }), await world.join(sessionId, { media })];
    await one.receives(([from]) => (from?.framesDecoded ?? 0) > 5);
    const keysBefore = (await one.page.evaluate(() => window.sentKeys)).map(({ keyId }) => keyId);
    const three = await world.join(sessionId, { media });
    for (const tab of [one, two, three]) {
      await tab.receives(
        (from) => from.length === 2 && from.every((each) => each.framesDecoded > 5 && each.audioEnergy > 0),
      );
    }
    const numbers = await Promise.all([one, two, three].map(async (tab) => (await tab.state()).safetyNumber));
    assert.equal(new Set(numbers).size, 1);
    const firstId = (await three.state()).participants[0]?.id;
    const keysOf = (tab: CallTab) =>
      tab.page.evaluate(
        (id) => window.receivedKeys.flatMap(({ from, keyId }) => (from === id ? [keyId] : [])),
        firstId,
      );
    assert.ok(Math.min(...(await keysOf(three))) > Math.max(...keysBefore), "a late comer has an earlier key");
    const known = (await keysOf(three)).length;
    await two.page.evaluate(() => window.call.leave());
    await one.shows(({ participants }) => participants.length === 1);
    await sees(async () => (await keysOf(three)).length > known, true);
    const newest = Math.max(...(await keysOf(three)));
    assert.ok(newest > Math.max(...(await keysOf(two))), "one who left has the key that is in use");
    const [seen] = await one.received();
    await one.receives(([from]) => (from?.framesDecoded ?? 0) > (seen?.framesDecoded ?? 0) + 20);
    for (const tab of [one, three]) await tab.page.close();
  });

  it("leave the call when their page is closed", async () => {
    const sessionId = await world.user.session();
    const media = { audio: true };
    const [one, two] = [await world.join(sessionId, { media }), await world.join(sessionId, { media })];
    await one.shows(({ participants }) => participants.length === 1);
    await two.page.goto("about:blank");
    await one.shows(({ participants }) => participants.length === 0);
    await one.page.close();
  });

  it("see who mutes, switches the camera off, and leaves; an invited guest joins", async () => {
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
