import type { TraceEndType, TraceLink } from "../../../../wire/src/reports.ts";
import { keyOf, type TraceNode } from "./report.ts";

/** Similar neighbours of a node that are not shown. */
export type Fold = {
  key: string;
  /** The node that they belong to, and whether they come after it or before it. */
  anchor: string;
  side: "after" | "before";
  type: TraceEndType;
  count: number;
};

export type FoldedTrace = { nodes: TraceNode[]; links: TraceLink[]; folds: Fold[] };

/** A node shows up to `most` similar neighbours; of more, it shows `kept`. */
const [most, kept] = [5, 3];

/**
 * Fold long rows of similar neighbours, with all that only they lead to. What was asked for is always shown.
 *
 * @param opened keys of folds to show in full
 */
export function foldTrace(nodes: TraceNode[], links: TraceLink[], opened: ReadonlySet<string>): FoldedTrace {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const hidden = new Set<string>();
  const folds: Fold[] = [];
  for (const side of ["after", "before"] as const) {
    folds.push(...foldSide(side, links, byKey, hidden, opened));
    hideCutOff(nodes, links, hidden);
  }
  return {
    nodes: nodes.filter(({ key }) => !hidden.has(key)),
    links: links.filter(({ from, to }) => !hidden.has(keyOf(from)) && !hidden.has(keyOf(to))),
    folds: folds.filter(({ anchor }) => !hidden.has(anchor)),
  };
}

function foldSide(
  side: Fold["side"],
  links: TraceLink[],
  byKey: ReadonlyMap<string, TraceNode>,
  hidden: Set<string>,
  opened: ReadonlySet<string>,
): Fold[] {
  const groups = new Map<string, Set<string>>();
  for (const { from, to, relation } of links) {
    const [anchor, neighbour] = side === "after" ? [from, to] : [to, from];
    if (hidden.has(keyOf(anchor)) || hidden.has(keyOf(neighbour))) continue;
    const group = `${side}|${keyOf(anchor)}|${relation}|${neighbour.type}`;
    groups.set(group, (groups.get(group) ?? new Set()).add(keyOf(neighbour)));
  }
  const folds: Fold[] = [];
  for (const [key, neighbours] of groups) {
    if (neighbours.size <= most || opened.has(key)) continue;
    const [, anchor = ""] = key.split("|");
    const folded = [...neighbours].slice(kept).filter((each) => byKey.get(each)?.isSubject === false);
    const type = byKey.get(folded[0] ?? "")?.type;
    if (type === undefined || hidden.has(anchor)) continue;
    for (const each of folded) hidden.add(each);
    folds.push({ key, anchor, side, type, count: folded.length });
  }
  return folds;
}

/** Hide the nodes that only hidden nodes lead to, or that lead only to hidden nodes. */
function hideCutOff(nodes: TraceNode[], links: TraceLink[], hidden: Set<string>): void {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  for (const link of links) {
    const [from, to] = [keyOf(link.from), keyOf(link.to)];
    before.set(to, [...(before.get(to) ?? []), from]);
    after.set(from, [...(after.get(from) ?? []), to]);
  }
  const isCutOff = (neighbours: string[] | undefined) => neighbours?.every((each) => hidden.has(each)) === true;
  for (let size = -1; size !== hidden.size; ) {
    size = hidden.size;
    for (const { key, isSubject } of nodes)
      if (!isSubject && (isCutOff(before.get(key)) || isCutOff(after.get(key)))) hidden.add(key);
  }
}
