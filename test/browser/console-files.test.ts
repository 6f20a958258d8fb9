import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import PDFDocument from "pdfkit";
import type { Download, Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot } from "./console.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";

/** A red image of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

describe("the console's files", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  before(async () => {
    test = await openSharedConsole();
  });
  after(() => test?.close());

  it("uploads, shows, edits, compares and restores", async () => {
    const page = await openFiles(test);
    await upload(page, [
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("one\ntwo\nthree\n") },
      { name: "dot.png", mimeType: "image/png", buffer: picture },
      { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<script>document.title='run'</script>") },
      { name: "leaflet.pdf", mimeType: "application/pdf", buffer: Buffer.from("<script>1</script>%PDF-1.4") },
    ]);
    await page.getByText("4 of 4 sent").waitFor();
    await screenshot(page, "files-uploaded-desktop");
    await assertAccessible(page);

    await row(page, "dot.png").click();
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    await row(page, "leaflet.pdf").click();
    const pdf = page.getByRole("link", { name: "Open the PDF" });
    const opened = await pdf.evaluate((link: HTMLAnchorElement) => [link.rel, link.target, link.protocol]);
    assert.deepEqual(opened, ["noopener noreferrer", "_blank", "blob:"]);
    await row(page, "page.html").click();
    await page.getByText("<script>document.title='run'</script>").waitFor();
    assert.match(await page.title(), /^Files/);

    await row(page, "notes.txt").click();
    await page.getByRole("region", { name: "Content of notes.txt" }).getByText("three").waitFor();
    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByLabel("Text of notes.txt").fill("one\n2\nthree\nfour\n");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("2 of at most 50 versions").waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("2 lines added, 1 removed").waitFor();
    await page.getByText("Side by side").click();
    const changed = page
      .getByRole("table", { name: /^From version/ })
      .getByRole("row")
      .filter({ hasText: "two" });
    await sees(() => changed.getByRole("cell").allInnerTexts(), ["2", "−", "two", "2", "+", "2"]);
    await screenshot(page, "files-diff-desktop");
    await assertAccessible(page);

    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("3 of at most 50 versions").waitFor();
    await page.getByRole("tab", { name: "Preview" }).click();
    await page.getByRole("region", { name: "Content of notes.txt" }).getByText("two").waitFor();
    assert.equal(await textOf(await downloadOf(page, "Download")), "one\ntwo\nthree\n");
  });

  it("uploads what is dropped on the list, and shows where while it is dragged", async () => {
    const page = await openFiles(test);
    const dragged = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
      return transfer;
    });
    const list = page.getByRole("group", { name: "Drop files here to upload them into /" });
    await list.dispatchEvent("dragenter", { dataTransfer: dragged });
    const target = list.locator(".mantine-Dropzone-root");
    await target.waitFor();
    await screenshot(page, "files-drop-desktop");
    await target.dispatchEvent("drop", { dataTransfer: dragged });
    await row(page, "dropped.txt").click();
    await page.getByRole("region", { name: "Content of dropped.txt" }).getByText("dropped").waitFor();
    await target.waitFor({ state: "detached" });
  });

  it("shows the pages of a PDF, and says why it cannot show one that is damaged or has a password", async () => {
    const page = await openFiles(test);
    const leaflet = await pdf((document) => {
      document.rect(0, 0, 300, 200).fill("#c00000").addPage().rect(0, 0, 300, 200).fill("#0000c0");
    });
    const locked = await pdf((document) => void document.text("secret"), { userPassword: "secret" });
    const damaged = Buffer.from("%PDF-1.7 and no more");
    await upload(
      page,
      Object.entries({ leaflet, locked, damaged }).map(([name, content]) => ({
        name: `${name}.pdf`,
        mimeType: "application/pdf",
        buffer: content,
      })),
    );
    await row(page, "leaflet.pdf").click();
    const drawn = (number: number) => page.getByRole("img", { name: `Page ${number} of 2 of leaflet.pdf` });
    const colour = (number: number) =>
      drawn(number).evaluate((canvas) => [
        ...((canvas as HTMLCanvasElement).getContext("2d")?.getImageData(20, 20, 1, 1).data ?? []),
      ]);
    await drawn(1).and(page.locator("[data-drawn]")).waitFor();
    assert.deepEqual(await colour(1), [192, 0, 0, 255]);
    assert.equal(await page.getByRole("button", { name: "Previous page" }).isDisabled(), true);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Page 2 of 2", { exact: true }).waitFor();
    await drawn(2).and(page.locator("[data-drawn]")).waitFor();
    assert.deepEqual(await colour(2), [0, 0, 192, 255]);
    await screenshot(page, "files-pdf-desktop");
    await assertAccessible(page);
    await row(page, "locked.pdf").click();
    await page.getByText("The PDF is protected by a password.").waitFor();
    await row(page, "damaged.pdf").click();
    await page.getByText("The file is damaged, or it is not a PDF.").waitFor();
  });

  it("uploads large files in parts, and over an existing file as its new version", async () => {
    const page = await openFiles(test);
    const large = Buffer.alloc(40 * 1024 ** 2, "hearth ");
    const folder = await mkdtemp(join(tmpdir(), "hearth-upload-"));
    await writeFile(join(folder, "large.bin"), large);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await choose(page, [join(folder, "large.bin")]);
    assert.ok(requests.filter((request) => request.startsWith("PATCH /api/fs/upload/")).length >= 2);
    await row(page, "large.bin").click();
    await page.getByText("is not shown here").waitFor();
    const download = await downloadOf(page, "Download");
    assert.ok(large.equals(await readFile(await download.path())));
    await rm(folder, { recursive: true });
    await page.getByRole("button", { name: "Clear the list" }).click();
    await upload(page, [{ name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.from("small") }]);
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("2 of at most 50 versions").waitFor();
  });

  it("resumes an upload after a reload where it stopped", async () => {
    const page = await openFiles(test);
    const folder = await mkdtemp(join(tmpdir(), "hearth-upload-"));
    const path = join(folder, "film.bin");
    await writeFile(path, Buffer.alloc(40 * 1024 ** 2, "picture "));
    const isPart = (url: URL) => url.pathname.startsWith("/api/fs/upload/");
    // The first part is sent with the creation; later parts never arrive.
    await page.route(isPart, (route) => (route.request().method() === "PATCH" ? undefined : route.continue()));
    const stuck = page.waitForRequest((request) => request.method() === "PATCH");
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload into" }).click();
    await (await choosing).setFiles([path]);
    await stuck;
    await page.unroute(isPart);
    await page.reload();
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      const offset = request.headers()["upload-offset"];
      if (pathname.startsWith("/api/fs/upload")) requests.push(`${request.method()} ${offset ?? ""}`.trim());
    });
    await choose(page, [path]);
    assert.equal(requests[0], "HEAD");
    const [, first = ""] = /^PATCH (\d+)$/.exec(requests[1] ?? "") ?? [];
    assert.ok(Number(first) >= 16 * 1024 ** 2, requests.join());
    assert.ok(!requests.some((request) => request.startsWith("POST")), requests.join());
    await row(page, "film.bin").click();
    const download = await downloadOf(page, "Download");
    assert.ok((await readFile(path)).equals(await readFile(await download.path())));
    await rm(folder, { recursive: true });
  });

  it("lets the user choose when somebody else changed the same file during the upload", async () => {
    const page = await openFiles(test);
    const file = (text: string) => ({ name: "shared.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
    await upload(page, [file("first")]);
    await page.getByRole("button", { name: "Clear the list" }).click();
    let writers = 0;
    await page.route("**/api/fs/files/*", async (route) => {
      if (route.request().method() !== "PUT") return await route.continue();
      writers += 1;
      // Another program of the same user writes just before this request arrives.
      const { authorization = "" } = route.request().headers();
      const headers = { authorization, "content-type": "text/plain" };
      await fetch(route.request().url(), { method: "PUT", headers, body: `theirs ${writers}` });
      await route.continue();
    });
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload into" }).click();
    await (await choosing).setFiles([file("mine")]);
    await page.getByText("Someone else changed this file meanwhile").waitFor();
    await assertAccessible(page);
    await screenshot(page, "files-overtaken-desktop");
    await page.getByRole("button", { name: "Keep both, mine under a new name" }).click();
    await page.getByText("1 of 1 sent").waitFor();
    await row(page, "shared (").click();
    await page
      .getByRole("region", { name: /^Content of shared \(/ })
      .getByText("mine")
      .waitFor();
    await row(page, "shared.txt").click();
    await page.getByRole("region", { name: "Content of shared.txt" }).getByText("theirs 1").waitFor();
  });

  it("marks, shares, zips and trashes a folder, and lists all of it in the activity", async () => {
    const page = await openFiles(test);
    await newFile(page, "/site/index.md", "# Stoves\n\nFor **Lusaka**.");
    await page.getByRole("heading", { name: "Stoves", level: 1 }).waitFor();
    await page.getByText("Source", { exact: true }).click();
    await page.getByText("For **Lusaka**.").waitFor();
    await newFile(page, "/site/list.csv", "name,kg\nAda,12.5\n");
    await page.getByRole("table", { name: "list.csv" }).getByRole("cell", { name: "12.5" }).waitFor();
    await row(page, "site").first().click();
    const folderMenu = page.getByRole("button", { name: "Folder /site" });
    const choose = async (name: string) => {
      await folderMenu.click();
      await page.getByRole("menuitem", { name }).click();
    };
    await choose("Make all its files public");
    await row(page, "site").first().getByLabel("Public").waitFor();
    const owner = await ownerOf(page);
    const address = `${test.stack.url}/public/${encodeURIComponent(owner)}/site/list.csv`;
    assert.equal((await fetch(address)).status, 200);
    await choose("Make private");
    await row(page, "site").first().getByLabel("Public").waitFor({ state: "detached" });

    const packing = page.waitForEvent("download");
    await choose("Download as ZIP");
    const zip = await readFile(await (await packing).path());
    assert.equal(zip.subarray(0, 2).toString(), "PK");
    assert.ok(zip.includes("index.md") && zip.includes("list.csv"));

    await choose("Share …");
    await page.getByRole("button", { name: "Token for a program" }).click();
    await sees(() => page.getByLabel("Folder or file").inputValue(), "/site");
    await page.getByLabel("Can be used only once").check();
    await page.getByRole("button", { name: "Sign", exact: true }).click();
    const shown = page.getByRole("alert").filter({ hasText: "Copy it now" });
    const token = await shown.locator("code").getAttribute("title");
    await assertAccessible(page);
    await screenshot(page, "files-share-desktop");
    const read = () =>
      fetch(`${test.stack.url}/api/fs/content?path=/site/list.csv`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(await (await read()).text(), "name,kg\nAda,12.5\n");
    assert.equal((await read()).status, 401);
    await page.keyboard.press("Escape");

    await choose("Move all its files to the trash …");
    await page.getByRole("dialog").getByText("2 files").waitFor();
    await page.getByRole("button", { name: "Move to the trash" }).click();
    await page.getByText("No files here yet").waitFor();
    await page.getByRole("link", { name: "Activity" }).click();
    const activity = page.getByRole("table", { name: "Activity" });
    await activity.getByText("Moved to the trash").first().waitFor();
    await sees(() => activity.getByText("Moved to the trash").count(), 2);
    await activity.getByText("Made public or private").nth(1).waitFor();
    await assertAccessible(page);
    await screenshot(page, "files-activity-desktop");
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("button", { name: "Empty the trash …" }).click();
    const destroy = page.getByRole("button", { name: "Destroy permanently" });
    assert.ok(await destroy.isDisabled());
    await page.getByLabel("Type 2 to confirm").fill("2");
    await assertAccessible(page);
    await destroy.click();
    await page.getByText("The trash is empty.").waitFor();
  });

  it("shares files by a link that opens without an account, with a password, until it is revoked", async () => {
    const page = await openFiles(test);
    await newFile(page, "/shared/report.txt", "thirty stoves");
    await newFile(page, "/shared/deep/list.csv", "name,kg\nAda,12.5\n");
    await newFile(page, "/private.txt", "nobody else");
    await row(page, "shared").first().click();
    await page.getByRole("button", { name: "Folder /shared" }).click();
    await page.getByRole("menuitem", { name: "Share …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("read, download, add and change").check();
    await dialog.getByLabel("Password", { exact: true }).fill("short");
    await dialog.getByRole("button", { name: "Make a link" }).click();
    await dialog.getByText("Use at least 10 characters.").waitFor();
    await dialog.getByLabel("Password", { exact: true }).fill("correct horse");
    await dialog.getByRole("button", { name: "Make a link" }).click();
    const made = dialog.getByRole("status").filter({ hasText: "The link is ready" });
    const url = (await made.locator("code").getAttribute("title")) ?? "";
    await dialog.getByRole("article", { name: "/shared" }).waitFor();
    await screenshot(page, "files-link-desktop");
    await assertAccessible(page);

    const guest = await test.open(url.slice(url.indexOf("/shared#")), { size: phone });
    await guest.getByLabel("Password", { exact: true }).fill("wrong password");
    await guest.getByRole("button", { name: "Open" }).click();
    await guest.getByText("This is not the password.").waitFor();
    await guest.getByLabel("Password", { exact: true }).fill("correct horse");
    await guest.getByRole("button", { name: "Open" }).click();
    await guest.getByRole("button", { name: "report.txt" }).click();
    await guest.getByRole("region", { name: "Content of report.txt" }).getByText("thirty stoves").waitFor();
    await screenshot(guest, "files-shared-phone");
    await assertAccessible(guest);
    assert.equal(await guest.getByText("private.txt").count(), 0);
    assert.equal(await guest.getByText(".shared-links").count(), 0);
    const packing = guest.waitForEvent("download");
    await guest.getByRole("button", { name: "Download all as ZIP" }).click();
    const zip = await readFile(await (await packing).path());
    assert.ok(zip.includes("deep/list.csv") && !zip.includes("private.txt"));
    await guest
      .locator('input[type="file"]')
      .setInputFiles({ name: "answer.txt", mimeType: "text/plain", buffer: Buffer.from("thank you") });
    // While it is sent, the upload has a button to stop it, whose name contains the file's.
    await guest.getByRole("button", { name: "answer.txt", exact: true }).waitFor();

    await dialog.getByRole("article", { name: "/shared" }).getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("There are no links.").waitFor();
    await page.keyboard.press("Escape");
    await guest.reload();
    await guest.getByLabel("Password", { exact: true }).fill("correct horse");
    await guest.getByRole("button", { name: "Open" }).click();
    await guest.getByText("This link has ended.").waitFor();
    await assertAccessible(guest);
    await page.getByRole("link", { name: "Activity" }).click();
    const activity = page.getByRole("table", { name: "Activity" });
    await activity
      .getByRole("link", { name: /^answer\.txt/ })
      .first()
      .waitFor();
  });

  it("can be installed as an app", async () => {
    const page = await test.open("/files/browse");
    const browser = await page.context().newCDPSession(page);
    const { url, errors, data } = await browser.send("Page.getAppManifest");
    assert.deepEqual([url, errors], [`${test.stack.url}/console/manifest.webmanifest`, []]);
    const { icons, display, scope } = JSON.parse(data ?? "{}") as {
      icons: { src: string; sizes: string; type: string }[];
      display: string;
      scope: string;
    };
    assert.deepEqual([display, scope], ["standalone", "/console/"]);
    for (const { src, sizes, type } of icons) {
      const size = await page.evaluate(async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, src);
      if (type === "image/png") assert.equal(size, sizes);
    }
  });

  it("shares one file to read, and opens nothing with a damaged link", async () => {
    const page = await openFiles(test);
    await newFile(page, "/one.md", "# Only this");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Share …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Make a link" }).click();
    const code = dialog.getByRole("status").filter({ hasText: "The link is ready" }).locator("code");
    const url = (await code.getAttribute("title")) ?? "";
    const path = url.slice(url.indexOf("/shared#"));
    const guest = await test.open(path);
    await guest.getByRole("heading", { name: "Only this" }).waitFor();
    assert.equal(await guest.getByRole("button", { name: "Add files" }).count(), 0);
    await screenshot(guest, "files-shared-one-desktop");
    const broken = await test.open(path.slice(0, -30));
    await broken.getByText("This link is incomplete.").waitFor();
  });

  it("names versions, and removes old ones after listing each of them", async () => {
    const page = await openFiles(test);
    for (const text of ["one", "two", "three", "four"]) {
      await upload(page, [{ name: "log.txt", mimeType: "text/plain", buffer: Buffer.from(text) }]);
      await page.getByRole("button", { name: "Clear the list" }).click();
    }
    await row(page, "log.txt").click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Pin: never remove it with old versions: 1" }).click();
    await page.getByRole("button", { name: "Unpin: may be removed with old versions: 1" }).waitFor();
    await page.getByRole("button", { name: "Name this version: 2" }).click();
    await page.getByLabel("Name", { exact: true }).fill("as submitted");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("cell", { name: "as submitted" }).waitFor();
    await page.getByRole("button", { name: "Remove old versions …" }).click();
    await page.getByText("No version would be removed.").waitFor();
    await page.getByLabel("Keep the newest").fill("1");
    await page.getByText("2 versions are permanently destroyed: 3 and 2 (as submitted).").waitFor();
    await assertAccessible(page);
    await screenshot(page, "files-prune-desktop");
    await page.getByRole("button", { name: "Destroy permanently" }).click();
    await page.getByText("2 of at most 50 versions").waitFor();
  });

  it("keeps typed text over a reload, and never overwrites another version without asking", async () => {
    const page = await openFiles(test);
    await upload(page, [{ name: "plan.md", mimeType: "text/markdown", buffer: Buffer.from("a\n") }]);
    await row(page, "plan.md").click();
    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByLabel("Text of plan.md").fill("a\nmine\n");
    const other = await secondWriter(page);
    await page.reload();
    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByText("Someone else has saved this file").waitFor();
    await sees(() => page.getByLabel("Text of plan.md").inputValue(), "a\nmine\n");
    await page.getByText("1 lines added, 1 removed").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Save mine as the newest version" }).click();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("3 of at most 50 versions").waitFor();
    assert.equal(await other.read(), "a\nmine\n");
  });

  it("trashes, restores and destroys, the last only after the name was typed", async () => {
    const page = await openFiles(test);
    await upload(page, [{ name: "secret.txt", mimeType: "text/plain", buffer: Buffer.from("s") }]);
    await row(page, "secret.txt").click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Move to the trash" }).click();
    await page.getByText("Choose a file to show it.").waitFor();
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("cell", { name: "/secret.txt" }).waitFor();
    await assertAccessible(page);
    await screenshot(page, "files-trash-desktop");
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("The trash is empty.").waitFor();
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await row(page, "secret.txt").click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Destroy …" }).click();
    const submit = page.getByRole("button", { name: "Destroy permanently" });
    assert.ok(await submit.isDisabled());
    await page.getByLabel("Type secret.txt to confirm").fill("secret.txt");
    await assertAccessible(page);
    await submit.click();
    await page.getByText("This is the signed receipt.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page.getByText("No files here yet").waitFor();
  });

  it("can be used by keyboard alone, and finds words", async () => {
    const page = await openFiles(test);
    await newFile(page, "/docs/plans/stove.txt", "a stove for Lusaka");
    await page.getByRole("tree").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await row(page, "stove.txt").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "stove.txt" }).waitFor();
    await page.getByRole("textbox", { name: "Words in text files" }).fill("lusaka");
    await page.getByRole("list", { name: "Files found" }).getByText("/docs/plans/stove.txt").waitFor();
    await assertAccessible(page);
  });

  it("signs a token that gives access to its folder only, shows it once, and revokes it", async () => {
    const page = await openFiles(test);
    await newFile(page, "/given/a.txt", "for you");
    await newFile(page, "/own/b.txt", "for me");
    await page.getByRole("link", { name: "Key and tokens" }).click();
    await page.getByLabel("Folder or file").fill("/given");
    await page.getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByText("Copy it now: it is not shown again.").waitFor();
    await screenshot(page, "files-keys-desktop");
    await assertAccessible(page);
    const token = await page
      .getByRole("alert")
      .filter({ hasText: "Copy it now" })
      .locator("code")
      .getAttribute("title");
    const read = (path: string) =>
      fetch(`${test.stack.url}/api/fs/content?path=${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(await (await read("/given/a.txt")).text(), "for you");
    assert.equal((await read("/own/b.txt")).status, 404);
    await page.reload();
    await page.getByRole("table", { name: "Made in this tab" }).waitFor();
    assert.equal(await page.getByText("Copy it now").count(), 0);
    await page.getByRole("table", { name: "Made in this tab" }).getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("table", { name: "Revoked" }).waitFor();
    assert.equal((await read("/given/a.txt")).status, 401);
  });

  it("keeps the key in the tab, or sealed on the device if chosen, and accepts a saved key", async () => {
    const page = await openFiles(test);
    await newFile(page, "/mine.txt", "kept");
    await page.getByRole("link", { name: "Save the key" }).click();
    const saved = (await textOf(await downloadOf(page, "Save the key"))).trim();
    const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes(saved));
    await page.getByRole("button", { name: "Keep on this device" }).click();
    await page.getByRole("button", { name: "Keep it here" }).click();
    await page.getByText("On this device", { exact: true }).waitFor();
    assert.ok(!(await stored()).includes(saved));
    assert.equal(await page.getByRole("button", { name: "Save the key" }).count(), 0);

    const later = await page.context().newPage();
    await later.goto(`${test.stack.url}/console/files/browse`);
    await later.getByRole("button", { name: "Continue without a key" }).click();
    await row(later, "mine.txt").waitFor();

    const elsewhere = await openFiles(test, phone);
    await elsewhere.getByRole("link", { name: "Save the key" }).click();
    await elsewhere.getByRole("button", { name: "Use another key" }).click();
    await elsewhere.getByLabel("Key", { exact: true }).fill("not a key");
    await elsewhere.getByRole("button", { name: "Use this key" }).click();
    await elsewhere.getByText("This is not a key.").waitFor();
    await elsewhere.getByLabel("Key", { exact: true }).fill(saved);
    await elsewhere.getByRole("button", { name: "Use this key" }).click();
    await elsewhere.getByRole("dialog").waitFor({ state: "hidden" });
    await screenshot(elsewhere, "files-keys-phone");
    await assertAccessible(elsewhere);
    await elsewhere.goto(`${test.stack.url}/console/files/browse`);
    await row(elsewhere, "mine.txt").waitFor();
    await screenshot(elsewhere, "files-tree-phone");
    await row(elsewhere, "mine.txt").click();
    await elsewhere.getByRole("region", { name: "Content of mine.txt" }).getByText("kept").waitFor();
    await screenshot(elsewhere, "files-file-phone");
    await assertAccessible(elsewhere);
    await elsewhere.getByRole("button", { name: "All files" }).click();
    await row(elsewhere, "mine.txt").waitFor();
  });
});

async function openFiles(test: ConsoleTest, size?: { width: number; height: number }): Promise<Page> {
  const page = await test.open("/files/browse", size === undefined ? {} : { size });
  await page.getByRole("button", { name: "Continue without a key" }).click();
  await page.getByText("No files here yet").waitFor();
  return page;
}

const upload = (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) => choose(page, files);

/** Choose files as a user does, and wait until they are listed; strings are paths on this machine. */
async function choose(
  page: Page,
  files: string[] | { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload into" }).click();
  await (await choosing).setFiles(files);
  await page.getByText(`${files.length} of ${files.length} sent`).waitFor();
}

async function newFile(page: Page, path: string, text: string): Promise<void> {
  await page.getByRole("button", { name: "New text file" }).click();
  await page.getByLabel("Path").fill(path);
  await page.getByLabel("Text", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 2, name: path.slice(path.lastIndexOf("/") + 1) }).waitFor();
}

const row = (page: Page, name: string) => page.getByRole("treeitem").filter({ hasText: name });

/** A PDF whose pages measure 300 by 200 points. */
async function pdf(draw: (document: PDFKit.PDFDocument) => void, options: PDFKit.PDFDocumentOptions = {}) {
  const document = new PDFDocument({ size: [300, 200], margin: 0, ...options });
  draw(document);
  document.end();
  return await buffer(document);
}

async function downloadOf(page: Page, button: string): Promise<Download> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).click();
  return await download;
}

async function textOf(download: Download): Promise<string> {
  return await readFile(await download.path(), "utf8");
}

/** Overwrite the open file with the same key, as another tab would. */
async function secondWriter(page: Page): Promise<{ read: () => Promise<string> }> {
  const id = new URL(page.url()).searchParams.get("file");
  const sent = page.waitForRequest((request) => request.url().includes("/api/fs/usage"));
  await page.getByRole("button", { name: "Reload the folders" }).click();
  const { authorization = "" } = await (await sent).allHeaders();
  const url = `${new URL(page.url()).origin}/api/fs/files/${id}`;
  const headers = { authorization, "content-type": "text/markdown" };
  assert.equal((await fetch(url, { method: "PUT", headers, body: "a\ntheirs\n" })).status, 200);
  return { read: async () => (await fetch(`${url}/content`, { headers })).text() };
}

/** The user's DID, from the open file's namespace. */
async function ownerOf(page: Page): Promise<string> {
  const id = new URL(page.url()).searchParams.get("file");
  const answer = page.waitForResponse((response) => new URL(response.url()).pathname === `/api/fs/files/${id}`);
  await page.getByRole("button", { name: "Reload the folders" }).click();
  const { namespace } = (await (await answer).json()) as { namespace: string };
  return namespace;
}
