import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { TraceLink } from "../../../../wire/src/reports.ts";
import { nodeHeight, nodeWidth, placeNodes } from "./layout.ts";
import { useRelation } from "./relation.ts";
import { keyOf, type TraceNode } from "./report.ts";
import classes from "./trace-picture.module.css";

type StepNode = Node<{ node: TraceNode; isOpen: boolean; onOpen: (node: TraceNode) => void }, "step">;
const nodeTypes = { step: Step };

type TracePictureProps = {
  nodes: TraceNode[];
  links: TraceLink[];
  open: TraceNode | undefined;
  onOpen: (node: TraceNode) => void;
};

/** The trace as a picture, in layers from left to right. Each node is a button that opens its details. */
export function TracePicture({ nodes, links, open, onOpen }: TracePictureProps) {
  const { t } = useTranslation();
  const relationText = useRelation();
  const scheme = useComputedColorScheme();
  const places = useMemo(
    () => placeNodes(nodes, links, ({ relation }) => relationText(relation)),
    [nodes, links, relationText],
  );
  const shown: StepNode[] = nodes.map((node) => ({
    id: node.key,
    type: "step",
    position: places.get(node.key) ?? { x: 0, y: 0 },
    width: nodeWidth,
    height: nodeHeight,
    data: { node, isOpen: open?.key === node.key, onOpen },
  }));
  const edges: Edge[] = useMemo(
    () =>
      links.map(({ from, to, relation }, index) => ({
        id: String(index),
        source: keyOf(from),
        target: keyOf(to),
        label: relationText(relation),
        ariaLabel: [from, to].map(({ type, id }) => `${t(`regulator.trace.type.${type}`)} ${id}`).join(" → "),
        markerEnd: { type: MarkerType.ArrowClosed },
        focusable: false,
      })),
    [links, t, relationText],
  );
  // A large trace would be too small to read: start at the requested node.
  const first = nodes.length > 12 ? (nodes.find(({ isSubject }) => isSubject) ?? nodes[0]) : undefined;
  return (
    <section className={classes.frame} aria-label={t("regulator.trace.pictureLabel")}>
      <ReactFlow
        nodes={shown}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={first === undefined ? { maxZoom: 1 } : { nodes: [{ id: first.key }], maxZoom: 0.9 }}
        minZoom={0.05}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements={nodes.length > 200}
        ariaLabelConfig={{
          "node.a11yDescription.default": t("regulator.trace.nodeHint"),
          "node.a11yDescription.keyboardDisabled": t("regulator.trace.nodeHint"),
          "edge.a11yDescription.default": "",
          "controls.ariaLabel": t("regulator.trace.zoom.label"),
          "controls.zoomIn.ariaLabel": t("regulator.trace.zoom.in"),
          "controls.zoomOut.ariaLabel": t("regulator.trace.zoom.out"),
          "controls.fitView.ariaLabel": t("regulator.trace.zoom.fit"),
        }}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
        {nodes.length > 12 && <MiniMap pannable zoomable ariaLabel={null} className={classes.map ?? ""} />}
      </ReactFlow>
    </section>
  );
}

function Step({ data: { node, isOpen, onOpen } }: NodeProps<StepNode>) {
  const { t } = useTranslation();
  const { type, id, isSubject } = node;
  return (
    <>
      <Handle type="target" position={Position.Left} className={classes.handle ?? ""} />
      <button
        type="button"
        className={`nodrag nopan ${classes.step}`}
        data-type={type}
        data-subject={isSubject}
        aria-pressed={isOpen}
        onClick={() => onOpen(node)}
      >
        <span className={classes.kind}>{t(`regulator.trace.type.${type}`)}</span>
        <span className={classes.id}>{id}</span>
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle ?? ""} />
    </>
  );
}
