import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { openTestService } from "../../../test/support/own-credentials.ts";

const root = new URL("../../../", import.meta.url);

it("verifies a credential as the documentation says, and tells when it is revoked", async (t) => {
  const { deps, close } = await openTestService();
  t.after(close);
  const { credentials } = deps;
  const subject = { id: "did:ixo:household/123", logs: 4 };
  const request = { type: "KPTCredential" as const, id: "urn:hearth:kpt:KPT-1", subject, statusOf: "KPT-1" };
  const { jwt, hash } = await credentials.issue({ ...request, issuedAt: new Date() });
  const [, example = ""] = /```js\n(.*?)```/s.exec(await readFile(new URL("docs/credentials.md", root), "utf8")) ?? [];
  assert.match(example, /process\.env\.CREDENTIAL/);
  // The example's imports resolve here.
  const folder = new URL(`node_modules/.cache/docs-credentials-${process.pid}/`, root);
  await mkdir(folder, { recursive: true });
  t.after(() => rm(folder, { recursive: true, force: true }));
  const log = t.mock.method(console, "log", () => {});
  const run = async (name: string) => {
    const file = new URL(name, folder);
    await writeFile(file, example.replace("process.env.CREDENTIAL", JSON.stringify(jwt)));
    await import(file.href);
    return log.mock.calls.at(-1)?.arguments.join(" ");
  };
  assert.equal(await run("first.mjs"), `KPTCredential by ${credentials.issuer} stands`);
  await credentials.revoke(hash, "wrong-data");
  assert.equal(await run("second.mjs"), `KPTCredential by ${credentials.issuer} was revoked`);
});
