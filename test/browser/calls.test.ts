import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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
});
