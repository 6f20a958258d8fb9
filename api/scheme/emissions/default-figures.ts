import type { Decimal } from "./decimal.ts";
import { renewabilityAreas, renewabilityDefaults } from "./defaults.ts";
import { type FuelData, fuelIds, fuels, nonCo2Factor, usualGwp } from "./fuels.ts";

/**
 * Kinds of figures that a regulator may set: of a fuel, or of an area (`fnrb`, and the grid's `ef-grid` and `grid-losses`). `ncv` is of
 * a fuel as it is weighed, air-dried in the case of wood; `ncv-dry` of solid biomass without water. No default is published for it.
 */
export const figureKinds = [
  "fnrb",
  "ncv",
  "ncv-dry",
  "ef-co2",
  "ef-nonco2",
  "ef-upstream",
  "ef-grid",
  "grid-losses",
] as const;
export type FigureKind = (typeof figureKinds)[number];

/** A published figure of an area or a fuel. */
export type DefaultFigure = { kind: FigureKind; key: string; value: Decimal; unit: string; source: string };

/** List the published figures that apply where a regulator has set no other. CH4 and N2O are counted by AR5. */
export function defaultFigures(): DefaultFigure[] {
  return [
    ...renewabilityAreas.map((key): DefaultFigure => ({ kind: "fnrb", key, ...renewabilityDefaults[key] })),
    ...fuelIds.flatMap((key) => figuresOf(key, fuels[key])),
  ];
}

function figuresOf(key: keyof typeof fuels, { ncv, efCo2 }: FuelData): DefaultFigure[] {
  const others = nonCo2Factor(key, usualGwp);
  return [
    { kind: "ncv", key, ...ncv },
    ...(efCo2 === null ? [] : [{ kind: "ef-co2", key, ...efCo2 } as const]),
    ...(others === null ? [] : [{ kind: "ef-nonco2", key, ...others } as const]),
  ];
}
