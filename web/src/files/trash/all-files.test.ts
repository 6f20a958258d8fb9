import { describe, expect, it } from "vitest";
import type { BatchAnswer, VersionEntry } from "../file-types.ts";
import { prunedBy } from "../versions/pruned-by.ts";
import { allOf, inBatches } from "./all-files.ts";

describe("pruning", () => {
  const version = (number: number, more: Partial<VersionEntry> = {}) =>
    ({ version: number, current: false, ...more }) as VersionEntry;

  it("selects versions older than the newest ones, counting the head, and never a pinned version", () => {
    const versions = [version(9, { current: true }), version(7), version(4, { pinned: true }), version(2)];
    const going = (keep: number) => prunedBy(versions.toReversed(), keep).map((each) => each.version);
    expect(going(1)).toEqual([7, 2]);
    expect(going(2)).toEqual([2]);
    expect(going(4)).toEqual([]);
  });
});

describe("many files", () => {
  const files = Array.from({ length: 1_100 }, (_, i) => ({ id: String(i), path: `/${i}` }));

  it("are read page by page", async () => {
    const pages = new Map([
      [undefined, { items: [1, 2], nextCursor: "b" }],
      ["b", { items: [], nextCursor: "c" }],
      ["c", { items: [3], nextCursor: null }],
    ]);
    expect(await allOf<number>(async (cursor) => pages.get(cursor) ?? { items: [], nextCursor: null })).toEqual([
      1, 2, 3,
    ]);
  });

  it("are processed in batches, and refused ones are listed by path", async () => {
    const sizes: number[] = [];
    const failures = await inBatches(files, async (ids): Promise<BatchAnswer> => {
      sizes.push(ids.length);
      const results = ids.map((id) => ({ id, ok: id !== "700", status: 404, error: "No such file." }));
      return { results, succeeded: ids.length, failed: 0 };
    });
    expect(sizes).toEqual([500, 500, 100]);
    expect(failures).toEqual([{ path: "/700", error: "No such file." }]);
  });
});
