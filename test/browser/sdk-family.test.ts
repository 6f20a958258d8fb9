import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { makeUserKey, type UserKey } from "../../sdk/examples/chat/src/user-key.ts";
import { patience, withoutBrowser } from "../support/browser.ts";
import { type CallTab, type CallWorld, openCallWorld } from "./calls-world.ts";
import { type PageServer, servePage } from "./page-server.ts";
import { sees } from "./waiting.ts";

describe("an app for another SDK of the family, in a call", { skip: withoutBrowser() }, () => {
  let world: CallWorld;
  let pages: PageServer;
  before(async () => {
    world = await openCallWorld();
    pages = await servePage("../../sdk/test/family/main.tsx");
  });
  after(async () => {
    await pages?.close();
    await world?.close();
  });

  /** Open the app in a new tab, with a new session of its user. */
  const open = async (permissions: string[]) => {
    const key = await makeUserKey();
    const { serialized } = await key.createInvocation(world.oracle.did);
    const headers = {
      authorization: `Bearer ${serialized}`,
      "x-auth-type": "ucan",
      "content-type": "application/json",
    };
    const made = await fetch(`${world.oracle.url}/sessions`, { method: "POST", headers, body: "{}" });
    const { sessionId } = (await made.json()) as { sessionId: string };
    const context = await world.browser.newContext({ permissions });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const { url, did: oracleDid } = world.oracle;
    await page.addInitScript((fixture) => Object.assign(window, { fixture }), {
      url,
      oracleDid,
      sessionId,
      secret: key.secret,
    });
    await page.goto(pages.url);
    return { page, key, sessionId, invocation: serialized };
  };
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const told = (page: Page, event: string) =>
    page.getByTitle("Events").filter({ hasText: new RegExp(`(^| )${event}( |$)`) });
  /** Join the call in another tab of the same user. */
  const joinAs = (key: UserKey, invocation: string, sessionId: string): Promise<CallTab> =>
    world.join(sessionId, { did: key.did, invocation });

  it("uses its own names for it: actions, states, participants, tracks and events", async () => {
    const { page, key, sessionId, invocation } = await open(["microphone", "camera"]);
    const call = page.getByRole("region", { name: "Call" });
    assert.equal(await call.getAttribute("data-state"), "disconnected");
    await press(page, "Call");
    await page.locator("[data-state=connected][data-ready=true][data-started=true]").waitFor();
    await told(page, "connected").waitFor();
    await sees(() => page.getByTitle("Words").textContent(), "call true");

    const other = await joinAs(key, invocation, sessionId);
    const { participants } = await other.shows((state) => state.participants[0]?.connected === true);
    assert.deepEqual(
      participants.map(({ muted, video }) => [muted, video]),
      [[false, false]],
    );
    await told(page, "participantConnected").waitFor();
    // The app has added the received media to the page, and they play.
    for (const tag of ["audio", "video"])
      await page.waitForFunction(
        (name) => [...document.querySelectorAll<HTMLMediaElement>(name)].some(({ currentTime }) => currentTime > 0.2),
        tag,
      );

    await press(page, "Microphone");
    await other.shows((state) => state.participants[0]?.muted === true);
    await press(page, "Microphone");
    await other.shows((state) => state.participants[0]?.muted === false);
    await press(page, "Camera");
    await other.shows((state) => state.participants[0]?.video === true);
    await other.receives(([from]) => (from?.framesDecoded ?? 0) > 5);

    await other.page.evaluate(() => window.call.setMuted(true));
    await told(page, "trackMuted").waitFor();
    await other.page.evaluate(() => window.call.setVideoEnabled(false));
    await page.locator("video").waitFor({ state: "detached" });
    await other.page.evaluate(() => window.call.leave());
    await told(page, "participantDisconnected").waitFor();
    await sees(() => page.getByTitle("People").textContent(), "");
    await sees(() => page.locator("audio").count(), 0);

    await press(page, "Hang up");
    await page.locator("[data-state=disconnected][data-ready=false][data-started=false]").waitFor();
    await told(page, "disconnected").waitFor();
    await press(page, "Call");
    await page.locator("[data-state=connected]").waitFor();
    await page.context().close();
    await other.page.context().close();
  });

  it("gets an error for a microphone that may not be used", async () => {
    const { page } = await open([]);
    await press(page, "Call");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.equal(
      await alert.textContent(),
      "Connection Error: Failed to start call: The microphone may not be used. Allow it in the browser's settings of this page.",
    );
    assert.equal(await page.getByRole("region", { name: "Call" }).getAttribute("data-state"), "disconnected");
    await page.context().close();
  });
});
