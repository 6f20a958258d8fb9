import dagre from "@dagrejs/dagre";
import { keyOf, type TraceLink, type TraceNode } from "./report.ts";

export const nodeWidth = 208;
export const nodeHeight = 64;

/** Where each node lies, its upper left corner: in layers along the way of the value, with few crossings. */
export function layOut(nodes: TraceNode[], links: TraceLink[]): Map<string, { x: number; y: number }> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 72, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of nodes) graph.setNode(key, { width: nodeWidth, height: nodeHeight });
  for (const [index, { from, to }] of links.entries()) graph.setEdge(keyOf(from), keyOf(to), {}, String(index));
  dagre.layout(graph);
  return new Map(
    nodes.map(({ key }) => {
      const { x, y } = graph.node(key);
      return [key, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }];
    }),
  );
}
