import type { Mark } from "vega";
import { colours, sizes } from "./style.ts";

export type TextStyle = { y: number; x?: number; size?: number; bold?: boolean; fill?: string; limit?: number };

export function text(
  content: string,
  { y, x = 24, size = 12, bold = false, fill = colours.ink, limit = 0 }: TextStyle,
): Mark {
  return {
    type: "text",
    encode: {
      enter: {
        x: { value: x },
        y: { value: y },
        text: { value: content },
        fontSize: { value: size },
        fontWeight: { value: bold ? "bold" : "normal" },
        fill: { value: fill },
        limit: { value: limit },
      },
    },
  };
}

type Sign = { shape: string; width: number; label: string; fill: string; stroke?: string; size: number };

const signs = {
  household: { shape: "circle", width: 12, label: "one household", fill: colours.muted, size: 46 },
  density: { shape: "square", width: 14, label: "density of households", fill: colours.grid, size: 110 },
  mean: { shape: "circle", width: 36, label: "mean with bounds", fill: colours.ink, size: 40 },
  box: {
    shape: "square",
    width: 14,
    label: "quartiles, median",
    fill: colours.paper,
    stroke: colours.muted,
    size: 110,
  },
  outlier: { shape: "diamond", width: 12, label: "outlier", fill: colours.paper, stroke: colours.outlier, size: 46 },
} as const satisfies Record<string, Sign>;

/** About as wide as a letter of the legend is, in pixels; there is no screen to measure it on. */
const letter = 6.9;
const gap = 16;

/** What each sign means, below the axis. */
export function legendMarks(drawn: { level: number; dots: boolean; densities: boolean }): Mark[] {
  const { household, density, box, outlier } = signs;
  const mean = { ...signs.mean, label: `mean with ${drawn.level} % bounds` };
  const shown: Sign[] = [...(drawn.dots ? [household] : []), ...(drawn.densities ? [density] : []), mean, box, outlier];
  const y = sizes.header + 2 * sizes.band.height + sizes.footer - 22;
  let x = 24;
  return shown.flatMap((sign) => {
    const middle = x + sign.width / 2;
    const marks = [
      ...(sign === mean ? [lineMark({ x, x2: x + sign.width, y: y - 4 })] : []),
      symbolMark(sign, { x: middle, y: y - 4 }),
      text(sign.label, { x: x + sign.width + 6, y, fill: colours.muted }),
    ];
    x += sign.width + 6 + sign.label.length * letter + gap;
    return marks;
  });
}

function lineMark({ x, x2, y }: { x: number; x2: number; y: number }): Mark {
  const place = { x: { value: x }, x2: { value: x2 }, y: { value: y } };
  return { type: "rule", encode: { enter: { ...place, stroke: { value: colours.ink }, strokeWidth: { value: 2 } } } };
}

function symbolMark({ shape, size, fill, stroke }: Sign, { x, y }: { x: number; y: number }): Mark {
  const outline = stroke === undefined ? {} : { stroke: { value: stroke }, strokeWidth: { value: 1.6 } };
  const look = { shape: { value: shape }, size: { value: size }, fill: { value: fill }, ...outline };
  return { type: "symbol", encode: { enter: { x: { value: x }, y: { value: y }, ...look } } };
}
