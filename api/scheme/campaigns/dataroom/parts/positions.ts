import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** Every drawn position and how it ended. Notes are left out: they are free text and may name a person. */
export const positionsPart: DataRoomPart = async ({ campaigns }, { row, document }) => {
  const measured = new Set(document.record.claims.map(({ group, position }) => `${group}:${position}`));
  const [sampled, replaced, missing] = await Promise.all([
    campaigns.sampleOf(row),
    campaigns.store.replacements(row.campaign),
    campaigns.store.missing(row.campaign),
  ]);
  const positions = sampled.map(({ group, position, leaf, isReplaced, isMissing }) => {
    const at = { group, position, leaf };
    const isMeasured = measured.has(`${group}:${position}`);
    if (!isReplaced && !isMissing) return { ...at, ended: isMeasured ? "measured" : "open" };
    const of = isReplaced
      ? replaced.find((each) => each.group === group && each.dropped === position)
      : missing.find((each) => each.group === group && each.position === position);
    if (of === undefined) throw new Error(`The end of position ${position} of the ${group} group is not known.`);
    const { reason, evidence, transactionHash, blockNumber } = of;
    const ended = isReplaced ? "replaced" : "missing";
    const replacement = "replacement" in of ? { replacedBy: of.replacement } : {};
    return { ...at, ended, ...replacement, reason, evidence, transactionHash, blockNumber };
  });
  return [jsonFile("positions.json", positions)];
};
