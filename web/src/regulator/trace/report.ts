/** What GET /reports/trace/:id answers, as far as the pages read it. */
export type EndType =
  | "campaign"
  | "draw"
  | "kpt-claim"
  | "result"
  | "certificate"
  | "voucher"
  | "redemption"
  | "claim"
  | "payment"
  | "account"
  | "pool"
  | "swap"
  | "conversion"
  | "itmo-block"
  | "action";
export type End = { type: EndType; id: string };
export type TraceLink = { from: End; to: End; relation: string; transactionHash: string };
export type TraceEvent = {
  event: string;
  data: unknown;
  logIndex: number;
  transactionHash: string;
  blockNumber: number;
  timestamp: string;
};
type Fields = Record<string, unknown>;
export type Trace = {
  id: string;
  /** What was asked for: a transaction, and a serial number within a block, are no steps themselves. */
  type: EndType | "transaction" | "itmo-serial";
  campaign: Fields | null;
  kptClaims: Fields[];
  certificates: Fields[];
  vouchers: (Fields & { redemptions: (Fields & { claim: Fields | null })[] })[];
  swaps: Fields[];
  conversions: Fields[];
  itmoBlocks: (Fields & { actions: Fields[] })[];
  links: TraceLink[];
  history: TraceEvent[];
  shownInPart: string[];
  nextCursor: string | null;
};

/** One step of the chain as a node of the picture. */
export type TraceNode = End & {
  key: string;
  /** Transactions that made it, the newest last. */
  transactions: string[];
  /** What the trace tells of it, without what has nodes of its own. */
  record: Fields | undefined;
  /** Whether the trace was asked for by this id. */
  isSubject: boolean;
};

export const keyOf = ({ type, id }: End) => `${type} ${id}`;
const unique = (values: string[]) => [...new Set(values)];

/** The nodes of a trace in the order of its links; a subject without links is a node, too. */
export function nodesOf(trace: Trace): TraceNode[] {
  const ends = new Map<string, End>();
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
    return { ...end, key, record, transactions, isSubject: isSubject(trace, end) };
  });
}

function isSubject({ id, type }: Trace, end: End): boolean {
  return end.type === type && end.id === id;
}

function recordsOf(trace: Trace): Map<string, Fields> {
  const found = new Map<string, Fields>();
  const add = (type: EndType, id: unknown, record: Fields) => found.set(keyOf({ type, id: String(id) }), record);
  if (trace.campaign !== null) add("campaign", trace.campaign.campaignId, trace.campaign);
  for (const each of trace.kptClaims) add("kpt-claim", each.id ?? each.claimId, each);
  for (const each of trace.certificates) add("certificate", each.certificateId, each);
  for (const { redemptions, ...voucher } of trace.vouchers) {
    add("voucher", voucher.voucherId, voucher);
    for (const { claim, ...redemption } of redemptions) {
      add("redemption", redemption.redemptionId, redemption);
      if (claim === null) continue;
      const { payment, ...rest } = claim as Fields & { payment?: Fields | null };
      const id = rest.id ?? rest.claimId;
      add("claim", id, rest);
      if (payment) add("payment", id, payment);
    }
  }
  for (const each of trace.swaps) add("swap", each.id, each);
  for (const each of trace.conversions) add("conversion", each.id, each);
  for (const { actions, ...block } of trace.itmoBlocks) {
    add("itmo-block", block.id, block);
    for (const action of actions) {
      add("action", actionId(trace.links, String(block.id), action), action);
    }
  }
  return found;
}

/** An action's node goes by its block and its place in the chain, whose last 24 bits are the log's index. */
function actionId(links: TraceLink[], block: string, action: Fields): string {
  const found = links.find(({ to, transactionHash }) => {
    if (to.type !== "action" || !to.id.startsWith(`${block}/`) || transactionHash !== action.transactionHash)
      return false;
    return (BigInt(to.id.slice(block.length + 1)) & 0xff_ffffn) === BigInt(String(action.logIndex));
  });
  return found?.to.id ?? `${block}/${action.logIndex}`;
}
