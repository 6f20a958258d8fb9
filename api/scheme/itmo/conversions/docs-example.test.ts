import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import {
  exampleConversion,
  type ItmoTest,
  openItmoTest,
  requireStatus,
  signConversion,
} from "../../../../test/support/itmo.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/itmo.md"), "utf8");

/** Every request of the page, in its order. */
function requests(): { method: string; path: string; body: Record<string, unknown> | undefined }[] {
  const found = page.matchAll(/^curl -s "?\$api([^\s"]*)"? -H "\$key"(?: -d '([^']*)')?/gm);
  return [...found].map(([, path = "", text]) => ({
    method: text === undefined ? "GET" : "POST",
    path: `/itmo${path}`,
    body: text === undefined ? undefined : JSON.parse(text),
  }));
}

let test: ItmoTest;
before(async () => {
  test = await openItmoTest();
});
after(() => test?.close());

it("the requests of docs/itmo.md work one after the other", async () => {
  const all = requests();
  assert.equal(all.length, (page.match(/^curl/gm) ?? []).length, "every command of the page is understood");
  await test.fund(1_001_000);
  for (const { method, path, body } of all) {
    const answer = await test.admin(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    if (path !== "/itmo/conversions" || body === undefined) continue;
    // The page explains how to use each response. The second conversion exists to be reverted.
    for (const terms of [body as ReturnType<typeof exampleConversion>, exampleConversion()]) {
      requireStatus(await test.admin("POST", path, await signConversion(test, terms)), 201);
    }
  }
});
