import { describe, expect, it } from "vitest";
import { readRows } from "./csv-rows.ts";

describe("a CSV text", () => {
  it("is a header and rows, with any of three separators", () => {
    expect(readRows('a,b\n1,"x, y"\n')).toEqual({ header: ["a", "b"], rows: [["1", "x, y"]], hasMore: false });
    expect(readRows("a;b\n1,5;2\n")).toEqual({ header: ["a", "b"], rows: [["1,5", "2"]], hasMore: false });
    expect(readRows("")).toEqual({ header: [], rows: [], hasMore: false });
  });

  it("shows only the first rows of a long text, and says why a text cannot be read", () => {
    const long = readRows(`a\n${"1\n".repeat(500)}`);
    expect(long.rows).toHaveLength(200);
    expect(long.hasMore).toBe(true);
    expect(readRows('a\n"open').error).toBeInstanceOf(Error);
  });
});
