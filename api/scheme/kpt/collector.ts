import type { Hex } from "viem";
import { encodeKptClaimId } from "../../../wire/src/ids.ts";
import {
  BatchCollector,
  type Chain,
  errorOfRevert,
  eventsIn,
  type MinedCall,
  type ResultReader,
} from "../../platform/chain/index.ts";
import type { AppError } from "../../platform/errors.ts";
import { errorNameOf } from "../claims/index.ts";
import type { RecordedAt } from "./filing-store.ts";

export type KptOrder = { claim: bigint; claimHash: Hex; credentialHash: Hex };
/** Outcome of an order on chain. `exists`: an earlier attempt recorded the claim. */
export type KptOutcome =
  | { claim: bigint; recorded: RecordedAt }
  | { claim: bigint; exists: true }
  | { claim: bigint; refusal: AppError };
export type KptCollector = BatchCollector<KptOrder, KptOutcome>;

/** Twice of what a record with its new slots and event uses. */
const GAS_PER_ORDER = 150_000n;
const PURPOSE = "kpt.record";

/** KPT claims that arrive together are recorded in one transaction. */
export function openKptCollector(chain: Chain): KptCollector {
  return new BatchCollector<KptOrder, KptOutcome>(chain, {
    purpose: PURPOSE,
    sender: "operator",
    contract: "campaigns",
    functionName: "recordMany",
    maxOrders: 500,
    gatherMs: 10,
    gasOf: () => GAS_PER_ORDER,
    // Each claim was checked separately; the contract decides conflicts within a batch.
    review: async (orders) => orders.map(() => null),
    argsOf: (orders) => [orders],
    read: (mined) => readOutcomes(mined, chain.addresses.campaigns),
  });
}

/** Define the result of an operation for a claim whose caller did not wait for the block. */
export function kptResults(chain: Chain): Record<string, ResultReader> {
  const recorded: ResultReader = (mined, position) => {
    const outcome = readOutcomes(mined, chain.addresses.campaigns)[position];
    if (outcome !== undefined && "refusal" in outcome) throw outcome.refusal;
    return outcome === undefined ? {} : { id: encodeKptClaimId(outcome.claim) };
  };
  return { [PURPOSE]: recorded };
}

/** Return one outcome per order: refusals carry their index, records are in order. */
function readOutcomes(mined: MinedCall, address: Hex): KptOutcome[] {
  const eventName: ("KptClaimRecorded" | "KptClaimRefused")[] = ["KptClaimRecorded", "KptClaimRefused"];
  const { transactionHash, blockNumber, blockTimestamp } = mined;
  const filedAt = new Date(Number(blockTimestamp) * 1000);
  return eventsIn(mined.logs, { contract: "campaigns", address, eventName }).map((event) => {
    const { claim } = event.args;
    if (event.eventName === "KptClaimRecorded") {
      return { claim, recorded: { transactionHash, blockNumber: Number(blockNumber), filedAt } };
    }
    const name = errorNameOf(event.args.reason);
    if (name === "KptClaimExists") return { claim, exists: true };
    return { claim, refusal: errorOfRevert({ name, args: [claim] }) };
  });
}
