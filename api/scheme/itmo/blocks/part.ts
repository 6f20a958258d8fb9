import type { RuleDetail } from "../../../platform/errors.ts";
import { ruleError } from "../errors.ts";
import type { KnownBlock } from "./blocks.ts";

/** Serials of a block as the contract's argument. */
export type Part = { blockId: bigint; firstId: bigint; lastId: bigint };
type GivenPart = { firstId?: bigint | undefined; lastId?: bigint | undefined };

/**
 * Select the part of a block to act on: the whole block unless serials are given. Adds broken rules of the serials to `broken`.
 * @throws AppError CONFLICT for a block that is no longer held
 */
export function partOf({ block }: KnownBlock, given: GivenPart, broken: RuleDetail[]): Part {
  if (block.status !== "held") {
    const message = `The block is ${block.status}: it has been used, cancelled or given away.`;
    throw ruleError("CONFLICT", "blockId", "block-held", message);
  }
  const { firstId = block.firstId, lastId = block.lastId } = given;
  if (firstId < block.firstId || lastId > block.lastId || firstId > lastId) {
    const path = given.firstId === undefined ? "lastId" : "firstId";
    const message = `The serials must be in the block, ${block.firstId} to ${block.lastId}, the first not above the last.`;
    broken.push({ path, rule: "part-within-block", message });
  }
  return { blockId: block.id, firstId, lastId };
}
