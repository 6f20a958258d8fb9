import { sql } from "drizzle-orm";
import { bigint, index, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

export const phoneLanguages = ["en", "fr", "pt", "sw"] as const;
export type PhoneLanguage = (typeof phoneLanguages)[number];
export const gatewayKinds = ["africas-talking", "twilio", "kannel", "smpp", "simulator"] as const;
export type GatewayKind = (typeof gatewayKinds)[number];

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Gateways to the mobile network. Each has an API key with which its calls act. */
export const phoneGateways = pgTable("phone_gateways", {
  id: text().primaryKey(),
  kind: text().$type<GatewayKind>().notNull(),
  /** SHA-256 of the secret in its URL. */
  secretHash: text("secret_hash").notNull(),
  keyId: text("key_id").notNull(),
  sealedKey: text("sealed_key").notNull(),
  /** How to send SMS, as sealed JSON; null when it only receives. */
  sealedSms: text("sealed_sms"),
  /** Addresses and CIDR ranges that its calls come from; empty for all. */
  sources: text().array().notNull(),
  /** In which it answers a phone that is not registered. */
  language: text().$type<PhoneLanguage>().notNull().default("en"),
  createdAt: moment("created_at").notNull(),
  revokedAt: moment("revoked_at"),
});

/** Households' phones. Number and household are sealed; their keyed hashes find them. */
export const phones = pgTable(
  "phones",
  {
    numberHash: text("number_hash").primaryKey(),
    sealedNumber: text("sealed_number").notNull(),
    householdHash: text("household_hash").notNull(),
    sealedHousehold: text("sealed_household").notNull(),
    language: text().$type<PhoneLanguage>().notNull(),
    /** Set after STOP: the phone gets no SMS. */
    stoppedAt: moment("stopped_at"),
    registeredBy: text("registered_by").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("phones_household").on(table.householdHash)],
);

export const requestStatuses = ["waiting", "sent", "approved", "refused", "cancelled"] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** Purchases that a supplier asks a household to approve by phone. */
export const phoneRequests = pgTable(
  "phone_requests",
  {
    requestId: text("request_id").primaryKey(),
    householdHash: text("household_hash").notNull(),
    voucherId: text("voucher_id").notNull(),
    supplierDid: text("supplier_did").notNull(),
    productId: text("product_id").notNull(),
    /** Micro-CARBON. */
    amount: bigint({ mode: "bigint" }).notNull(),
    /**
     * `sent`: a PIN was typed, and how the payment ended is not recorded yet. `refused` by the household or the ledger, `cancelled` by
     * the supplier.
     */
    status: text().$type<RequestStatus>().notNull(),
    redemptionId: text("redemption_id"),
    /** Record of the supplier's Idempotency-Key: a repeated order is one request. */
    orderKey: text("order_key").unique(),
    /** The gateway whose key pays it, from the first PIN on, and the phone that typed the latest one. */
    gatewayId: text("gateway_id"),
    phoneHash: text("phone_hash"),
    /** When a payment that was begun, and whose end nobody recorded, is looked at. */
    settleAt: moment("settle_at"),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [
    index("phone_requests_household").on(table.householdHash, table.createdAt),
    index("phone_requests_settle").on(table.settleAt).where(sql`${table.status} = 'sent'`),
  ],
);

/** Answered steps of USSD sessions: a repeated step gets the same answer. What was typed is only a keyed hash, as it may be a PIN. */
export const ussdSteps = pgTable(
  "ussd_steps",
  {
    sessionHash: text("session_hash").notNull(),
    textHash: text("text_hash").notNull(),
    /** Sealed; null while the step runs. */
    sealedAnswer: text("sealed_answer"),
    /** The request that the step showed. */
    requestId: text("request_id"),
    startedAt: moment("started_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionHash, table.textHash] }),
    index("ussd_steps_started").on(table.startedAt),
  ],
);

export const messageStatuses = ["waiting", "sent", "delivered", "failed"] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** SMS to households. Number and text are sealed, and removed with the row after a week. */
export const phoneMessages = pgTable(
  "phone_messages",
  {
    id: text().primaryKey(),
    /** Finds what still waits for a phone that is removed or sends STOP; null in rows from before this was stored. */
    numberHash: text("number_hash"),
    sealedNumber: text("sealed_number").notNull(),
    sealedText: text("sealed_text").notNull(),
    status: text().$type<MessageStatus>().notNull(),
    tries: bigint({ mode: "number" }).notNull(),
    nextTryAt: moment("next_try_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    index("phone_messages_due").on(table.status, table.nextTryAt),
    index("phone_messages_number").on(table.numberHash).where(sql`${table.status} = 'waiting'`),
  ],
);

/** What a gateway reports at the end of a message. */
export type ReportedStatus = Extract<MessageStatus, "delivered" | "failed">;

/**
 * The ids that gateways gave to sent messages, and what they report about them. A long message has several, one for each part. A report
 * may come before the answer with the id, so either of the two makes the row.
 */
export const phoneMessageParts = pgTable(
  "phone_message_parts",
  {
    gatewayId: text("gateway_id").notNull(),
    gatewayMessageId: text("gateway_message_id").notNull(),
    messageId: text("message_id"),
    status: text().$type<ReportedStatus>(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.gatewayMessageId] }),
    index("phone_message_parts_message").on(table.messageId),
    index("phone_message_parts_created").on(table.createdAt),
  ],
);

/** SMS of households that were handled, by the gateway's id: a gateway repeats what it got no answer for, also much later. */
export const phoneReceived = pgTable(
  "phone_received",
  {
    gatewayId: text("gateway_id").notNull(),
    gatewayMessageId: text("gateway_message_id").notNull(),
    receivedAt: moment("received_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.gatewayMessageId] }),
    index("phone_received_at").on(table.receivedAt),
  ],
);

export type GatewayRow = typeof phoneGateways.$inferSelect;
export type PhoneRow = typeof phones.$inferSelect;
export type RequestRow = typeof phoneRequests.$inferSelect;
export type MessageRow = typeof phoneMessages.$inferSelect;
