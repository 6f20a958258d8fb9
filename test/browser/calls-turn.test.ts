import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { startTurnServer, type TurnServer, withoutTurnServer } from "../support/turn-server.ts";
import { type CallTab, type CallWorld, openCallWorld } from "./calls-world.ts";

const secret = "known to the relay and to the oracle";
const media = { audio: true, video: { width: 160, height: 120, frameRate: 10 } };
const connection = { iceTransportPolicy: "relay" } as const;

/** Kinds of the two ends of the media connection. */
const wayOf = (tab: CallTab) =>
  tab.page.evaluate(async () => {
    const [other] = window.call.getState().participants;
    const stats = [...((await window.call.getStats(other?.id ?? ""))?.values() ?? [])];
    const chosen = stats.find(({ type }) => type === "transport")?.selectedCandidatePairId;
    const pair = stats.find(({ id }) => id === chosen);
    return [pair?.localCandidateId, pair?.remoteCandidateId].map(
      (end) => stats.find(({ id }) => id === end)?.candidateType as string,
    );
  });

describe("a call through a relay", { skip: withoutBrowser() || withoutTurnServer() }, () => {
  let relay: TurnServer;
  let world: CallWorld;
  before(async () => {
    relay = await startTurnServer(secret);
    const env = { ORACLE_ICE_SERVERS: JSON.stringify([{ urls: relay.url }]), ORACLE_TURN_SECRET: secret };
    world = await openCallWorld({ env });
  });
  after(async () => {
    await world?.close();
    await relay?.close();
  });

  it("uses the credentials that the oracle gives its participants, and no other connection", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId, { media, connection });
    const two = await world.join(sessionId, { media, connection });
    for (const tab of [one, two])
      await tab.receives(([from]) => (from?.framesDecoded ?? 0) > 5 && (from?.audioEnergy ?? 0) > 0);
    for (const tab of [one, two]) assert.deepEqual(await wayOf(tab), ["relay", "relay"]);
    for (const tab of [one, two]) {
      const [other] = (await tab.state()).participants;
      // The relay logs whom it accepts: the expiry of the credentials and the participant's id.
      assert.match(relay.log(), new RegExp(`user <\\d+:${other?.id}>.*ALLOCATE processed, success`));
    }
  });
});
