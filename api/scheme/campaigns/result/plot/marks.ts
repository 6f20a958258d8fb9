import type { Mark } from "vega";
import type { GroupPlot } from "./data.ts";
import { colours, sizes } from "./style.ts";

const { dot, band, boxAt, meanAt, boxHeight } = sizes;

/** Households that are drawn one by one; more of them are drawn as a density. */
const mostDots = 400;

type Dot = { value: number; dy: number; size: number; isOutlier: boolean };

/**
 * Every household as a dot at its value, stacked about the middle of its band where several would overlap. Null when the dots would
 * have to be too small for that.
 */
export function dotsOf({ values, outliers }: GroupPlot, pixelsPerUnit: number): Dot[] | null {
  if (values.length > mostDots) return null;
  for (let diameter = dot.largest; diameter >= dot.smallest; diameter--) {
    const bins = binsOf(values, diameter / pixelsPerUnit);
    const counts = new Map<number, number>();
    for (const bin of bins) counts.set(bin, (counts.get(bin) ?? 0) + 1);
    if (Math.max(0, ...counts.values()) * diameter > band.distribution) continue;
    const placed = new Map<number, number>();
    return values.map((value, index): Dot => {
      const bin = bins[index] as number;
      const order = placed.get(bin) ?? 0;
      placed.set(bin, order + 1);
      // Up and down in turns from the middle.
      const dy = (order % 2 === 0 ? order / 2 : -(order + 1) / 2) * diameter;
      const isOutlier = outliers.has(value);
      return { value: bin, dy, size: (diameter - 1) ** 2, isOutlier };
    });
  }
  return null;
}

/** The middle of the bin of each ascending value; a bin begins at a value and takes in those less than `step` above it. */
function binsOf(values: readonly number[], step: number): number[] {
  const middles: number[] = [];
  for (let first = 0; first < values.length; ) {
    let last = first;
    while ((values[last + 1] ?? Number.POSITIVE_INFINITY) < (values[first] as number) + step) last++;
    const middle = ((values[first] as number) + (values[last] as number)) / 2;
    for (; first <= last; first++) middles.push(middle);
  }
  return middles;
}

const at = (field: string) => ({ scale: "x", field });

type DistributionPlace = { y: number; isDense: boolean };

/** A group's distribution about the line `y`: its density or its dots, and the outliers. */
export function distributionMarks(name: string, colour: string, { y, isDense }: DistributionPlace): Mark[] {
  const area: Mark = {
    type: "area",
    from: { data: `${name}-density` },
    encode: {
      enter: {
        x: at("value"),
        y: { scale: `${name}-density`, field: "density", mult: -1, offset: y },
        y2: { scale: `${name}-density`, field: "density", offset: y },
        fill: { value: colour },
        fillOpacity: { value: 0.35 },
        stroke: { value: colour },
        strokeWidth: { value: 1 },
      },
    },
  };
  const dots: Mark = {
    type: "symbol",
    from: { data: `${name}-dots` },
    encode: {
      enter: {
        x: at("value"),
        y: { field: "dy", offset: y },
        size: { field: "size" },
        shape: { value: "circle" },
        fill: { value: colour },
        fillOpacity: { value: 0.7 },
      },
    },
  };
  const outliers: Mark = {
    type: "symbol",
    from: { data: `${name}-outliers` },
    encode: {
      enter: {
        x: at("value"),
        y: { field: "dy", offset: y },
        size: { value: 46 },
        shape: { value: "diamond" },
        fill: { value: colours.paper },
        stroke: { value: colours.outlier },
        strokeWidth: { value: 1.6 },
      },
    },
  };
  return isDense ? [area, outliers] : [dots, outliers];
}

/** Quartiles as a box with its median, whiskers to the last values within the fences. */
export function boxMarks(name: string, colour: string, top: number): Mark[] {
  const y = top + boxAt;
  const from = { data: `${name}-box` };
  const line = (x: string, x2: string, width = 1.2): Mark => ({
    type: "rule",
    from,
    encode: {
      enter: { x: at(x), x2: at(x2), y: { value: y }, stroke: { value: colour }, strokeWidth: { value: width } },
    },
  });
  const box: Mark = {
    type: "rect",
    from,
    encode: {
      enter: {
        x: at("lower"),
        x2: at("upper"),
        yc: { value: y },
        height: { value: boxHeight },
        fill: { value: colours.paper },
        stroke: { value: colour },
        strokeWidth: { value: 1.2 },
      },
    },
  };
  const median: Mark = {
    type: "rule",
    from,
    encode: {
      enter: {
        x: at("median"),
        y: { value: y - boxHeight / 2 },
        y2: { value: y + boxHeight / 2 },
        stroke: { value: colour },
        strokeWidth: { value: 2.4 },
      },
    },
  };
  return [line("least", "lower"), line("upper", "greatest"), box, median];
}

/** The mean with its bounds, and a faint line from it through the distribution. */
export function meanMarks(name: string, top: number): Mark[] {
  const y = top + meanAt;
  const bounds = { data: `${name}-bounds` };
  const ink = { stroke: { value: colours.ink }, strokeWidth: { value: 2 } };
  const cap = (field: string): Mark => ({
    type: "rule",
    from: bounds,
    encode: { enter: { x: at(field), y: { value: y - 5 }, y2: { value: y + 5 }, ...ink } },
  });
  return [
    {
      type: "rule",
      from: { data: `${name}-mean` },
      encode: {
        enter: {
          x: at("mean"),
          y: { value: top + 4 },
          y2: { value: y },
          stroke: { value: colours.ink },
          strokeWidth: { value: 1 },
          strokeDash: { value: [2, 3] },
          strokeOpacity: { value: 0.7 },
        },
      },
    },
    { type: "rule", from: bounds, encode: { enter: { x: at("low"), x2: at("high"), y: { value: y }, ...ink } } },
    cap("low"),
    cap("high"),
    {
      type: "symbol",
      from: { data: `${name}-mean` },
      encode: {
        enter: { x: at("mean"), y: { value: y }, size: { value: 40 }, fill: { value: colours.ink } },
      },
    },
  ];
}
