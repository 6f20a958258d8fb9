import { describe, expect, it } from "vitest";
import { firstPages, type KnownPage, knownRows, learn, pageAt } from "./cursor-pages.ts";

const page = (cursor: string | undefined, start: number, length?: number): KnownPage => ({ cursor, start, length });

describe("pages of a list with cursors", () => {
  const two = learn(firstPages, 0, { length: 100, nextCursor: "a" });
  const three = learn(two, 1, { length: 100, nextCursor: "b" });

  it("adds a page when the one before it is read, and ends without a next cursor", () => {
    expect(two).toEqual([page(undefined, 0, 100), page("a", 100)]);
    expect(knownRows(two)).toEqual({ count: 100, isAll: false });
    const all = learn(three, 2, { length: 7, nextCursor: null });
    expect(knownRows(all)).toEqual({ count: 207, isAll: true });
    expect(knownRows(learn(firstPages, 0, { length: 0, nextCursor: null }))).toEqual({ count: 0, isAll: true });
  });

  it("stays the same when a page is read again unchanged", () => {
    expect(learn(three, 0, { length: 100, nextCursor: "a" })).toBe(three);
    const all = learn(three, 2, { length: 7, nextCursor: null });
    expect(learn(all, 2, { length: 7, nextCursor: null })).toBe(all);
  });

  it("finds the page of a row, also when pages are not full", () => {
    const uneven = learn(learn(firstPages, 0, { length: 3, nextCursor: "a" }), 1, { length: 5, nextCursor: "b" });
    expect([0, 2, 3, 7, 8, 900].map((row) => pageAt(uneven, row))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it("shifts later pages when rows are added with the same cursor, and reads them again when the cursor differs", () => {
    expect(learn(three, 0, { length: 98, nextCursor: "a" })).toEqual([
      page(undefined, 0, 98),
      page("a", 98, 100),
      page("b", 198),
    ]);
    expect(learn(three, 0, { length: 100, nextCursor: "c" })).toEqual([page(undefined, 0, 100), page("c", 100)]);
    expect(learn(three, 0, { length: 40, nextCursor: null })).toEqual([page(undefined, 0, 40)]);
  });
});
