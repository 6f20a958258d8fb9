import { encodeClaimId } from "../../../wire/src/ids.ts";
import type { Chain, ResultReader } from "../../platform/chain/index.ts";
import { errorOf } from "./errors.ts";
import { readOutcomes } from "./settlement.ts";

/** Define the results of operations for claims whose caller did not wait for the block. */
export function claimResults({ addresses }: Pick<Chain, "addresses">): Record<string, ResultReader> {
  const filed: ResultReader = (mined, position) => {
    const outcome = readOutcomes(mined, addresses.claims)[position];
    if (outcome?.refusedFor !== undefined) throw errorOf(outcome.refusedFor);
    return outcome?.order === undefined ? {} : { id: encodeClaimId(outcome.order.redemption) };
  };
  return { "claim.file": filed };
}
