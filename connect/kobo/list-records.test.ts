import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openKoboApi } from "./kobo-api.ts";
import { listRecords, mostRecords, pagesOf } from "./list-records.ts";

/** A KoboToolbox server that says whatever a test wants about its list. */
function serverThatSays(answer: (start: number) => unknown) {
  let calls = 0;
  const kobo = openKoboApi(
    {
      callOutside: async (url) => {
        calls += 1;
        const start = Number(new URL(url).searchParams.get("start"));
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer(start))) };
      },
    },
    { serverUrl: "https://kobo.example", assetUid: "a", token: "t" },
  );
  return { kobo, calls: () => calls };
}

describe("the list of a project's records", () => {
  it("ends, though the server gives the same page for ever or counts in words", async () => {
    for (const [count, most] of [
      [Number.MAX_SAFE_INTEGER, 1_000],
      ["many", 1],
      [null, 1],
    ] as const) {
      const { kobo, calls } = serverThatSays(() => ({ count, results: [{ _uuid: "one" }] }));
      for await (const { versions } of pagesOf(kobo)) assert.equal(versions.length, 1);
      assert.equal(calls(), most);
    }
  });

  it("is not imported when it has more records than the server counts", async () => {
    const page = (start: number) => Array.from({ length: 1_500 }, (_, i) => ({ _uuid: `${start}-${i}` }));
    const { kobo, calls } = serverThatSays((start) => ({ count: mostRecords, results: page(start) }));
    await assert.rejects(listRecords(kobo), { code: "RULE_VIOLATION" });
    assert.ok(calls() <= mostRecords / 1_000);
  });
});
