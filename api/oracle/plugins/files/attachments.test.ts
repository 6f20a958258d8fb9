import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { turnOf } from "../../../../test/support/oracle/agent.ts";
import { openTestServices, type TestServices } from "../../../../test/support/oracle/plugins.ts";
import { AppError } from "../../../platform/errors.ts";
import type { ToolContext } from "../host/tool.ts";
import { readAttachment } from "./attachments.ts";

describe("an attachment", () => {
  let test: TestServices;
  let server: Server;
  let at: string;
  before(async () => {
    test = await openTestServices();
    server = createServer((_, response) => response.end("from the web"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await test.close();
  });

  const user = "did:key:zUser";
  const delegation = { raw: "", cid: "c", issuer: user, expiration: 4e9, capabilities: [{ can: "*", with: user }] };
  const ctxOf = (mxcUri: string): ToolContext => ({
    ...(turnOf("x", { user, delegation }) as unknown as ToolContext),
    attachments: [{ filename: "a.txt", mimetype: "text/plain", mxcUri }],
  });
  const codeOf = (read: Promise<unknown>) =>
    read.then(
      () => "read",
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

  it("is read from the user's own files, and only with its delegation", async () => {
    const own = await test.services.userFiles(ctxOf("vfs:/a.txt"));
    await test.services.files.put(own, { path: "/a.txt", mimeType: "text/plain", content: Buffer.from("own words") });
    await test.services.files.put(own, {
      path: "/b.bin",
      mimeType: "image/png",
      content: Buffer.from([0xff, 0xfe, 0x00]),
    });
    const { text, bytes } = await readAttachment(test.services, ctxOf("vfs:/a.txt"), "a.txt");
    assert.deepEqual([text, bytes], ["own words", 9]);
    assert.equal(await codeOf(readAttachment(test.services, ctxOf("vfs:/b.bin"), "a.txt")), "UNSUPPORTED_MEDIA_TYPE");
    assert.equal(await codeOf(readAttachment(test.services, ctxOf("vfs:/none"), "a.txt")), "NOT_FOUND");
    const bare = { ...ctxOf("vfs:/a.txt"), delegation: null };
    assert.equal(await codeOf(readAttachment(test.services, bare, "a.txt")), "FORBIDDEN");
    assert.equal(await codeOf(readAttachment(test.services, ctxOf("vfs:/a.txt"), "other.txt")), "NOT_FOUND");
  });

  it("is never fetched from this machine or a private network", async () => {
    for (const address of [`https://${at}/`, "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest"]) {
      assert.equal(await codeOf(readAttachment(test.services, ctxOf(address), "a.txt")), "UPSTREAM", address);
    }
  });

  describe("at a home server", () => {
    const token = "syt_secret";
    const asked: { path: string | undefined; authorization: string | undefined }[] = [];
    let homeServer: string;
    let media: Server;
    /** What the home server keeps, by the paths at which it gives it away. */
    const kept = new Map<string, { type: string; body: string | Buffer; location?: string }>();
    const v1 = (id: string) => `/_matrix/client/v1/media/download/example.org/${id}`;
    const v3 = (id: string) => `/_matrix/media/v3/download/example.org/${id}`;
    before(async () => {
      media = createServer((request, response) => {
        asked.push({ path: request.url, authorization: request.headers.authorization });
        const found = kept.get(request.url ?? "");
        if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end("{}");
        else if (found === undefined) response.writeHead(404).end('{"errcode":"M_UNRECOGNIZED"}');
        else if (found.location !== undefined) response.writeHead(302, { location: found.location }).end();
        else response.writeHead(200, { "content-type": found.type }).end(found.body);
      });
      await new Promise<void>((resolve) => media.listen(0, "127.0.0.1", resolve));
      homeServer = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
      kept.set(v1("new"), { type: "text/plain; charset=utf-8", body: "kept here" });
      kept.set(v3("old"), { type: "text/plain", body: "kept long" });
      kept.set(v1("page"), { type: "text/html", body: "<p>" });
      kept.set(v1("away"), { type: "text/plain", body: "", location: `${homeServer}${v1("new")}` });
      kept.set(v1("vast"), { type: "text/plain", body: Buffer.alloc(25 * 1024 * 1024 + 1, 97) });
    });
    after(() => media.close());

    const readMedia = (id: string, { accessToken = token, said = {}, own = homeServer as string | null } = {}) => {
      const ctx = ctxOf(`mxc://example.org/${id}`);
      const attachments = ctx.attachments.map((each) => ({ ...each, ...said }));
      const withSession = { ...ctx, attachments, matrix: { accessToken, homeServer } };
      return readAttachment(test.services, withSession, "a.txt", { homeServer: own ?? undefined });
    };

    it("is fetched with the user's own token, by the older path where the newer is not known", async () => {
      assert.equal((await readMedia("new")).text, "kept here");
      asked.length = 0;
      assert.equal((await readMedia("old", { said: { size: 9 } })).text, "kept long");
      const authorization = `Bearer ${token}`;
      assert.deepEqual(asked, [
        { path: v1("old"), authorization },
        { path: v3("old"), authorization },
      ]);
    });

    it("is refused where the server refuses, or it is not what the message says", async () => {
      assert.equal(await codeOf(readMedia("none")), "UPSTREAM");
      assert.equal(await codeOf(readMedia("new", { accessToken: "another" })), "UPSTREAM");
      assert.equal(await codeOf(readMedia("page")), "INVALID_INPUT");
      assert.equal(await codeOf(readMedia("new", { said: { size: 8 } })), "INVALID_INPUT");
      assert.equal(await codeOf(readMedia("vast")), "UPSTREAM");
      assert.equal(await codeOf(readMedia("a/../b")), "INVALID_INPUT");
    });

    it("never follows a redirect with the user's token", async () => {
      asked.length = 0;
      assert.equal(await codeOf(readMedia("away")), "UPSTREAM");
      assert.equal(asked.length, 1);
    });

    it("is never fetched from this machine, unless the home server there is this installation's own", async () => {
      asked.length = 0;
      assert.equal(await codeOf(readMedia("new", { own: null })), "UPSTREAM");
      assert.equal(await codeOf(readMedia("new", { own: "http://127.0.0.1:1" })), "UPSTREAM");
      assert.equal(asked.length, 0);
    });

    it("needs the user's session at the home server", async () => {
      assert.equal(await codeOf(readAttachment(test.services, ctxOf("mxc://example.org/new"), "a.txt")), "FORBIDDEN");
    });
  });
});
