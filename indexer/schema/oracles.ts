import { index, onchainTable, primaryKey } from "ponder";

/** Conversational oracles of the registry. Amounts are stablecoin base units (6 decimals). */
export const oracle = onchainTable("oracle", (t) => ({
  /** keccak-256 of the DID. */
  id: t.hex().primaryKey(),
  did: t.text().notNull(),
  /** Where clients reach it. */
  apiUrl: t.text().notNull(),
  /** Where its sockets are; empty: at the API's URL. */
  wsUrl: t.text().notNull(),
  /** What other agents read of it. */
  agentCardUri: t.text().notNull(),
  /** Of one message; 0 is free. */
  price: t.bigint().notNull(),
  /** Messages of each user that cost nothing. */
  freeMessages: t.bigint().notNull(),
  /** How many unpaid claims of a user may stand. */
  allowance: t.bigint().notNull(),
  /** Changes all of it. */
  owner: t.hex().notNull(),
  /** To whom ownership is offered; null for nobody. */
  pendingOwner: t.hex(),
  /** May settle, like the owner. */
  settler: t.hex().notNull(),
  /** Is paid by settlements. */
  payee: t.hex().notNull(),
  /** What settlements have paid so far. */
  settledAmount: t.bigint().notNull(),
  /** Time of the registration's block, seconds since 1970. */
  registeredAt: t.bigint().notNull(),
  /** Transaction of the registration. */
  transactionHash: t.hex().notNull(),
}));

/** Deposits of payers with oracles, in their current state. Amounts are stablecoin base units (6 decimals). */
export const oracleDeposit = onchainTable(
  "oracle_deposit",
  (t) => ({
    /** The oracle's id. */
    oracleId: t.hex("oracle").notNull(),
    /** Account that deposits. */
    payer: t.hex().notNull(),
    /** For whom: zero for the payer's own DID, else a keyed hash that only the oracle can tell. */
    user: t.hex().notNull(),
    /** What is deposited and not spent. */
    balance: t.bigint().notNull(),
    /** The most that a claim may take. */
    acceptedPrice: t.bigint().notNull(),
    /** Part of the balance that is asked back. */
    withdrawing: t.bigint().notNull(),
    /** When it may be taken, seconds since 1970; 0 while nothing is asked back. */
    withdrawableAt: t.bigint().notNull(),
    /** All that was ever deposited, settled and withdrawn: the balance is the first less the others. */
    depositedAmount: t.bigint().notNull(),
    settledAmount: t.bigint().notNull(),
    withdrawnAmount: t.bigint().notNull(),
    /** Time of the first deposit's block, seconds since 1970. */
    contractedAt: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.oracleId, table.payer] }),
    byPayer: index().on(table.payer),
  }),
);

/** Paid claims, one for each message that was settled. Amounts are stablecoin base units (6 decimals). */
export const oracleClaim = onchainTable(
  "oracle_claim",
  (t) => ({
    /** The oracle's id. */
    oracleId: t.hex("oracle").notNull(),
    /** The oracle's own id of the claim, filled up with zeros. */
    claimId: t.hex().notNull(),
    /** Account whose deposit paid. */
    payer: t.hex().notNull(),
    /** Account that was paid. */
    payee: t.hex().notNull(),
    amount: t.bigint().notNull(),
    /** Number of the block. */
    blockNumber: t.bigint().notNull(),
    /** The block's timestamp, seconds since 1970. */
    paidAt: t.bigint().notNull(),
    /** Transaction of the settlement. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.oracleId, table.claimId] }),
    byPayer: index().on(table.payer, table.blockNumber),
    byTransaction: index().on(table.transactionHash),
  }),
);
