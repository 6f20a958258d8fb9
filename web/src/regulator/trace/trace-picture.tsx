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
  type ReactFlowInstance,
} from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { TraceLink } from "../../../../wire/src/reports.ts";
import { type Fold, foldTrace } from "./fold.ts";
import { nodeHeight, nodeWidth, placeNodes } from "./layout.ts";
import { PrintedPicture } from "./printed-picture.tsx";
import { useRelation } from "./relation.ts";
import { keyOf, type TraceNode } from "./report.ts";
import classes from "./trace-picture.module.css";

type StepNode = Node<{ node: TraceNode; isOpen: boolean; onOpen: (node: TraceNode) => void }, "step">;
type FoldNode = Node<{ fold: Fold; onOpen: (fold: Fold) => void }, "fold">;
const nodeTypes = { step: Step, fold: FoldStep };

/** Smallest zoom at which ids can be read. A picture that would be smaller begins at what was asked for. */
const readable = 0.5;

/** A picture of more nodes gets a map of the whole. */
const fewNodes = 6;

type TracePictureProps = {
  nodes: TraceNode[];
  links: TraceLink[];
  open: TraceNode | undefined;
  onOpen: (node: TraceNode) => void;
};

/**
 * The trace as a picture, in layers from left to right. Each node is a button that opens its details. Long rows of similar nodes are
 * folded; a button shows them.
 */
export function TracePicture({ nodes: all, links: allLinks, open, onOpen }: TracePictureProps) {
  const { t } = useTranslation();
  const relationText = useRelation();
  const scheme = useComputedColorScheme();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { nodes, links, folds } = useMemo(() => foldTrace(all, allLinks, opened), [all, allLinks, opened]);
  const places = useMemo(
    () => placeNodes(nodes, links, ({ relation }) => relationText(relation), folds),
    [nodes, links, folds, relationText],
  );
  const [flow, setFlow] = useState<ReactFlowInstance<StepNode | FoldNode>>();
  const size = { width: nodeWidth, height: nodeHeight };
  const placeOf = (key: string) => places.get(key) ?? { x: 0, y: 0 };
  const shown: (StepNode | FoldNode)[] = [
    ...nodes.map((node) => ({
      id: node.key,
      type: "step" as const,
      position: placeOf(node.key),
      ...size,
      data: { node, isOpen: open?.key === node.key, onOpen },
    })),
    ...folds.map((fold) => ({
      id: fold.key,
      type: "fold" as const,
      position: placeOf(fold.key),
      ...size,
      data: { fold, onOpen: ({ key }: Fold) => setOpened((was) => new Set([...was, key])) },
    })),
  ];
  const edges: Edge[] = useMemo(
    () => [
      ...links.map(({ from, to, relation }, index) => ({
        id: String(index),
        source: keyOf(from),
        target: keyOf(to),
        label: relationText(relation),
        ariaLabel: [from, to].map(({ type, id }) => `${t(`regulator.trace.type.${type}`)} ${id}`).join(" → "),
        markerEnd: { type: MarkerType.ArrowClosed },
        focusable: false,
      })),
      ...folds.map(({ key, anchor, side }) => ({
        id: key,
        source: side === "after" ? anchor : key,
        target: side === "after" ? key : anchor,
        markerEnd: { type: MarkerType.ArrowClosed },
        focusable: false,
      })),
    ],
    [links, folds, t, relationText],
  );
  useEffect(() => {
    if (flow !== undefined) void showWhole(flow, nodes, places);
  }, [flow, nodes, places]);
  return (
    <>
      <section className={classes.frame} aria-label={t("regulator.trace.pictureLabel")} data-print="no">
        <ReactFlow
          nodes={shown}
          edges={edges}
          nodeTypes={nodeTypes}
          colorMode={scheme}
          onInit={setFlow}
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
          {nodes.length > fewNodes && <MiniMap pannable zoomable ariaLabel={null} className={classes.map ?? ""} />}
        </ReactFlow>
      </section>
      <PrintedPicture nodes={nodes} links={links} folds={folds} places={places} />
    </>
  );
}

/** Fit the picture to its frame; if it would be too small to read, centre what was asked for. */
async function showWhole(
  flow: ReactFlowInstance<StepNode | FoldNode>,
  nodes: TraceNode[],
  places: ReadonlyMap<string, { x: number; y: number }>,
): Promise<void> {
  await flow.fitView({ padding: 0.08, maxZoom: 1 });
  if (flow.getZoom() >= readable) return;
  const subject = nodes.find(({ isSubject }) => isSubject) ?? nodes[0];
  const at = places.get(subject?.key ?? "");
  if (at !== undefined) await flow.setCenter(at.x + nodeWidth / 2, at.y + nodeHeight / 2, { zoom: 0.8 });
}

function FoldStep({ data: { fold, onOpen } }: NodeProps<FoldNode>) {
  const { t } = useTranslation();
  const { type, count } = fold;
  return (
    <>
      <Handle type="target" position={Position.Left} className={classes.handle ?? ""} />
      <button type="button" className={`nodrag nopan ${classes.step} ${classes.fold}`} onClick={() => onOpen(fold)}>
        <span className={classes.kind}>{t("regulator.trace.folded", { count })}</span>
        <span className={classes.id}>{t(`regulator.trace.type.${type}`)}</span>
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle ?? ""} />
    </>
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
        {isSubject && <span className={classes.asked}>{t("regulator.trace.asked")}</span>}
      </button>
      <Handle type="source" position={Position.Right} className={classes.handle ?? ""} />
    </>
  );
}
