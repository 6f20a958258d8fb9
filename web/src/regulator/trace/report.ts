import { readItmoSerial, readItmoUniqueId } from "../../../../wire/src/itmo-ids.ts";
import type { TraceEnd, TraceEndType, TraceLink, TraceRecord, TraceReport } from "../../../../wire/src/reports.ts";

/** A node of the trace's picture. */
export type TraceNode = TraceEnd & {
  key: string;
  /** Transactions that created it, newest last. */
  transactions: string[];
  /** The node's record, without the parts that are nodes themselves. */
  record: TraceRecord | undefined;
  /** Whether the trace was requested by this id. */
  isSubject: boolean;
};

export const keyOf = ({ type, id }: TraceEnd) => `${type} ${id}`;
const unique = (values: string[]) => [...new Set(values)];

/** The nodes of a trace in the order of its links; a subject without links is also a node. */
export function nodesOf(trace: TraceReport): TraceNode[] {
  const ends = new Map<string, TraceEnd>();
  for (const { from, to } of trace.links) for (const end of [from, to]) ends.set(keyOf(end), end);
  if (ends.size === 0 && trace.type !== "transaction" && trace.type !== "itmo-serial") {
    const only = { type: trace.type, id: trace.id };
    ends.set(keyOf(only), only);
  }
  const records = recordsOf(trace);
  return [...ends].map(([key, end]) => {
    const record = records.get(key);
    const made = trace.links.filter(({ to }) => keyOf(to) === key).map((link) => link.transactionHash);
    const own = typeof record?.transactionHash === "string" ? [record.transactionHash] : [];
    const transactions = unique([...own, ...made]);
    return { ...end, key, record, transactions, isSubject: isSubject(trace, end, record, transactions) };
  });
}

/** Whether the trace was requested for a node: by its id, a block's unique id or serials, or its transaction. */
function isSubject(
  { id, type }: TraceReport,
  end: TraceEnd,
  record: TraceRecord | undefined,
  transactions: string[],
): boolean {
  if (type === "transaction") return transactions.includes(id);
  if (end.type === type && end.id === id) return true;
  if (end.type !== "itmo-block" || record === undefined) return false;
  if (record.uniqueId === id) return true;
  if (type !== "itmo-serial") return false;
  const [first, last] = serialsOf(id);
  return (
    first !== undefined &&
    last !== undefined &&
    first <= BigInt(`${record.lastId}`) &&
    last >= BigInt(`${record.firstId}`)
  );
}

/** The serials that a serial or a unique id names. */
function serialsOf(id: string): bigint[] {
  const units = readItmoUniqueId(id);
  if (units !== null) return [units.firstId, units.lastId];
  const serial = readItmoSerial(id)?.serial;
  return serial === undefined ? [] : [serial, serial];
}

function recordsOf(trace: TraceReport): Map<string, TraceRecord> {
  const found = new Map<string, TraceRecord>();
  const add = (type: TraceEndType, id: string, record: TraceRecord) => found.set(keyOf({ type, id }), record);
  if (trace.campaign !== null) add("campaign", trace.campaign.campaignId, trace.campaign);
  for (const each of trace.kptClaims) add("kpt-claim", each.id, each);
  for (const each of trace.certificates) add("certificate", each.certificateId, each);
  for (const { redemptions, ...voucher } of trace.vouchers) {
    add("voucher", voucher.voucherId, voucher);
    for (const { claim, ...redemption } of redemptions) {
      add("redemption", redemption.redemptionId, redemption);
      if (claim === null) continue;
      const { payment, ...rest } = claim;
      add("claim", claim.id, rest);
      if (payment !== null) add("payment", claim.id, payment);
    }
  }
  for (const each of trace.swaps) add("swap", each.id, each);
  for (const each of trace.conversions) add("conversion", each.id, each);
  for (const { actions, ...block } of trace.itmoBlocks) {
    add("itmo-block", block.id, block);
    for (const action of actions) {
      add("action", actionId(trace.links, block.id, action), action);
    }
  }
  return found;
}

/** Id of an action's node: its block and its position in the chain, whose last 24 bits are the log index. */
function actionId(links: TraceLink[], block: string, action: TraceRecord): string {
  const found = links.find(({ to, transactionHash }) => {
    if (to.type !== "action" || !to.id.startsWith(`${block}/`) || transactionHash !== action.transactionHash)
      return false;
    return (BigInt(to.id.slice(block.length + 1)) & 0xff_ffffn) === BigInt(String(action.logIndex));
  });
  return found?.to.id ?? `${block}/${action.logIndex}`;
}
