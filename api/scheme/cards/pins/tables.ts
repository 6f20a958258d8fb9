import { bigint, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** PINs of households, by their index in the registry. A PIN belongs to the household, so it outlives a card. */
export const householdPins = pgTable("household_pins", {
  household: integer().primaryKey(),
  /** argon2id of the PIN's keyed hash, base64url. */
  hash: text().notNull(),
  salt: text().notNull(),
  /** Tries since the last right one; a try counts before it is checked. */
  tries: integer().notNull(),
  lockedUntil: timestamp("locked_until", { withTimezone: true, mode: "date" }),
  setAt: timestamp("set_at", { withTimezone: true, mode: "date" }).notNull(),
});

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
export type PinChangeRow = typeof pinChanges.$inferSelect;
