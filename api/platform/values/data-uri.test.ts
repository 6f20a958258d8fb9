import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openDataUri } from "./data-uri.ts";
import { cleanMimeType } from "./mime-type.ts";

async function byFetch(uri: string): Promise<unknown> {
  try {
    const answer = await fetch(uri);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { bytes, mimeType: cleanMimeType(answer.headers.get("content-type") ?? "") };
  } catch {
    return undefined;
  }
}

test("decodes a data: URI as the platform does, whatever its form", async () => {
  const type = fc.constantFrom(
    "image/jpeg",
    "Text/CSV",
    "text/csv;charset=utf-8",
    "application/x.y+json",
    "",
    "text",
    "a/b c",
  );
  const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));
  const odd = fc.string({ unit: fc.constantFrom(..."AB+/=_ #%41\n"), maxLength: 12 });
  const cut = base64.map((text) => text.replace(/=+$/, ""));
  await fc.assert(
    fc.asyncProperty(type, fc.constantFrom(";base64,", ","), fc.oneof(base64, cut, odd), async (kind, mark, body) => {
      const uri = `data:${kind}${mark}${body}`;
      assert.deepEqual(await openDataUri(uri), await byFetch(uri), uri);
    }),
    { numRuns: 2_000 },
  );
});

test("decodes a photo without the platform, which takes a byte at a time", async (t) => {
  const bytes = Buffer.alloc(700_000, 7);
  const platform = t.mock.method(globalThis, "fetch");
  const opened = await openDataUri(`data:image/jpeg;base64,${bytes.toString("base64")}`);
  assert.deepEqual(opened, { bytes: new Uint8Array(bytes), mimeType: "image/jpeg" });
  assert.equal(platform.mock.callCount(), 0);
});
