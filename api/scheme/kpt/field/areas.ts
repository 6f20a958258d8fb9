import type { RenewabilityArea } from "../../emissions/index.ts";

/** South, north, west and east edge of an area, in whole degrees. */
type Box = { south: number; north: number; west: number; east: number };

/** The smallest boxes of whole degrees around each area; a place in a box may still be in a neighbouring country. */
const boxes: Record<RenewabilityArea, Box> = {
  ZMB: { south: -19, north: -8, west: 21, east: 34 },
  MWI: { south: -18, north: -9, west: 32, east: 36 },
  KEN: { south: -5, north: 6, west: 33, east: 42 },
  SSA: { south: -35, north: 28, west: -26, east: 64 },
};

const billionth = 1_000_000_000n;

/** Check whether a place, in billionths of a degree, is in the box of an area. */
export function isInArea(area: RenewabilityArea, latitude: bigint, longitude: bigint): boolean {
  const { south, north, west, east } = boxes[area];
  const isBetween = (value: bigint, low: number, high: number) =>
    value >= BigInt(low) * billionth && value <= BigInt(high) * billionth;
  return isBetween(latitude, south, north) && isBetween(longitude, west, east);
}
