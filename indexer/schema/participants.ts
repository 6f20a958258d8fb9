import { index, onchainTable } from "ponder";

export type ImplementerDebtKind = "revocation" | "veto" | "burn" | "repayment" | "claim" | "replacement";

/** Households, known here by a keyed hash of their DID alone. */
export const household = onchainTable(
  "household",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** HMAC-SHA-256 of the household's DID under the scheme's key. */
    hash: t.hex().notNull(),
    /** The household's own account; null while it has none. */
    account: t.hex(),
    /** Account that is to take its place; null when none waits. */
    pendingAccount: t.hex(),
    /** From when that can be put in force, seconds since 1970; null when none waits. */
    pendingFrom: t.bigint(),
    /** Whether an evaluator has confirmed that account. */
    pendingConfirmed: t.boolean().notNull(),
    /** Chain order of the registration, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byHash: index().on(table.hash), byAccount: index().on(table.account) }),
);

/** Project implementers. */
export const implementer = onchainTable(
  "implementer",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public DID. */
    did: t.text().notNull(),
    /** Name. */
    name: t.text().notNull(),
    /** Account that may act for the implementer. */
    account: t.hex().notNull(),
    /** Account that is to take its place; null when none waits. */
    pendingAccount: t.hex(),
    /** From when that can be put in force, seconds since 1970; null when none waits. */
    pendingFrom: t.bigint(),
    /** `authorised` or `suspended`; a suspended one's account can do nothing. */
    status: t.text().$type<"authorised" | "suspended">().notNull(),
    /** CARBON of its revoked certificates that still exists, less what was repaid; micro-CARBON. */
    debt: t.bigint().notNull(),
    /** What it owes the pool for redemptions of revoked certificates, micro-CARBON. */
    replacement: t.bigint().notNull(),
    /** CARBON burned so far to repay its debt, micro-CARBON. */
    repaid: t.bigint().notNull(),
    /** CARBON given to the pool so far for what it owes there, micro-CARBON. */
    replaced: t.bigint().notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byDid: index().on(table.did) }),
);

/** Every change of what an implementer owes for revoked certificates; rows are only ever added. */
export const implementerDebt = onchainTable(
  "implementer_debt",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** Index of the implementer. */
    implementerIndex: t.integer("implementer").notNull(),
    /**
     * `revocation`: a certificate was revoked. `veto`: the guardian took that back. `burn`: CARBON of a revoked one was burned. `repayment`: somebody burned other
     * CARBON for it. `claim`: the pool paid a claim and got no CARBON. `replacement`: somebody gave the pool CARBON for it.
     */
    kind: t.text().$type<ImplementerDebtKind>().notNull(),
    /** Index of the revoked certificate; null for a repayment or replacement. */
    certificateIndex: t.integer("certificate"),
    /** Who paid; null unless it is a repayment or replacement. */
    payer: t.hex(),
    /** What the implementer's debt is from here on, micro-CARBON. */
    debt: t.bigint().notNull(),
    /** What it owes the pool from here on, micro-CARBON. */
    replacement: t.bigint().notNull(),
    /** Time of the change's block, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Transaction of the change. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byImplementer: index().on(table.implementerIndex, table.sequence),
    byCertificate: index().on(table.certificateIndex, table.sequence),
  }),
);

/** Suppliers of cooking products. */
export const supplier = onchainTable(
  "supplier",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public DID. */
    did: t.text().notNull(),
    /** Name. */
    name: t.text().notNull(),
    /** Region; empty when none was given. */
    region: t.text().notNull(),
    /** Account that is paid and may act for the supplier. */
    account: t.hex().notNull(),
    /** Account that is to take its place; null when none waits. */
    pendingAccount: t.hex(),
    /** From when that can be put in force, seconds since 1970; null when none waits. */
    pendingFrom: t.bigint(),
    /** `authorised` or `suspended`. */
    status: t.text().$type<"authorised" | "suspended">().notNull(),
    /** Whether every claim of the supplier is held for review. */
    flagged: t.boolean().notNull(),
    /** What the supplier owes from claims found invalid, micro-CARBON. */
    debt: t.bigint().notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byDid: index().on(table.did) }),
);

/** Every change of a supplier's status, the first included; rows are only ever added. */
export const supplierStatus = onchainTable(
  "supplier_status",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** Index of the supplier. */
    supplierIndex: t.integer("supplier").notNull(),
    /** Status from here on: `authorised` or `suspended`. */
    status: t.text().$type<"authorised" | "suspended">().notNull(),
    /** Reason given; empty for the registration. */
    reason: t.text().notNull(),
    /** Time of the change's block, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Transaction of the change. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ bySupplier: index().on(table.supplierIndex, table.sequence) }),
);

/** Products that vouchers can be spent on. */
export const product = onchainTable(
  "product",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id. */
    productId: t.text().notNull(),
    /** Name. */
    name: t.text().notNull(),
    /** Category. */
    category: t.text().notNull(),
    /** Unit that quantities are counted in, e.g. `kg`. */
    unit: t.text().notNull(),
    /** Most that one redemption may take, micro-CARBON; 0 for no limit. */
    maxAmountPerRedemption: t.bigint().notNull(),
    /** Index of the implementer that owns the product; 0 for the scheme's own. */
    implementerIndex: t.integer("implementer").notNull(),
    /** `pending`, `approved` or `withdrawn`. */
    status: t.text().$type<"pending" | "approved" | "withdrawn">().notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byProductId: index().on(table.productId) }),
);

/** Monitoring plans. */
export const plan = onchainTable(
  "plan",
  (t) => ({
    /** Index on chain, counted from 1; 0 is the scheme's default plan and has no row. */
    index: t.integer().primaryKey(),
    /** Public id. */
    planId: t.text().notNull(),
    /** Index of the implementer. */
    implementerIndex: t.integer("implementer").notNull(),
    /** First day, days since 1970-01-01 UTC. */
    startDay: t.integer().notNull(),
    /** Last day (inclusive), days since 1970-01-01 UTC. */
    endDay: t.integer().notNull(),
    /** Hours from a redemption to its claim's deadline. */
    claimWindowHours: t.integer().notNull(),
    /** Share of claims drawn for review, in ten-thousandths. */
    reviewShare: t.integer().notNull(),
    /** Whether a supplier may issue its own delivery credentials. */
    supplierMayIssue: t.boolean().notNull(),
    /** Whole CARBON that one supplier may redeem in a day without a household's consent; 0 forbids it. */
    unconsentedCap: t.bigint().notNull(),
    /** Indexes of the products that may be redeemed; empty for every approved one. */
    productIndexes: t.integer("products").array().notNull(),
    /** DIDs of the plan's trusted credential issuers. */
    trustedIssuers: t.text().array().notNull(),
    /** Canonical JSON of what is checked off chain: regions, evidence, season, external factors. */
    terms: t.text().notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byPlanId: index().on(table.planId) }),
);

/** Trusted credential issuers. */
export const issuer = onchainTable(
  "issuer",
  (t) => ({
    /** keccak-256 of the DID. */
    hash: t.hex().primaryKey(),
    /** Public DID. */
    did: t.text().notNull(),
    /** Credential types that it is trusted for. */
    credentialTypes: t.text().array().notNull(),
    /** Trusted from, seconds since 1970; 0 for always. */
    validFrom: t.bigint().notNull(),
    /** Trusted until, seconds since 1970; 0 for open-ended. */
    validUntil: t.bigint().notNull(),
    /** Time of the block that last changed the trust, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Transaction that last changed the trust. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byDid: index().on(table.did) }),
);
