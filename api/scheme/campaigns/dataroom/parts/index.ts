import type { DataRoomPart } from "../part.ts";
import { claimsPart } from "./claims.ts";
import { commitmentPart } from "./commitment.ts";
import { devicesPart } from "./devices.ts";
import { drawPart } from "./draw.ts";
import { parametersPart } from "./parameters.ts";
import { positionsPart } from "./positions.ts";
import { resultPart } from "./result.ts";
import { scalesPart } from "./scales.ts";
import { stoveUsePart } from "./stove-use.ts";
import { usagePart } from "./usage.ts";

/** Everything that a data room consists of. A new kind of record adds its part here. */
export const parts: readonly DataRoomPart[] = [
  commitmentPart,
  drawPart,
  positionsPart,
  claimsPart,
  devicesPart,
  scalesPart,
  stoveUsePart,
  parametersPart,
  usagePart,
  resultPart,
];
