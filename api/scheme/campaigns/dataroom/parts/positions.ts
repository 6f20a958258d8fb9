import { drawnPositions, replacedBy } from "../../positions/positions.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** Every drawn position and how it ended. Notes are left out: they are free text and may name a person. */
export const positionsPart: DataRoomPart = async (deps, { row, document }) => {
  const measured = new Set(document.record.claims.map(({ group, position }) => `${group}:${position}`));
  const drawn = await drawnPositions(deps, row, (group, position) => measured.has(`${group}:${position}`));
  const positions = drawn.map((each) => {
    const { group, position, leaf, ended, drop } = each;
    const at = { group, position, leaf, ended };
    if (drop === null) return at;
    const { reason, evidence, transactionHash, blockNumber } = drop;
    const replacement = ended === "replaced" ? { replacedBy: replacedBy(each) } : {};
    return { ...at, ...replacement, reason, evidence, transactionHash, blockNumber };
  });
  return [jsonFile("positions.json", positions)];
};
