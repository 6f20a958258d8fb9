import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../errors.ts";
import { putFile } from "../../../files/write/put-file.ts";
import { turnOf } from "../../agent/testing.ts";
import type { ToolContext } from "../../tool.ts";
import { openTestServices, type TestServices } from "../testing.ts";
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
    await putFile(own, { path: "/a.txt", mimeType: "text/plain", content: Buffer.from("own words") });
    await putFile(own, { path: "/b.bin", mimeType: "image/png", content: Buffer.from([0xff, 0xfe, 0x00]) });
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
    assert.equal(
      await codeOf(readAttachment(test.services, ctxOf("mxc://server/id"), "a.txt")),
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });
});
