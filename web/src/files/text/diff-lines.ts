import { parsePatch } from "diff";

export type DiffLine = {
  kind: "same" | "added" | "removed" | "gap";
  /** Line numbers in the version before and after, from 1. */
  before?: number;
  after?: number;
  text: string;
};

/** Parse the lines of a unified diff, with their numbers; `gap` separates two hunks. */
export function readDiffLines(unified: string): DiffLine[] {
  const hunks = parsePatch(unified).flatMap((file) => file.hunks);
  return hunks.flatMap((hunk, index) => {
    const lines = hunkLines(hunk.lines, hunk.oldStart, hunk.newStart);
    return index === 0 && hunk.oldStart <= 1 ? lines : [{ kind: "gap" as const, text: "" }, ...lines];
  });
}

function hunkLines(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  let before = oldStart;
  let after = newStart;
  const read: DiffLine[] = [];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("+")) read.push({ kind: "added", after: after++, text });
    else if (line.startsWith("-")) read.push({ kind: "removed", before: before++, text });
    // "\ No newline at end of file" is a note about the line before.
    else if (!line.startsWith("\\")) read.push({ kind: "same", before: before++, after: after++, text });
  }
  return read;
}

/** Count added and removed lines. */
export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

/** Two lines next to each other; undefined where one side has none. */
export type DiffPair = { before: DiffLine | undefined; after: DiffLine | undefined };

/** Arrange lines for two columns: a removed line is next to the one that replaced it. */
export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1)
      pairs.push({ before: removed[i], after: added[i] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}
