import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** The series of stove-use monitors, counted by a stated rule and compared with the logs of their claims. */
export const stoveUsePart: DataRoomPart = async ({ kpt }, { row }) => {
  const stoveUse = await kpt.stoveUseOnRecord(row.campaign);
  return stoveUse.series.length === 0 ? [] : [jsonFile("stove-use.json", stoveUse)];
};
