import { onchainTable } from "ponder";

export const redeemed = onchainTable("redeemed", (t) => ({
  id: t.bigint().primaryKey(),
  supplier: t.integer().notNull(),
  amount: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
}));
