import type { DataRoomPart } from "../part.ts";
import { fileOf, jsonFile } from "../room-file.ts";

/** The closed result (its SHA-256 is on chain), and its inputs that no other part has. */
export const resultPart: DataRoomPart = async (_deps, { document: { bytes, record } }) => [
  fileOf("result.json", "application/json", bytes),
  jsonFile("households.json", record.members),
  jsonFile("siblings.json", record.siblings ?? []),
];
