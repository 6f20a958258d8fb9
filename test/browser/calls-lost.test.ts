import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { type CallTab, type CallWorld, openCallWorld } from "./calls-world.ts";
import { type Link, openLink } from "./link.ts";
import { sees } from "./waiting.ts";

const media = { audio: true, video: { width: 160, height: 120, frameRate: 10 } };
/** Addresses of the connection to the other participant; an ICE restart changes them. */
const wayOf = (tab: CallTab) =>
  tab.page.evaluate(async () => {
    const [other] = window.call.getState().participants;
    const stats = [...((await window.call.getStats(other?.id ?? ""))?.values() ?? [])];
    return stats.find(({ type }) => type === "transport")?.iceLocalUsernameFragment as string;
  });
const statuses = (tab: CallTab) => tab.page.evaluate(() => window.statuses);

/** Wait until sound is heard and pictures are drawn. */
async function goesOn(tab: CallTab): Promise<void> {
  const [seen] = await tab.received();
  await tab.receives(
    ([from]) =>
      (from?.framesDecoded ?? 0) > (seen?.framesDecoded ?? 0) + 5 &&
      (from?.audioEnergy ?? 0) > (seen?.audioEnergy ?? 0),
  );
}

describe("a call that loses its connection to the oracle", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  let link: Link;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "call-"));
    world = await openCallWorld({ env: { DATA_DIR: folder } });
    link = await openLink(world.oracle.url);
  });
  after(async () => {
    await link?.close();
    await world?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("continues meanwhile, also with a new oracle process; a participant that does not return gets an error", async () => {
    const sessionId = await world.user.session();
    const one = await world.join(sessionId, { media, url: link.url });
    const two = await world.join(sessionId, { media, url: link.url });
    for (const tab of [one, two]) await tab.receives(([from]) => (from?.framesDecoded ?? 0) > 5);
    const [before, way] = [await one.state(), await wayOf(one)];

    link.sever();
    await one.shows(({ status }) => status === "reconnecting");
    await goesOn(one);
    link.mend();
    await one.shows(({ status }) => status === "connected");
    // An ICE restart looks for other network paths.
    await sees(async () => (await wayOf(one)) !== way, true);
    for (const tab of [one, two]) await goesOn(tab);
    assert.deepEqual(await statuses(one), ["connecting", "connected", "reconnecting", "connected"]);

    link.sever();
    link.mend((await world.restart()).url);
    for (const tab of [one, two]) await tab.shows(({ status }) => status === "connected");
    for (const tab of [one, two]) await goesOn(tab);
    const after = await one.state();
    assert.equal(after.safetyNumber, before.safetyNumber);
    assert.deepEqual(
      after.participants.map(({ id }) => id),
      before.participants.map(({ id }) => id),
    );

    await two.page.evaluate(() => {
      window.connection = { reconnectMs: 1_000 };
    });
    link.sever();
    const { error } = await two.shows(({ status }) => status === "error");
    assert.equal(error, "The connection to the call was lost.");
    assert.equal((await two.state()).tracks, 0);
    assert.equal((await one.state()).status, "reconnecting");
  });
});
