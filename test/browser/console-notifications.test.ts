import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
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

  it("shows what the server pushes to a browser", async () => {
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
    const data = JSON.stringify({ title: "Hearth: something waits for you", body: "The pool was paused.", url: "" });
    const registrationId = registrations[0]?.registrationId ?? assert.fail("The service worker is not registered.");
    const { origin } = new URL(test.stack.url);
    await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    const shown = await untilFound(() =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration("/console/");
        const [found] = (await registration?.getNotifications()) ?? [];
        return found === undefined ? undefined : { title: found.title, body: found.body };
      }),
    );
    assert.deepEqual(shown, { title: "Hearth: something waits for you", body: "The pool was paused." });
  });
});
