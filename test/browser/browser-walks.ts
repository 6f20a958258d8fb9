import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { phone, screenshot } from "./console.ts";
import { join, open, type Person, type Walk } from "./first-walks.ts";
import type { Link } from "./link.ts";
import { atRest, sees } from "./waiting.ts";
import type { WalkPage } from "./walk-page.ts";

/** The key that the device made for itself signs, cannot be read, and lasts when the page is loaded again. */
export async function walkWithDeviceKey(walk: Walk): Promise<void> {
  const { page } = await join(walk, walk.demo.links.get("evaluator"));
  const keys = await page.evaluate(readDeviceKeys);
  assert.deepEqual(keys, [{ algorithm: "ECDSA", extractable: false, exported: "InvalidAccessError" }]);
  // Firefox logs an error for each file of script whose load a reload ends.
  await atRest(page);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: walk.text("Welcome") }).waitFor();
  await atRest(page);
}

/** Runs in the page: describes each private key of the device, and tries to export it. */
async function readDeviceKeys(): Promise<{ algorithm: string; extractable: boolean; exported: string }[]> {
  const answerOf = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await answerOf(indexedDB.open("hearth-proof-keys"));
  const kept = await answerOf(database.transaction("keys").objectStore("keys").getAll());
  database.close();
  return await Promise.all(
    kept.map(async ({ key }: { key: CryptoKey }) => ({
      algorithm: key.algorithm.name,
      extractable: key.extractable,
      exported: await crypto.subtle.exportKey("jwk", key).then(
        () => "exported",
        (error: DOMException) => error.name,
      ),
    })),
  );
}

/** The pages where an implementer begins the day: each shows its heading and what the demo left. */
export async function walkThroughPages(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("implementer"));
  const pages = [
    ["Households", "Registered households"],
    ["KPT campaigns", walk.demo.campaignId],
    ["Vouchers", "VCHR-"],
  ] as const;
  await person.looks();
  for (const [name, shown] of pages) {
    await person.goTo(name);
    await person.seesHeading(name);
    await person.page.locator("#content").getByText(shown).first().waitFor();
    await person.looks();
  }
}

/** The whole console changes to Swahili and back, and remembers it. */
export async function walkInOtherLanguage(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("evaluator"));
  const { page } = person;
  const choose = async (button: string, language: string) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("menuitem", { name: language, exact: true }).click();
  };
  await choose("Language", "Kiswahili");
  await page.getByRole("heading", { level: 1, name: "Karibu" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Karibu" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "sw");
  await person.looks();
  await choose("Lugha", "English");
  await person.seesHeading("Welcome");
}

/** A red image of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** Upload files, look at them, and open the link that shares one in another browser profile. */
export async function walkThroughFiles(walk: Walk): Promise<void> {
  const folder = await mkdtemp(joinPath(tmpdir(), "hearth-walk-"));
  try {
    const [notes, dot] = [joinPath(folder, "notes.txt"), joinPath(folder, "dot.png")];
    await writeFile(notes, "thirty stoves\n");
    await writeFile(dot, picture);
    const person = await open(walk, "/files/browse");
    const { page } = person;
    await person.press("Continue without a key");
    await page.getByText(walk.text("No files here yet")).waitFor();
    await page.locator('input[type="file"]').first().setInputFiles([notes, dot]);
    await page.getByText("2 of 2 sent").waitFor();
    const row = (name: string) => page.getByRole("treeitem").filter({ hasText: name });
    await row("dot.png").click();
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    assert.equal(
      await page.evaluate(() => document.querySelector<HTMLImageElement>("img[alt='dot.png']")?.naturalWidth),
      1,
    );
    await row("notes.txt").click();
    await page.getByRole("region", { name: "Content of notes.txt" }).getByText("thirty stoves").waitFor();
    await person.looks();
    await openShared(person, walk);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function openShared({ page }: Person, walk: Walk): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make a link" }).click();
  const made = dialog.getByRole("status").filter({ hasText: "The link is ready" });
  const url = (await made.locator("code").getAttribute("title")) ?? "";
  const guest = await open(walk, url.slice(url.indexOf("/shared#")), { size: phone });
  await guest.page.getByRole("region", { name: "Content of notes.txt" }).getByText("thirty stoves").waitFor();
  await screenshot(guest.page, `${walk.name}-shared`);
}

/** The supplier's till opens where there is no network. `link` leads to the system. */
export async function walkOffline(walk: Walk, link: Link): Promise<void> {
  const person = await join(walk, walk.demo.links.get("supplier"));
  const { page } = person;
  await person.goTo("Redeem");
  await page.getByRole("textbox", { name: person.text("Voucher") }).waitFor();
  await sees(() => isKept(page), true);
  link.sever();
  try {
    await page.reload();
    await page.getByRole("textbox", { name: person.text("Voucher") }).waitFor();
    await screenshot(page, `${walk.name}-offline`);
  } finally {
    link.mend();
  }
}

/** Whether the service worker has the console's page and its scripts. */
const isKept = (page: WalkPage) =>
  page.evaluate(async () => (await (await caches.open("hearth-console-1")).keys()).length > 10);
