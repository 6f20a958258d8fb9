import { bigint, hex, index, int8, integer, json, onchainTable, onchainView, primaryKey, sql, text } from "ponder";
import { consentLevels } from "./consent-words.ts";
import { redemption } from "./redemptions.ts";

/** A column that names a noun is null if the event does not concern one. */
const columns = () => ({
  /** Position in chain order: block number · 2^24 + log index. Strictly ascending, so a reader can resume after it. */
  sequence: int8({ mode: "bigint" }).notNull(),
  /** Name of the Solidity event, e.g. `VoucherRedeemed`. */
  event: text().notNull(),
  /** Index of the certificate that the event names. */
  certificateIndex: integer("certificate"),
  /** Index of the batch; for an event of a whole batch `voucher` is null. */
  batchIndex: integer("batch"),
  /** On-chain id of the voucher (64 bits), also for events of one of its redemptions. */
  voucherId: bigint("voucher"),
  /** On-chain id of the redemption (96 bits); its claim has the same. */
  redemptionId: bigint("redemption"),
  /** Index of the household. */
  householdIndex: integer("household"),
  /** Index of the supplier. */
  supplierIndex: integer("supplier"),
  /** Index of the implementer. */
  implementerIndex: integer("implementer"),
  /** Index of the product. */
  productIndex: integer("product"),
  /** Index of the monitoring plan. */
  planIndex: integer("plan"),
  /** Index of the KPT campaign, also for events of one of its claims. */
  campaignIndex: integer("campaign"),
  /** On-chain id of the KPT claim (96 bits). */
  kptClaimId: bigint("kpt_claim"),
  /** Index of the authorization of ITMOs. */
  authorizationIndex: integer("itmo_authorization"),
  /** Index of the conversion of CARBON into ITMOs, also for events of one of its blocks. */
  conversionIndex: integer("conversion"),
  /** On-chain id of the ITMO block (96 bits). */
  itmoBlockId: bigint("itmo_block"),
  /** Number of the block. */
  blockNumber: bigint().notNull(),
  /** The block's timestamp, seconds since 1970. */
  timestamp: bigint().notNull(),
  /** Hash of the transaction. */
  transactionHash: hex().notNull(),
  /** Position of the event in its block. */
  logIndex: integer().notNull(),
});

/** The event's arguments: integers wider than 32 bits are decimal strings, amounts micro-CARBON. */
type EventData = Record<string, unknown>;

/** The events that no noun's row represents completely; rows are only added. Read `activity`, which has every event. */
export const eventLog = onchainTable(
  "event_log",
  (t) => ({
    ...columns(),
    /** The event's arguments as JSON, see `activity`. */
    data: t.json().$type<EventData>().notNull(),
  }),
  (table) => ({
    // Not `sequence`: with these two, Ponder can predict which rows a block's events will touch.
    pk: primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    bySequence: index().on(table.sequence),
    byVoucher: index().on(table.voucherId, table.sequence),
    byRedemption: index().on(table.redemptionId, table.sequence),
    byCertificate: index().on(table.certificateIndex, table.sequence),
    byBatch: index().on(table.batchIndex, table.sequence),
    byCampaign: index().on(table.campaignIndex, table.sequence),
    byKptClaim: index().on(table.kptClaimId, table.sequence),
    byConversion: index().on(table.conversionIndex, table.sequence),
    byItmoBlock: index().on(table.itmoBlockId, table.sequence),
    byTransaction: index().on(table.transactionHash),
  }),
);

const consentWords = sql.raw(consentLevels.map((level) => `'${level}'`).join(", "));

/** `VoucherRedeemed`, by far the most frequent event, derived from its redemption's row: a second row would add nothing. */
const redeemed = sql`select ${redemption.sequence}, 'VoucherRedeemed', null::integer,
  nullif(div(${redemption.voucherId}, 4294967296), 0)::integer, ${redemption.voucherId}, ${redemption.id},
  ${redemption.householdIndex}, ${redemption.supplierIndex}, null::integer, ${redemption.productIndex}, null::integer,
  null::integer, null::numeric, null::integer, null::integer, null::numeric, ${redemption.blockNumber}, ${redemption.redeemedAt}, ${redemption.transactionHash},
  (${redemption.sequence} & 16777215)::integer,
  json_build_object('redemption', ${redemption.id}::text, 'supplier', ${redemption.supplierIndex},
    'product', ${redemption.productIndex}, 'amount', ${redemption.amount}::text,
    'remaining', ${redemption.remainingBalance}::text, 'deadline', ${redemption.deadline},
    'consent', array_position(array[${consentWords}], ${redemption.consent}) - 1,
    'authorized', ${redemption.authorized})
  from ${redemption}`;

/** Every event of the contracts, once, in chain order; CARBON's transfers are `carbon_move`. History and traces read it. */
export const activity = onchainView("activity", {
  ...columns(),
  /** The event's arguments as JSON: integers wider than 32 bits are decimal strings, amounts micro-CARBON. */
  data: json().$type<EventData>().notNull(),
}).as(sql`select ${eventLog.sequence}, ${eventLog.event}, ${eventLog.certificateIndex}, ${eventLog.batchIndex},
  ${eventLog.voucherId}, ${eventLog.redemptionId}, ${eventLog.householdIndex}, ${eventLog.supplierIndex},
  ${eventLog.implementerIndex}, ${eventLog.productIndex}, ${eventLog.planIndex}, ${eventLog.campaignIndex},
  ${eventLog.kptClaimId}, ${eventLog.authorizationIndex}, ${eventLog.conversionIndex}, ${eventLog.itmoBlockId},
  ${eventLog.blockNumber}, ${eventLog.timestamp}, ${eventLog.transactionHash}, ${eventLog.logIndex}, ${eventLog.data}
  from ${eventLog} union all ${redeemed}`);
