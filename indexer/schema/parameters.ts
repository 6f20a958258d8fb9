import { index, onchainTable } from "ponder";

/** Values that emission reductions are calculated with, as the regulator recorded them. No row is ever changed but for `superseded_by`. */
export const parameter = onchainTable(
  "parameter",
  (t) => ({
    /** Number on chain, from 1. */
    number: t.integer().primaryKey(),
    /** What the value is: fnrb, ncv, ef-co2, ef-nonco2, registry or method. */
    kind: t.text().notNull(),
    /** What it is of: a country, a fuel, a registry, a method. */
    key: t.text().notNull(),
    /** The value times ten to the power of `decimals`. */
    value: t.bigint().notNull(),
    decimals: t.integer().notNull(),
    unit: t.text().notNull(),
    /** Publication or decision that gives the value. */
    source: t.text().notNull(),
    /** SHA-256 of the source's document; null for none. */
    sourceHash: t.hex(),
    /** First day of validity, days since 1970-01-01 UTC; 2147483647 also for a later one. */
    validFrom: t.integer().notNull(),
    /** Last day of validity; null for no end. */
    validTo: t.integer(),
    /** Number of the next entry of the same kind and key; null for the newest. */
    supersededBy: t.integer(),
    /** Time of the entry's block, seconds since 1970. */
    setAt: t.bigint().notNull(),
    /** Transaction of the entry. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ subject: index().on(table.kind, table.key) }),
);
