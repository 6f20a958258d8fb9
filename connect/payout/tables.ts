import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const micro = (name: string) => bigint(name, { mode: "bigint" });

export const partnerKinds = ["mtn-momo", "airtel-money"] as const;
export type PartnerKind = (typeof partnerKinds)[number];

/** Mobile-money companies that pay for the operator. */
export const payoutPartners = pgTable("payout_partners", {
  id: text().primaryKey(),
  name: text().notNull(),
  kind: text().$type<PartnerKind>().notNull(),
  /** The operator's account on chain. What the chain pays to it for a supplier, the operator owes to the supplier. */
  account: text().notNull(),
  /** ISO 4217. */
  currency: text().notNull(),
  /** Decimals of the smallest amount that the partner pays. */
  unitDecimals: integer("unit_decimals").notNull(),
  /** Addresses and secrets of the partner's API, as sealed JSON. */
  sealedSettings: text("sealed_settings").notNull(),
  /** The callback URL's token, sealed, and the SHA-256 of its secret. */
  sealedToken: text("sealed_token").notNull(),
  secretHash: text("secret_hash").notNull(),
  /** API key that reads the payments. */
  keyId: text("key_id").notNull(),
  sealedKey: text("sealed_key").notNull(),
  /** Payments before this moment are not paid out. */
  payFrom: moment("pay_from").notNull(),
  /** Cursor of the list of payments: what is before it was read and is final. */
  cursor: text(),
  createdBy: text("created_by").notNull(),
  createdAt: moment("created_at").notNull(),
  /** No new attempts since then. Attempts that began are followed to their end. */
  closedAt: moment("closed_at"),
});
export type PartnerRow = typeof payoutPartners.$inferSelect;

/** Exchange rates that the operator recorded. The newest of a currency is in force. */
export const payoutRates = pgTable(
  "payout_rates",
  {
    /** ULID. */
    id: text().primaryKey(),
    currency: text().notNull(),
    /** Millionths of the currency for one unit of stablecoin. */
    rate: micro("rate").notNull(),
    recordedBy: text("recorded_by").notNull(),
    recordedAt: moment("recorded_at").notNull(),
  },
  (table) => [index("payout_rates_currency").on(table.currency, table.id)],
);
export type RateRow = typeof payoutRates.$inferSelect;

/** Suppliers' mobile-money accounts, each change a row. The newest that applies and was not dropped is in force. */
export const payoutAccounts = pgTable(
  "payout_accounts",
  {
    /** ULID. */
    id: text().primaryKey(),
    supplierDid: text("supplier_did").notNull(),
    partnerId: text("partner_id").notNull(),
    sealedNumber: text("sealed_number").notNull(),
    sealedHolder: text("sealed_holder").notNull(),
    setBy: text("set_by").notNull(),
    /** Role of the caller. */
    setByRole: text("set_by_role").notNull(),
    createdAt: moment("created_at").notNull(),
    appliesAt: moment("applies_at").notNull(),
    /** Another change came before it applied. */
    droppedAt: moment("dropped_at"),
  },
  (table) => [index("payout_accounts_supplier").on(table.supplierDid, table.id)],
);
export type AccountRow = typeof payoutAccounts.$inferSelect;

/** `prepared`: an attempt is stored and the partner was not called, or did nothing. To people it still waits. */
export type OrderStatus = "waiting" | "prepared" | "sent" | "unknown" | "succeeded" | "failed";
/** Why an order waits, other than for its turn. */
export const waitReasons = ["account", "partner", "rate", "currency", "amount", "receipt"] as const;
export type WaitReason = (typeof waitReasons)[number];

/** What is owed to a supplier in money, one order for each payment on chain. */
export const payoutOrders = pgTable(
  "payout_orders",
  {
    /** The payment's public id, `PAY-…`. */
    paymentId: text("payment_id").primaryKey(),
    claimId: text("claim_id").notNull(),
    supplierDid: text("supplier_did").notNull(),
    /** The account on chain that was paid. */
    account: text().notNull(),
    /** Millionths of stablecoin that the chain paid. */
    stablecoin: micro("stablecoin").notNull(),
    transactionHash: text("transaction_hash").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    paidAt: moment("paid_at").notNull(),
    status: text().$type<OrderStatus>().notNull(),
    waitsFor: text("waits_for").$type<WaitReason>(),
    /** Number of attempts. */
    attempts: integer().notNull(),
    /** Set once, with the first attempt: the rate, and what results from it in millionths of the currency. */
    currency: text(),
    rateId: text("rate_id"),
    rate: micro("rate"),
    amount: micro("amount"),
    /** What rounding down left, in 10^-12 of the currency. */
    remainder: micro("remainder"),
    /** When a waiting order is looked at again. */
    nextTryAt: moment("next_try_at").notNull(),
    createdAt: moment("created_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("payout_orders_paid").on(table.paidAt, table.paymentId),
    index("payout_orders_supplier").on(table.supplierDid, table.paidAt, table.paymentId),
    index("payout_orders_due").on(table.status, table.nextTryAt),
  ],
);
export type OrderRow = typeof payoutOrders.$inferSelect;

export const attemptStatuses = ["prepared", "sent", "unknown", "succeeded", "failed"] as const;
/** `unknown`: the partner was called, and only it knows what happened. `sent`: it has the transfer and has not decided. */
export type AttemptStatus = (typeof attemptStatuses)[number];

/** Attempts to pay an order. Each is stored with its reference before the partner is called. */
export const payoutAttempts = pgTable(
  "payout_attempts",
  {
    /** UUID that the partner knows the transfer by. */
    reference: text().primaryKey(),
    paymentId: text("payment_id")
      .notNull()
      .references(() => payoutOrders.paymentId),
    /** 1 for the first attempt. */
    number: integer().notNull(),
    partnerId: text("partner_id").notNull(),
    /** The supplier's mobile account when the attempt was made; a later change does not affect it. */
    accountId: text("account_id").notNull(),
    sealedNumber: text("sealed_number").notNull(),
    sealedHolder: text("sealed_holder").notNull(),
    status: text().$type<AttemptStatus>().notNull(),
    /** Calls that asked for the transfer, and those of them that the partner certainly did not carry out. */
    calls: integer().notNull(),
    notMade: integer("not_made").notNull(),
    /** True: the partner refused the last call itself, and would refuse the same call again. */
    isRefused: boolean("is_refused").notNull(),
    /** The partner's reason, without numbers of people. */
    reason: text(),
    partnerTransaction: text("partner_transaction"),
    /** Raised by every process that takes the attempt, so that two do not work on it. */
    turns: integer().notNull(),
    nextTryAt: moment("next_try_at").notNull(),
    createdAt: moment("created_at").notNull(),
    calledAt: moment("called_at"),
    sentAt: moment("sent_at"),
    askedAt: moment("asked_at"),
    endedAt: moment("ended_at"),
  },
  (table) => [
    uniqueIndex("payout_attempts_number").on(table.paymentId, table.number),
    index("payout_attempts_due").on(table.nextTryAt).where(sql`${table.endedAt} is null`),
  ],
);
export type AttemptRow = typeof payoutAttempts.$inferSelect;
