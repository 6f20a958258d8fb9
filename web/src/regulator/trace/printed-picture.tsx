import { useTranslation } from "react-i18next";
import type { TraceEnd, TraceLink } from "../../../../wire/src/reports.ts";
import type { Fold } from "./fold.ts";
import { nodeHeight, nodeWidth } from "./layout.ts";
import { useRelation } from "./relation.ts";
import { keyOf, type TraceNode } from "./report.ts";
import classes from "./trace-picture.module.css";

type PrintedPictureProps = {
  nodes: TraceNode[];
  links: TraceLink[];
  folds: Fold[];
  places: ReadonlyMap<string, { x: number; y: number }>;
};

/** Letters of an id that fit into a node. */
const letters = 26;

/** Steps that fit on the page below the picture. */
const mostSteps = 24;

/** The picture for printing, scaled to fit on one page, with the first steps in words. */
export function PrintedPicture({ nodes, links, folds, places }: PrintedPictureProps) {
  const { t } = useTranslation();
  const relationText = useRelation();
  const nameOf = ({ type, id }: TraceEnd) => `${t(`regulator.trace.type.${type}`)} ${id}`;
  const at = (key: string) => places.get(key) ?? { x: 0, y: 0 };
  const all = [...places.values()];
  const width = Math.max(...all.map(({ x }) => x)) + nodeWidth + 16;
  const height = Math.max(...all.map(({ y }) => y)) + nodeHeight + 16;
  const edges = [
    ...links.map(({ from, to }) => [keyOf(from), keyOf(to)] as const),
    ...folds.map(({ key, anchor, side }) => (side === "after" ? ([anchor, key] as const) : ([key, anchor] as const))),
  ];
  const box = (key: string, title: string, text: string, isSubject: boolean) => {
    const { x, y } = at(key);
    return (
      <g key={key}>
        <rect
          x={x}
          y={y}
          width={nodeWidth}
          height={nodeHeight}
          rx={6}
          fill="white"
          stroke="black"
          strokeWidth={isSubject ? 4 : 1}
        />
        <text x={x + 10} y={y + 26} fontSize={14} fontWeight={700}>
          {title}
        </text>
        <text x={x + 10} y={y + 48} fontSize={11} fontFamily="monospace">
          {text.length > letters ? `${text.slice(0, letters - 1)}…` : text}
        </text>
      </g>
    );
  };
  return (
    <div className={classes.printed}>
      <svg viewBox={`0 0 ${width} ${height}`} className={classes.drawing} aria-hidden>
        {edges.map(([from, to], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may be equal
          <path key={`${index} ${from}`} d={lineOf(at(from), at(to))} fill="none" stroke="gray" />
        ))}
        {nodes.map(({ key, type, id, isSubject }) => box(key, t(`regulator.trace.type.${type}`), id, isSubject))}
        {folds.map(({ key, type, count }) =>
          box(key, t("regulator.trace.folded", { count }), t(`regulator.trace.type.${type}`), false),
        )}
      </svg>
      <ol className={classes.steps}>
        {links.slice(0, mostSteps).map(({ from, to, relation }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may be equal
          <li key={index}>
            {nameOf(from)} → {relationText(relation)} → {nameOf(to)}
          </li>
        ))}
        {links.length > mostSteps && <li>{t("regulator.trace.folded", { count: links.length - mostSteps })}</li>}
      </ol>
    </div>
  );
}

/** A curve from the right side of a node to the left side of another. */
function lineOf(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x1, y1] = [from.x + nodeWidth, from.y + nodeHeight / 2];
  const [x2, y2] = [to.x, to.y + nodeHeight / 2];
  const middle = (x1 + x2) / 2;
  return `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
}
