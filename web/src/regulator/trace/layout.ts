import dagre from "@dagrejs/dagre";
import type { TraceLink } from "../../../../wire/src/reports.ts";
import type { Fold } from "./fold.ts";
import { keyOf, type TraceNode } from "./report.ts";

export const nodeWidth = 208;
export const nodeHeight = 64;

/** Width of a letter in a link's label, and the space around the label, in pixels. */
const letterWidth = 5.5;
const textMargin = 16;

/**
 * Position of each node's upper left corner: in layers from left to right, with few crossings, and space for the labels
 * between layers.
 */
export function placeNodes(
  nodes: TraceNode[],
  links: TraceLink[],
  textOf: (link: TraceLink) => string,
  folds: Fold[] = [],
): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 48, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of nodes) graph.setNode(key, { width: nodeWidth, height: nodeHeight });
  for (const [index, link] of links.entries()) {
    const size = { width: textOf(link).length * letterWidth + textMargin, height: 1, labelpos: "c" };
    graph.setEdge(keyOf(link.from), keyOf(link.to), size, String(index));
  }
  for (const { key, anchor, side } of folds) {
    graph.setNode(key, { width: nodeWidth, height: nodeHeight });
    const [from, to] = side === "after" ? [anchor, key] : [key, anchor];
    graph.setEdge(from, to, { width: textMargin, height: 1, labelpos: "c" }, key);
  }
  dagre.layout(graph);
  return new Map(
    [...nodes, ...folds].map(({ key }) => {
      const { x, y } = graph.node(key);
      return [key, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }];
    }),
  );
}
