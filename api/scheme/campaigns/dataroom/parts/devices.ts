import { readSchemeFile } from "../../../scheme-files/index.ts";
import { deviceListPath, listDevices } from "../../result/device-list.ts";
import type { DataRoomPart } from "../part.ts";
import { fileOf } from "../room-file.ts";

/** The devices that the result counts: as listed at the close, or as registered now if the close stored no list. */
export const devicesPart: DataRoomPart = async (deps, { row, document: { record } }) => {
  if (record.devices === undefined) return [];
  const { deviceList } = record;
  const bytes =
    deviceList === undefined
      ? (await listDevices(deps, row)).bytes
      : await readSchemeFile(deps, deviceListPath(row.campaignId, deviceList));
  return [fileOf("devices.json", "application/json", bytes)];
};
