import { index, onchainTable, primaryKey } from "ponder";

export type CertificateStatus = "pending" | "valid" | "suspended" | "revoked";

/** Certificates of verified emission reduction. Amounts are micro-CARBON (1 CARBON = 1 kg CO2e). */
export const certificate = onchainTable(
  "certificate",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id. */
    certificateId: t.text().notNull(),
    /** Public id of the mitigation activity. */
    activityId: t.text().notNull(),
    /** Index of the implementer. */
    implementerIndex: t.integer("implementer").notNull(),
    /** Index of the monitoring plan; 0 for the scheme's default plan. */
    planIndex: t.integer("plan").notNull(),
    /** Calendar year of the reduction. */
    vintage: t.integer().notNull(),
    /** First day of the period, days since 1970-01-01 UTC. */
    periodStart: t.integer().notNull(),
    /** Last day of the period (inclusive), days since 1970-01-01 UTC. */
    periodEnd: t.integer().notNull(),
    /** Verified reduction, micro-CARBON. */
    verifiedReduction: t.bigint().notNull(),
    /** Registry of the underlying units. */
    registry: t.text().notNull(),
    /** First serial of the underlying units. */
    firstSerial: t.bigint().notNull(),
    /** Last serial of the underlying units (inclusive). */
    lastSerial: t.bigint().notNull(),
    /** keccak-256 of the verifier's DID. */
    verifier: t.hex().notNull(),
    /** When the verifier issued the credential, seconds since 1970. */
    credentialIssuedAt: t.bigint().notNull(),
    /** Hash of the credential. */
    credentialHash: t.hex().notNull(),
    /** Number of households in the allocation; 0 for a certificate that serves one household. */
    allocationCount: t.integer().notNull(),
    /** Households recorded so far. */
    recordedCount: t.integer().notNull(),
    /** Sum allocated so far, micro-CARBON. */
    allocated: t.bigint().notNull(),
    /** Sum issued as vouchers, less what cancellations returned, micro-CARBON. */
    issued: t.bigint().notNull(),
    /** What of it has left the voucher ledger, paid for a claim or swept, micro-CARBON. */
    released: t.bigint().notNull(),
    /** What conversions have taken of that, open ones included, micro-CARBON. */
    taken: t.bigint().notNull(),
    /** What of that became ITMOs, micro-CARBON. */
    converted: t.bigint().notNull(),
    /** `pending` (allocation incomplete), `valid`, `suspended` or `revoked`. */
    status: t.text().$type<CertificateStatus>().notNull(),
    /** From when its revocation is final, seconds since 1970: until then the guardian may veto it. Null unless revoked. */
    revocationFinalAt: t.bigint(),
    /** Whether the ledger refuses to spend the certificate's vouchers. */
    halted: t.boolean().notNull(),
    /** Chain order of the registration, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the registration. */
    blockNumber: t.bigint().notNull(),
    /** Time of the registration's block, seconds since 1970. */
    registeredAt: t.bigint().notNull(),
    /** Transaction of the registration. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byCertificateId: index().on(table.certificateId),
    byImplementer: index().on(table.implementerIndex, table.sequence),
    byVintage: index().on(table.vintage, table.index),
    byRegistry: index().on(table.registry, table.firstSerial),
  }),
);

/** The allocation of a certificate in chunks of up to 256 leaves. */
export const allocationChunk = onchainTable(
  "allocation_chunk",
  (t) => ({
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Position of the chunk, counted from 0; leaf `i` of the chunk is leaf `chunk · 256 + i` of the allocation. */
    chunk: t.integer().notNull(),
    /** Merkle root of the chunk's leaves. */
    root: t.hex().notNull(),
    /** Sum of the leaves, micro-CARBON. */
    total: t.bigint().notNull(),
    /** Number of leaves. */
    count: t.integer().notNull(),
    /** The leaves, 12 bytes each: household index (4) then amount in micro-CARBON (8), big-endian. */
    leaves: t.hex().notNull(),
    /** Transaction that recorded the chunk. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.certificateIndex, table.chunk] }) }),
);
