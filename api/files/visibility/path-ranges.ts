import { isWithin, type Visibility } from "../../platform/ucan/index.ts";

/**
 * Paths from `from` up to but not including `to`, sorted by their UTF-8 bytes (the database's collation "C"). `revealed`: hidden
 * files are shown too.
 */
export type PathRange = { from: string; to: string; revealed: boolean };

/** Compute the smallest text after a path in sort order (paths contain no NUL). */
export function afterPath(path: string): string {
  return `${path}\u0001`;
}

/** Compute the first path after everything below a folder: "0" is the character after the slash. */
export function afterFolder(folder: string): string {
  return folder === "/" ? "0" : `${folder}0`;
}

/** Compute the common prefix of everything below a folder. */
export function belowFolder(folder: string): string {
  return folder === "/" ? "/" : `${folder}/`;
}

/** Compare paths as the database does. JavaScript's order of strings differs beyond U+FFFF. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

type Span = { from: string; to: string };

/** Compute the ranges of a path and of everything below it. They are separate, because `/a-b` sorts between `/a` and `/a/b`. */
export function spansOf(path: string): Span[] {
  const below = { from: belowFolder(path), to: afterFolder(path) };
  return path === "/" ? [below] : [{ from: path, to: afterPath(path) }, below];
}

/**
 * Compute what the caller may see within a folder (or of one file), as disjoint sorted ranges. @param from leave out paths before
 * this one
 */
export function rangesOf(visibility: Visibility, within = "/", from = ""): PathRange[] {
  const shown: Span[] = [];
  const revealed: Span[] = [];
  for (const { prefix, reveal } of visibility) {
    const area = narrower(prefix, within);
    if (area === undefined) continue;
    shown.push(...spansOf(area));
    for (const path of reveal.all ? ["/"] : reveal.paths) {
      const open = narrower(path, area);
      if (open !== undefined) revealed.push(...spansOf(open));
    }
  }
  const layers = [shown.map((span) => ({ ...span, layer: 0 })), revealed.map((span) => ({ ...span, layer: 1 }))].flat();
  return sweep(layers, from, ([isShown, isRevealed]) => (isShown > 0 ? { revealed: isRevealed > 0 } : undefined));
}

/** Remove everything below the given hidden folders from the ranges that do not reveal hidden files. */
export function withoutFolders(ranges: readonly PathRange[], folders: readonly string[]): PathRange[] {
  if (folders.length === 0) return [...ranges];
  const layers = [
    ...ranges.map(({ from, to, revealed }) => ({ from, to, layer: revealed ? 1 : 0 })),
    ...folders.map((folder) => ({ from: belowFolder(folder), to: afterFolder(folder), layer: 2 })),
  ];
  return sweep(layers, "", ([plain, revealed, hidden]) => {
    if (revealed > 0) return { revealed: true };
    return plain > 0 && hidden === 0 ? { revealed: false } : undefined;
  });
}

/** Return the path that is inside the other one; undefined if neither is. */
function narrower(a: string, b: string): string | undefined {
  if (isWithin(a, b)) return b;
  return isWithin(b, a) ? a : undefined;
}

type Depths = [number, number, number];

/** Walk over the borders of all spans in order, collect the ranges that `keep` accepts, and join equal neighbours. */
function sweep(
  spans: (Span & { layer: number })[],
  from: string,
  keep: (depths: Depths) => { revealed: boolean } | undefined,
): PathRange[] {
  const borders = spans.flatMap((span) => [
    { at: span.from, key: Buffer.from(span.from), layer: span.layer, step: 1 },
    { at: span.to, key: Buffer.from(span.to), layer: span.layer, step: -1 },
  ]);
  borders.sort((a, b) => Buffer.compare(a.key, b.key));
  const depths: Depths = [0, 0, 0];
  const ranges: PathRange[] = [];
  borders.forEach(({ at, layer, step }, index) => {
    depths[layer as 0 | 1 | 2] += step;
    const to = borders[index + 1]?.at;
    const kept = to === undefined || to === at ? undefined : keep(depths);
    if (kept === undefined || to === undefined || comparePaths(to, from) <= 0) return;
    const start = comparePaths(at, from) < 0 ? from : at;
    const last = ranges.at(-1);
    if (last !== undefined && last.to === start && last.revealed === kept.revealed) last.to = to;
    else ranges.push({ from: start, to, ...kept });
  });
  return ranges;
}
