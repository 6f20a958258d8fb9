import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

/** PINs of households, by their index in the registry. A PIN belongs to the household, so it outlives a card. */
export const householdPins = pgTable("household_pins", {
  household: integer().primaryKey(),
  /** argon2id of the PIN's keyed hash, base64url; sealed (sealed-hash.ts). */
  hash: text().notNull(),
  salt: text().notNull(),
  /** Set when the wrong tries of several callers have locked the PIN for all. */
  lockedUntil: timestamp("locked_until", { withTimezone: true, mode: "date" }),
  setAt: timestamp("set_at", { withTimezone: true, mode: "date" }).notNull(),
});

/** Tries of one caller. They are counted for each, so that nobody alone can lock a household's PIN for all others. */
export const pinTries = pgTable(
  "household_pin_tries",
  {
    household: integer().notNull(),
    /** The supplier's DID, or the key of another caller. */
    caller: text().notNull(),
    /** Tries since the last right one; a try counts before it is checked. */
    tries: integer().notNull(),
    lockedUntil: timestamp("locked_until", { withTimezone: true, mode: "date" }),
    triedAt: timestamp("tried_at", { withTimezone: true, mode: "date" }).notNull(),
    /** How often it was locked since the caller's last right PIN: the third lock in a month is a longer one. */
    locks: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.household, table.caller] })],
);

/** Who set a household's PIN, and why. Rows are only added. */
export const pinChanges = pgTable(
  "household_pin_changes",
  {
    number: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    household: integer().notNull(),
    /** Null for the first PIN. */
    reason: text(),
    /** Role and API key, or account, of the caller. */
    role: text().notNull(),
    caller: text().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("household_pin_changes_household").on(table.household)],
);

export type PinRow = typeof householdPins.$inferSelect;
export type PinTriesRow = typeof pinTries.$inferSelect;
export type PinChangeRow = typeof pinChanges.$inferSelect;
