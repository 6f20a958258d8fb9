import type { Hex } from "viem";
import { usageLeafOf } from "../../usage/frame.ts";
import { usageStore } from "../../usage/store.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/**
 * The usage survey: its frame of devices with their keyed hashes, the drawn devices and the record of each. Households and notes are
 * left out.
 */
export const usagePart: DataRoomPart = async (deps, { row }) => {
  const { usageFrame } = row.terms;
  if (usageFrame === undefined) return [];
  const store = usageStore(deps.db);
  const devices = await store.frame(usageFrame.root as Hex);
  const frame = devices.map((device) => ({ serial: device.serial, age: device.age, leaf: usageLeafOf(deps, device) }));
  const ended = await store.positions(row.campaign);
  const positions = ended.map(({ position: { position, age, serial }, record }) => ({
    position,
    age,
    serial,
    record: record && {
      outcome: record.outcome,
      deviceSeen: record.deviceSeen,
      inUse: record.inUse,
      date: record.surveyedOn,
      surveyorDid: record.surveyorDid,
      reason: record.reason,
      evidence: record.evidence,
      recordedAt: record.recordedAt.toISOString(),
    },
  }));
  return [jsonFile("usage-frame.json", frame), jsonFile("usage-positions.json", positions)];
};
