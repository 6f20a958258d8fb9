import { onchainTable } from "ponder";

/** Settings that hold for the whole scheme; one row. */
export const scheme = onchainTable("scheme", (t) => ({
  /** Always `scheme`. */
  id: t.text().primaryKey(),
  /** Whether every redemption needs the household's own signature. */
  householdAuthorizationRequired: t.boolean().notNull(),
  /** What one operator may pay out through claims in any 24 hours, micro-CARBON; null until it is set. */
  operatorCap: t.bigint(),
  /** What a challenger other than an evaluator must stake, micro-CARBON; null until it is set. */
  disputeStake: t.bigint(),
  /** Tonnes of ITMOs that the registrar may move in any 24 hours; null until it is set. */
  itmoDailyCap: t.bigint(),
  /** What in a day one account may cancel and reissue, all may sweep and all operators reverse, micro-CARBON; null until it is set. */
  lifecycleCap: t.bigint(),
  /** What one operator may redeem on PINs in a day, micro-CARBON; null until it is set. */
  pinCap: t.bigint(),
  /** `unconsented_cap` of the default plan, which has no row in `plan`, whole CARBON; null until it is set. */
  defaultUnconsentedCap: t.bigint(),
  /** Day up to which vouchers were marked as expired, days since 1970-01-01 UTC; null before the first event. */
  day: t.integer(),
}));

/** The contracts in force, as the directory names them. */
export const contractName = onchainTable("contract_name", (t) => ({
  /** Name in the directory, e.g. `Vouchers`. */
  name: t.text().primaryKey(),
  /** Address in force. */
  target: t.hex().notNull(),
  /** Address that it replaced; the zero address for the first. */
  previous: t.hex().notNull(),
  /** Chain order of the naming, see `activity.sequence`. */
  sequence: t.int8({ mode: "bigint" }).notNull(),
}));
