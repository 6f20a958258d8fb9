import { decimalText } from "../../../emissions/index.ts";
import { idOf } from "../../../parameters/index.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** The entries of the regulator's list that the terms refer to, and those of the plan, with source, validity and transaction. */
export const parametersPart: DataRoomPart = async ({ parameters }, { document: { record } }) => {
  const { area, fuel } = record.planRecords ?? {};
  const ofPlan = [area, fuel].flatMap((each) => (each === undefined ? [] : [each.id]));
  const ids = [...(record.parameters ?? []).map(({ id }) => id), ...ofPlan];
  const entries = await Promise.all(ids.map((id) => parameters.byId(id)));
  const listed = entries.flatMap((entry) => {
    if (entry === null) return [];
    const { number: _, value, blockNumber, ...rest } = entry;
    return [{ id: idOf(entry), ...rest, value: decimalText(value), blockNumber: Number(blockNumber) }];
  });
  return [jsonFile("parameters.json", listed)];
};
