import { onchainTable } from "ponder";

/** Daily roots over the file store's audit chains. */
export const auditRoot = onchainTable("audit_root", (t) => ({
  /** Days since 1970-01-01 UTC. */
  day: t.integer().primaryKey(),
  /** Merkle root over the chains' heads, see IAudits.sol. */
  root: t.hex().notNull(),
  /** Number of chains under the root. */
  chains: t.bigint().notNull(),
  /** Number of events of all chains. */
  events: t.bigint().notNull(),
  /** Time of the anchoring's block, seconds since 1970. */
  anchoredAt: t.bigint().notNull(),
  /** Transaction of the anchoring. */
  transactionHash: t.hex().notNull(),
}));
