import { encodeClaimId, encodeItmoBlockId, encodePaymentId, encodeRedemptionId } from "../../../wire/src/ids.ts";
import type { ReconciliationItem, ReconciliationItemType } from "../../../wire/src/reports.ts";
import { type Ask, big, bigOrNull, type SqlRow, text, textOrNull } from "../ask.ts";

type ItemType = ReconciliationItemType;

/** CARBON of a tonne, micro-units. */
export const microCarbonOfTonne = 1_000_000_000n;

/** An item with its chain order and time. Amounts are micro-CARBON and stablecoin base units. */
export type Item = Omit<ReconciliationItem<bigint>, "timestamp"> & { sequence: bigint; at: bigint };

/** SQL of an item's columns; an omitted column is null. */
type Columns = Partial<Record<"id" | "chain_id" | "carbon" | "stablecoin" | "detail", string>> & {
  type: string;
  at: string;
  sequence?: string;
  transaction_hash?: string;
};

function columns({
  type,
  at,
  sequence = "sequence",
  transaction_hash = "transaction_hash",
  ...given
}: Columns): string {
  const texts = (["id", "chain_id", "carbon", "stablecoin", "detail"] as const).map(
    (name) => `${given[name] ?? "null"}::text as ${name}`,
  );
  return `${sequence} as sequence, ${type} as type, ${texts.join(", ")}, ${at}::text as at,
    ${transaction_hash} as transaction_hash`;
}

const within = (sequence: string) => `${sequence} >= $2 and ${sequence} < $3 and ${sequence} > $4`;
const inDay = within("sequence");

const ofEvent = (event: string, type: ItemType, more: Partial<Columns>): string =>
  `select ${columns({ type: `'${type}'`, at: "timestamp", chain_id: "redemption", ...more })}
   from event_log where event = '${event}' and supplier = $1 and ${inDay}`;

const ofSwap = (type: ItemType, where: string): string => {
  const amounts = { carbon: "carbon_amount", stablecoin: "stablecoin_amount" };
  return `select ${columns({ type: `'${type}'`, at: "swapped_at", id: "public_id", ...amounts })}
    from swap where ${where} and ${inDay}`;
};

const paidIn = `nullif(concat_ws(', ', case when asset = 'CARBON' then 'paid in CARBON' end,
  case when set_off > 0 then 'set off ' || set_off::text end), '')`;
const outcome = `case when data->>'upheld' = 'true' then 'upheld: ' else 'dismissed: ' end || (data->>'reason')`;

const supplierItems = [
  `select ${columns({ type: "'redemption'", at: "redeemed_at", id: "public_id", carbon: "amount" })}
   from redemption where supplier = $1 and ${inDay}`,
  `select ${columns({ type: "'claim'", at: "filed_at", id: "public_id", carbon: "carbon_amount" })}
   from claim where supplier = $1 and ${inDay}`,
  `select ${columns({
    type: "'payment'",
    at: "paid_at",
    chain_id: "claim",
    carbon: "carbon_amount",
    stablecoin: "(case when asset = 'stablecoin' then amount end)",
    detail: paidIn,
  })} from payment where supplier = $1 and ${inDay}`,
  ofEvent("RedemptionRefunded", "refund", { carbon: "(data->>'amount')" }),
  ofEvent("ClaimRejected", "rejection", { detail: "(data->>'reason')" }),
  ofEvent("ClaimDisputed", "dispute", { detail: "(data->>'reason')" }),
  ofEvent("DisputeResolved", "resolution", { detail: `(${outcome})` }),
  ofEvent("SupplierDebtChanged", "debt", { carbon: "(data->>'debt')", chain_id: "null" }),
  ofEvent("SupplierDebtWaived", "waiver", {
    carbon: "(data->>'amount')",
    chain_id: "null",
    detail: "(data->>'reason')",
  }),
  ofSwap("sale", "side = 'sell' and supplier = $1 and claim is null"),
];

const finalised = "status = 'finalised'";

/** What the invalidation buffer did with units of the conversion `c`: the CARBON behind them, and their serials. */
const ofBuffer = (type: string, at: string, from: string): string =>
  `select ${columns({
    type,
    at,
    id: "c.public_id",
    carbon: `(b.quantity * ${microCarbonOfTonne})`,
    detail: "(c.registry_id || ' ' || b.first_id::text || ' to ' || b.last_id::text)",
    sequence: "b.sequence",
    transaction_hash: "b.transaction_hash",
  })} from ${from} b join itmo_conversion c on c."index" = b.conversion
   where c.implementer = $1 and ${within("b.sequence")}`;

const owedToPool = "kind in ('claim', 'replacement')";

const implementerItems = [
  `select ${columns({
    type: `case when ${owedToPool} then 'replacement' else 'debt' end`,
    at: "changed_at",
    id: `(select certificate_id from certificate c where c."index" = implementer_debt.certificate)`,
    carbon: `(case when ${owedToPool} then replacement else debt end)`,
    detail: "kind",
  })} from implementer_debt where implementer = $1 and ${inDay}`,
  ofSwap("purchase", "side = 'buy' and implementer = $1"),
  `select ${columns({ type: "'conversion-requested'", at: "requested_at", id: "public_id", carbon: "amount" })}
   from itmo_conversion where implementer = $1 and ${inDay}`,
  `select ${columns({
    type: `case when ${finalised} then 'conversion-finalised' else 'conversion-reverted' end`,
    at: "ended_at",
    id: "public_id",
    // Id of the minted block, see itmoBlockIdOf.
    chain_id: '("index"::numeric * 18446744073709551616 + first_id)',
    carbon: "amount",
    detail: `(case when ${finalised} then registry_id || ' ' || first_id::text || ' to ' || last_id::text
      else revert_reason end)`,
    sequence: "end_sequence",
    transaction_hash: "end_transaction_hash",
  })} from itmo_conversion where implementer = $1 and ${within("end_sequence")}`,
  ofBuffer("'units-buffered'", "b.held_at", "buffer_hold"),
  ofBuffer(
    "case b.kind when 'release' then 'units-released' else 'units-cancelled' end",
    "b.changed_at",
    "buffer_change",
  ),
];

/** Ids that must be derived from the number on chain. */
const idOf: Partial<Record<ItemType, (id: bigint) => string>> = {
  payment: encodePaymentId,
  refund: encodeRedemptionId,
  rejection: encodeClaimId,
  dispute: encodeClaimId,
  resolution: encodeClaimId,
};

const receipted: readonly ItemType[] = ["redemption", "claim", "payment", "sale", "purchase"];

/** Path of the service's signed statement about an item; for a conversion, the proof of the minted block. */
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

/** List the events of a supplier or an implementer on a day, in chain order, after an item. */
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
