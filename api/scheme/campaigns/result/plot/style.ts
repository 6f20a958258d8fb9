/** Colours on paper, each with the one that stands for it on a dark screen. */
const inTheDark = {
  "#ffffff": "#12161d",
  "#1b2430": "#e7ebf1",
  "#566172": "#a5b0bf",
  "#dfe4ea": "#2c3440",
  "#b4500a": "#f2a65f",
  "#0b6b8c": "#5fc4e8",
  "#a8136a": "#ff85c5",
} as const;

export const colours = {
  paper: "#ffffff",
  ink: "#1b2430",
  muted: "#566172",
  grid: "#dfe4ea",
  reference: "#b4500a",
  intervention: "#0b6b8c",
  outlier: "#a8136a",
} as const satisfies Record<string, keyof typeof inTheDark>;

/** Swaps the colours on dark screens; prints stay as on paper. */
export const styleSheet = `@media screen and (prefers-color-scheme: dark){${Object.entries(inTheDark)
  .map(([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`)
  .join("")}}`;

/** Pixels. */
export const sizes = {
  width: 800,
  plotLeft: 212,
  plotWidth: 564,
  header: 86,
  band: { height: 168, distribution: 104, middle: 58 },
  /** From the top of a band. */
  boxAt: 124,
  meanAt: 146,
  boxHeight: 12,
  footer: 92,
  dot: { largest: 9, smallest: 4 },
} as const;

export const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
