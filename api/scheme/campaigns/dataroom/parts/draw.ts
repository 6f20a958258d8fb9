import { drawDocumentOf } from "../../draw/document.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** Frames as keyed hashes, secrets, seed and order: the document that anyone can read at `/draw`. */
export const drawPart: DataRoomPart = async (deps, { row }) => {
  return [jsonFile("draw.json", await drawDocumentOf(deps, row.campaignId))];
};
