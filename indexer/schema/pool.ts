import { onchainTable } from "ponder";

/** The liquidity pool; one row. CARBON amounts are micro-CARBON, stablecoin amounts base units (6 decimals). */
export const pool = onchainTable("pool", (t) => ({
  /** Always `pool`. */
  id: t.text().primaryKey(),
  /** Stablecoin base units for one CARBON; null until it is set. */
  price: t.bigint(),
  /** What a swap costs, ten-thousandths of the stablecoin amount. */
  fee: t.integer().notNull(),
  /** Whether the pool is paused. */
  paused: t.boolean().notNull(),
  /** Most that one sale may bring, micro-CARBON; null until caps are set. 2^64 − 1 stands for no bound. */
  capPerTransaction: t.bigint(),
  /** Most that may be sold net in a window, micro-CARBON. */
  capPerWindow: t.bigint(),
  /** Most that may be sold net in a UTC day, micro-CARBON. */
  capPerDay: t.bigint(),
  /** Most that may be sold net for ever, micro-CARBON. */
  capLifetime: t.bigint(),
  /** Most that one supplier may sell in a UTC day, micro-CARBON. */
  capPerSupplierDay: t.bigint(),
  /** Counted reserve of CARBON. */
  carbonReserve: t.bigint().notNull(),
  /** Counted reserve of stablecoin. */
  stablecoinReserve: t.bigint().notNull(),
  /** CARBON bought from suppliers so far. */
  carbonBought: t.bigint().notNull(),
  /** Stablecoin paid to suppliers so far. */
  stablecoinPaid: t.bigint().notNull(),
  /** Number of purchases so far. */
  purchases: t.integer().notNull(),
  /** CARBON sold to implementers so far. */
  carbonSold: t.bigint().notNull(),
  /** Stablecoin received from implementers so far. */
  stablecoinReceived: t.bigint().notNull(),
  /** Number of sales so far. */
  sales: t.integer().notNull(),
}));

/** What the pool bought from suppliers and sold to implementers in each UTC day. */
export const poolDay = onchainTable("pool_day", (t) => ({
  /** Days since 1970-01-01 UTC. */
  day: t.integer().primaryKey(),
  /** CARBON bought, micro-CARBON. */
  carbonBought: t.bigint().notNull(),
  /** Stablecoin paid, base units. */
  stablecoinPaid: t.bigint().notNull(),
  /** Number of purchases. */
  purchases: t.integer().notNull(),
  /** CARBON sold, micro-CARBON. */
  carbonSold: t.bigint().notNull(),
  /** Stablecoin received, base units. */
  stablecoinReceived: t.bigint().notNull(),
  /** Number of sales. */
  sales: t.integer().notNull(),
}));
