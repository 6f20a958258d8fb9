import type { DataRoomPart } from "../part.ts";
import { fileOf, jsonFile } from "../room-file.ts";

/** The result as it was closed (its SHA-256 is on chain), and what it read that no other part holds. */
export const resultPart: DataRoomPart = async (_deps, { document: { bytes, record } }) => [
  fileOf("result.json", "application/json", bytes),
  jsonFile("households.json", record.members),
  jsonFile("siblings.json", record.siblings ?? []),
];
