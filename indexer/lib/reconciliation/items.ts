import { encodeClaimId, encodeItmoBlockId, encodePaymentId, encodeRedemptionId } from "../../schema/ids.ts";
import { type Ask, big, bigOrNull, type SqlRow, text, textOrNull } from "../reports/ask.ts";

export type ItemType =
  | "redemption"
  | "claim"
  | "payment"
  | "refund"
  | "rejection"
  | "dispute"
  | "resolution"
  | "debt"
  | "sale"
  | "purchase"
  | "conversion-requested"
  | "conversion-finalised"
  | "conversion-reverted";

/** One thing that happened on the day. Amounts are micro-CARBON and stablecoin base units; null where there is none. */
export type Item = {
  type: ItemType;
  /** Public id of what it happened to; null for a debt, which is the supplier's. */
  id: string | null;
  carbon: bigint | null;
  stablecoin: bigint | null;
  /** What the words above leave out, e.g. where a refund went. */
  detail: string | null;
  /** Chain order. */
  sequence: bigint;
  at: bigint;
  transactionHash: string;
  /** Path of the signed receipt at the API; null where there is none. */
  receipt: string | null;
};

const columns = (parts: Record<string, string>): string =>
  ["sequence", "type", "id", "chain_id", "carbon", "stablecoin", "detail", "at", "transaction_hash"]
    .map((name) => `${parts[name] ?? "null"} as ${name}`)
    .join(", ");

const inDay = "sequence >= $2 and sequence < $3 and sequence > $4";

const ofEvent = (event: string, type: ItemType, more: Record<string, string>): string =>
  `select ${columns({
    sequence: "e.sequence",
    type: `'${type}'`,
    chain_id: "e.redemption::text",
    at: "e.timestamp::text",
    transaction_hash: "e.transaction_hash",
    carbon: "null::text",
    id: "null::text",
    stablecoin: "null::text",
    detail: "null::text",
    ...more,
  })} from event_log e where e.event = '${event}' and e.supplier = $1 and e.${inDay.replaceAll(" sequence", " e.sequence")}`;

const supplierItems = [
  `select ${columns({
    sequence: "sequence",
    type: "'redemption'",
    id: "public_id",
    chain_id: "id::text",
    carbon: "amount::text",
    stablecoin: "null::text",
    detail: "null::text",
    at: "redeemed_at::text",
    transaction_hash: "transaction_hash",
  })} from redemption where supplier = $1 and ${inDay}`,
  `select ${columns({
    sequence: "sequence",
    type: "'claim'",
    id: "public_id",
    chain_id: "id::text",
    carbon: "carbon_amount::text",
    stablecoin: "null::text",
    detail: "null::text",
    at: "filed_at::text",
    transaction_hash: "transaction_hash",
  })} from claim where supplier = $1 and ${inDay}`,
  `select ${columns({
    sequence: "sequence",
    type: "'payment'",
    id: "null::text",
    chain_id: "claim::text",
    carbon: "carbon_amount::text",
    stablecoin: "case when asset = 'stablecoin' then amount::text end",
    detail:
      "case when asset = 'CARBON' then 'paid in CARBON' end || case when set_off > 0 then ', set off ' || set_off::text else '' end",
    at: "paid_at::text",
    transaction_hash: "transaction_hash",
  })} from payment where supplier = $1 and ${inDay}`,
  ofEvent("RedemptionRefunded", "refund", { carbon: "e.data->>'amount'" }),
  ofEvent("ClaimRejected", "rejection", { detail: "e.data->>'reason'" }),
  ofEvent("ClaimDisputed", "dispute", { detail: "e.data->>'reason'" }),
  ofEvent("DisputeResolved", "resolution", {
    detail: "case when e.data->>'upheld' = 'true' then 'upheld: ' else 'dismissed: ' end || (e.data->>'reason')",
  }),
  ofEvent("SupplierDebtChanged", "debt", { carbon: "e.data->>'debt'", chain_id: "null::text" }),
  `select ${columns({
    sequence: "sequence",
    type: "'sale'",
    id: "public_id",
    chain_id: "null::text",
    carbon: "carbon_amount::text",
    stablecoin: "stablecoin_amount::text",
    detail: "null::text",
    at: "swapped_at::text",
    transaction_hash: "transaction_hash",
  })} from swap where side = 'sell' and supplier = $1 and claim is null and ${inDay}`,
];

const implementerItems = [
  `select ${columns({
    sequence: "sequence",
    type: "'purchase'",
    id: "public_id",
    chain_id: "null::text",
    carbon: "carbon_amount::text",
    stablecoin: "stablecoin_amount::text",
    detail: "null::text",
    at: "swapped_at::text",
    transaction_hash: "transaction_hash",
  })} from swap where side = 'buy' and implementer = $1 and ${inDay}`,
  `select ${columns({
    sequence: "sequence",
    type: "'conversion-requested'",
    id: "public_id",
    chain_id: "null::text",
    carbon: "amount::text",
    stablecoin: "null::text",
    detail: "null::text",
    at: "requested_at::text",
    transaction_hash: "transaction_hash",
  })} from itmo_conversion where implementer = $1 and ${inDay}`,
  `select ${columns({
    sequence: "end_sequence",
    type: "case when status = 'finalised' then 'conversion-finalised' else 'conversion-reverted' end",
    id: "public_id",
    chain_id: '("index"::numeric * 18446744073709551616 + first_id)::text',
    carbon: "amount::text",
    stablecoin: "null::text",
    detail:
      "case when status = 'finalised' then registry_id || ' ' || first_id::text || ' to ' || last_id::text else revert_reason end",
    at: "ended_at::text",
    transaction_hash: "end_transaction_hash",
  })} from itmo_conversion where implementer = $1 and ${inDay.replaceAll("sequence", "end_sequence")}`,
];

/** Ids that the rows leave to be made of the number on chain. */
const idOf: Partial<Record<ItemType, (id: bigint) => string>> = {
  payment: encodePaymentId,
  refund: encodeRedemptionId,
  rejection: encodeClaimId,
  dispute: encodeClaimId,
  resolution: encodeClaimId,
};

const receipted: readonly ItemType[] = ["redemption", "claim", "payment", "sale", "purchase"];

/** Where the service's signed statement of an item is; of a conversion it is the proof of the block that was minted. */
function receiptOf(type: ItemType, id: string | null, chainId: bigint | null): string | null {
  if (type === "conversion-finalised" && chainId !== null) return `/v1/itmo/${encodeItmoBlockId(chainId)}/proof`;
  return id !== null && receipted.includes(type) ? `/v1/receipts/${id}` : null;
}

function itemOf(row: SqlRow): Item {
  const type = text(row.type) as ItemType;
  const chainId = bigOrNull(row.chain_id);
  const id = textOrNull(row.id) ?? (chainId === null ? null : (idOf[type]?.(chainId) ?? null));
  return {
    type,
    id,
    carbon: bigOrNull(row.carbon),
    stablecoin: bigOrNull(row.stablecoin),
    detail: textOrNull(row.detail),
    sequence: big(row.sequence),
    at: big(row.at),
    transactionHash: text(row.transaction_hash),
    receipt: receiptOf(type, id, chainId),
  };
}

/** What a supplier or an implementer did on a day, in chain order, behind an item. */
export async function readItems(
  ask: Ask,
  who: { role: "supplier" | "implementer"; index: number },
  [from, before]: [bigint, bigint],
  { after, limit }: { after: bigint; limit: number },
): Promise<Item[]> {
  const parts = who.role === "supplier" ? supplierItems : implementerItems;
  const rows = await ask(
    `select * from (${parts.map((part) => `(${part} order by sequence limit ${limit})`).join(" union all ")}) as items
     order by sequence limit ${limit}`,
    [who.index, from, before, after],
  );
  return rows.map(itemOf);
}
