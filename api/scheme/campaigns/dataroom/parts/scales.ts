import { scaleStore } from "../../../devices/index.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** The calibrations of the plan's scales, which visits name. */
export const scalesPart: DataRoomPart = async ({ db }, { row }) => {
  const calibrations = await scaleStore(db).all(row.plan);
  if (calibrations.length === 0) return [];
  const listed = calibrations.map(({ serial, calibratedOn, validUntil, certificate, sha256 }) => {
    return { serial, calibratedOn, validUntil, certificate, sha256 };
  });
  return [jsonFile("scales.json", listed)];
};
