import { createTwoFilesPatch } from "diff";
import { describe, expect, it } from "vitest";
import { countChanges, pairLines, readDiffLines } from "./diff-lines.ts";

const unified = (before: string, after: string) => createTwoFilesPatch("/a", "/a", before, after, "1", "2");

describe("the lines of a diff", () => {
  it("have the line numbers of both versions", () => {
    const lines = readDiffLines(unified("one\ntwo\nthree\n", "one\n2\nthree\nfour\n"));
    expect(lines).toEqual([
      { kind: "same", before: 1, after: 1, text: "one" },
      { kind: "removed", before: 2, text: "two" },
      { kind: "added", after: 2, text: "2" },
      { kind: "same", before: 3, after: 3, text: "three" },
      { kind: "added", after: 4, text: "four" },
    ]);
    expect(countChanges(lines)).toEqual({ added: 2, removed: 1 });
  });

  it("mark omitted lines", () => {
    const text = Array.from({ length: 60 }, (_, index) => `${index}`);
    const changed = text.map((line, index) => (index === 2 || index === 50 ? "new" : line));
    const lines = readDiffLines(unified(text.join("\n"), changed.join("\n")));
    expect(lines.filter(({ kind }) => kind === "gap")).toHaveLength(1);
    expect(lines[0]).toMatchObject({ kind: "same", before: 1 });
  });

  it("leave out the note about a missing last newline", () => {
    expect(readDiffLines(unified("a", "b")).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });

  it("are empty for equal contents", () => {
    expect(readDiffLines(unified("a\n", "a\n"))).toEqual([]);
  });
});

describe("two columns of a difference", () => {
  it("put a removed line next to the added one, and leave a gap where one side has more", () => {
    const lines = readDiffLines(createTwoFilesPatch("a", "b", "one\ntwo\nthree\n", "one\n2\n2.5\nthree\n"));
    const texts = pairLines(lines).map(({ before, after }) => [before?.text, after?.text]);
    expect(texts).toEqual([
      ["one", "one"],
      ["two", "2"],
      [undefined, "2.5"],
      ["three", "three"],
    ]);
  });
});
