import { type Abi, formatLog, type Hex, type Log, numberToHex, parseEventLogs } from "viem";
import { storable } from "../../../wire/src/chain-values.ts";
import { encodeClaimId } from "../../../wire/src/ids.ts";
import { abis, type Chain, isoTime } from "../../platform/chain/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import type { RedemptionFacts } from "./facts.ts";
import type { Claim, ClaimStatus } from "./schemas.ts";
import { type ClaimPaid, settlementOf } from "./settlement.ts";

type ClaimEvent = {
  eventName: string;
  args: Record<string, unknown>;
  blockNumber: bigint;
  transactionHash: Hex;
};

/** The ledger's events of one claim, oldest first. */
export type ClaimTrail = { events: ClaimEvent[]; filedAt: bigint };

/** Read a claim's events from the chain; undefined when none has been filed for the redemption. */
export async function readTrail(chain: Chain, redemption: bigint): Promise<ClaimTrail | undefined> {
  // Every event of a claim but ClaimRefused has the redemption as its first indexed argument.
  const topics = [null, numberToHex(redemption, { size: 32 })];
  const raw = await chain.pastParts((fromBlock, toBlock) => {
    const range = { fromBlock: numberToHex(fromBlock), toBlock: toBlock === "latest" ? toBlock : numberToHex(toBlock) };
    const filter = { address: chain.addresses.claims, topics, ...range };
    return chain.client.request({ method: "eth_getLogs", params: [filter] });
  });
  const events = claimEventsIn(raw.map((log) => formatLog(log) as Log));
  const filed = events.find(({ eventName }) => eventName === "ClaimFiled");
  if (!filed) return undefined;
  const { timestamp } = await chain.client.getBlock({ blockNumber: filed.blockNumber });
  return { events, filedAt: timestamp };
}

/** The claim events among a transaction's logs, for one redemption. */
export function trailIn(logs: Log[], claims: Hex, redemption: bigint, filedAt: bigint): ClaimTrail {
  const own = logs.filter(({ address }) => address.toLowerCase() === claims.toLowerCase());
  const events = claimEventsIn(own).filter((event) => event.args.redemption === redemption);
  return { events: events.filter(({ eventName }) => eventName !== "ClaimRefused"), filedAt };
}

/** Build the API's claim from its facts and events. */
export function claimOf(facts: RedemptionFacts, { events, filedAt }: ClaimTrail): Claim {
  const last = (name: string) => events.findLast(({ eventName }) => eventName === name);
  const filed = last("ClaimFiled");
  if (!filed) throw new Error(`The ledger's log holds no claim for ${facts.redemptionId}.`);
  const paid = last("ClaimPaid");
  const status = statusOf(events);
  const reason = events.findLast(({ args }) => typeof args.reason === "string")?.args.reason as string | undefined;
  return {
    id: encodeClaimId(facts.redemption),
    type: "DeliveryClaim",
    redemptionId: facts.redemptionId,
    voucherId: facts.voucherId,
    supplierDid: facts.supplierDid,
    productId: facts.productId,
    // A held claim that nobody reviewed in time lapses with its redemption; the claims contract emits no event for it.
    status: facts.state === "lapsed" && status === "flagged" ? "lapsed" : status,
    ...(reason ? { reason } : {}),
    carbonAmount: jsonAmount(facts.amount),
    settlement: paid ? settlementOf(paid.args as ClaimPaid, paid.transactionHash) : null,
    credentialHash: filed.args.credentialHash as Hex,
    filedAt: isoTime(filedAt),
    transactionHash: filed.transactionHash,
    blockNumber: Number(filed.blockNumber),
  };
}

function claimEventsIn(logs: Log[]): ClaimEvent[] {
  return storable(parseEventLogs({ abi: abis.claims as Abi, logs })) as unknown as ClaimEvent[];
}

function statusOf(events: ClaimEvent[]): ClaimStatus {
  const statuses = events.map(({ eventName, args }): ClaimStatus | undefined => {
    if (eventName === "ClaimHeld" || eventName === "ClaimAwaitsDraw") return "flagged";
    if (eventName === "ClaimPaid") return "approved";
    if (eventName === "ClaimRejected") return "rejected";
    if (eventName === "ClaimDisputed") return "disputed";
    if (eventName === "DisputeResolved") return args.upheld ? "invalidated" : "approved";
    return undefined;
  });
  return statuses.findLast((status) => status !== undefined) ?? "approved";
}
