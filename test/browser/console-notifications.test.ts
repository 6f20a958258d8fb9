import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { stackAdminKey } from "../support/stack.ts";
import { untilFound } from "../support/until.ts";
import { assertAccessible, type ConsoleTest, goTo, phone, screenshot, signIn } from "./console.ts";
import { openSharedConsole, sharedMail } from "./shared-console.ts";

describe("notifications in the console", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  before(async () => {
    test = await openSharedConsole();
  });
  after(() => test?.close());

  const path = (link: string) => link.slice(link.indexOf("/console") + "/console".length);

  /** The link of the message to an address. */
  async function linkTo(address: string, purpose: "confirm" | "end"): Promise<string> {
    const { received } = await sharedMail();
    return await untilFound(() => {
      const found = received.find(({ to, text }) => to.includes(address) && text.includes(`#${purpose}=`));
      return new RegExp(`\\S+#${purpose}=\\S+`).exec(found?.text ?? "")?.[0];
    });
  }

  async function openDialog(page: Page) {
    await page.getByRole("button", { name: "Administrator" }).click();
    await page.getByRole("menuitem", { name: "Notifications" }).click();
    const dialog = page.getByRole("dialog", { name: "Notifications" });
    await dialog.getByLabel("E-mail address").waitFor();
    return dialog;
  }

  it("asks the owner of an address, and ends when the person wants", async () => {
    const email = `office-${randomBytes(4).toString("hex")}@example.org`;
    const page = await test.open();
    await signIn(page);
    const dialog = await openDialog(page);
    await dialog.getByLabel("E-mail address").fill("no address");
    await dialog.getByRole("button", { name: "Notify by e-mail" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Conversions").uncheck();
    await dialog.getByLabel("E-mail address").fill(email);
    await dialog.getByRole("button", { name: "Notify by e-mail" }).click();
    await dialog.getByText("Not confirmed yet").waitFor();
    await assertAccessible(page);
    await screenshot(page, "notifications");

    const reader = await test.open(path(await linkTo(email, "confirm")), { size: phone, locale: "fr-FR" });
    await assertAccessible(reader);
    await screenshot(reader, "notification-confirm");
    await reader.getByRole("button", { name: "Oui, les envoyer" }).click();
    await reader.getByText("L’adresse est confirmée.").waitFor();
    await dialog.getByText("Active", { exact: true }).waitFor();
    await dialog.getByText("Not confirmed yet").waitFor({ state: "hidden" });

    const { body } = await test.stack.call("GET", "/v1/notifications");
    const [own] = (body.items as { address: string; topics: string[] }[]).filter(({ address }) => address === email);
    assert.ok(own !== undefined && !own.topics.includes("conversions") && own.topics.includes("claims"));
    await dialog.getByRole("button", { name: "End these notifications" }).click();
    await dialog.getByText(email).waitFor({ state: "hidden" });
  });

  it("says that a link is not valid any more", async () => {
    const page = await test.open("/notifications#end=old", { expected: /404/ });
    await page.getByRole("button", { name: "End these notifications" }).click();
    await page.getByText("This link is not valid any more.").waitFor();
    await screenshot(page, "notification-link-invalid");
  });

  it("shows what the server pushes to a browser, and ends it by the button of the message", async () => {
    const page = await test.open("", { permissions: ["notifications"] });
    await signIn(page);
    await goTo(page, "/regulator/pool");
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/console/sw.js", { scope: "/console/" });
    });
    const devtools = await page.context().newCDPSession(page);
    const registrations: { registrationId: string; scopeURL: string }[] = [];
    devtools.on("ServiceWorker.workerRegistrationUpdated", (found) => registrations.push(...found.registrations));
    await devtools.send("ServiceWorker.enable");
    const isActive = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration("/console/");
        return registration?.active?.state === "activated";
      });
    await untilFound(async () => (registrations.length > 0 && (await isActive()) ? true : undefined));
    // The end of another subscription of the admin; the button does not care what the link ends.
    const email = `push-${randomBytes(4).toString("hex")}@example.org`;
    await test.stack.call("POST", "/v1/notifications", { channel: "email", email, topics: ["imports"] });
    const confirmed = await linkTo(email, "confirm");
    await test.stack.call("POST", "/v1/notifications/confirm", { token: confirmed.slice(confirmed.indexOf("=") + 1) });
    await fetch(`${test.stack.url}/v1/households/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${stackAdminKey}`, "content-type": "text/csv" },
      body: "did,region\ndid:ixo:household/notified,Lusaka\n",
    });
    const end = { url: await linkTo(email, "end"), label: "End notifications", done: "They have ended." };
    const data = JSON.stringify({
      title: "Hearth: something waits for you",
      body: "The pool was paused.",
      url: "",
      end,
    });
    const registrationId = registrations[0]?.registrationId ?? assert.fail("The service worker is not registered.");
    const { origin } = new URL(test.stack.url);
    await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    const shown = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration("/console/");
        const all = ((await registration?.getNotifications()) ?? []) as (Notification & { actions: unknown[] })[];
        return all.map(({ title, body, actions }) => ({ title, body, actions }));
      });
    const [first] = await untilFound(async () => {
      const found = await shown();
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual([first?.title, first?.body], ["Hearth: something waits for you", "The pool was paused."]);
    assert.partialDeepStrictEqual(first?.actions, [{ action: "end", title: "End notifications" }]);

    // A test cannot press a button of the desktop; this is the event that the browser sends then.
    const [worker] = page.context().serviceWorkers();
    assert.ok(worker !== undefined);
    await worker.evaluate(async () => {
      const scope = globalThis as unknown as {
        registration: { getNotifications: () => Promise<object[]> };
        NotificationEvent: new (type: string, init: object) => Event;
      } & EventTarget;
      const [notification] = await scope.registration.getNotifications();
      scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification, action: "end" }));
    });
    await untilFound(async () => ((await shown())[0]?.body === "They have ended." ? true : undefined));
    const { body } = await test.stack.call("GET", "/v1/notifications");
    assert.ok(!(body.items as { address: string }[]).some(({ address }) => address === email));
  });
});
