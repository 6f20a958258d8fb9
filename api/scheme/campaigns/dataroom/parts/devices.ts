import { readSchemeFile } from "../../../scheme-files/index.ts";
import { devicesWithoutHouseholds } from "../../result/inputs/counted-devices.ts";
import { deviceListPath, writeDevices } from "../../result/inputs/device-list.ts";
import type { DataRoomPart } from "../part.ts";
import { fileOf } from "../room-file.ts";

/** The devices of the plan: as listed at the close, or as registered now if a close of an earlier version stored no list. */
export const devicesPart: DataRoomPart = async (deps, { row, document: { record } }) => {
  if (record.devices === undefined) return [];
  const { deviceList } = record;
  const bytes =
    deviceList === undefined
      ? writeDevices(await devicesWithoutHouseholds(deps, row))
      : await readSchemeFile(deps, deviceListPath(row.campaignId, deviceList));
  return [fileOf("devices.json", "application/json", bytes)];
};
