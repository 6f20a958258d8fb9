/**
 * Every table of the indexer. In SQL a column has its name in snake case; one that refers to another table has that
 * table's name (`voucher.certificate`), which in GraphQL belongs to the row itself (`certificateIndex`, `certificate`).
 */
export * from "./schema/activity.ts";
export * from "./schema/audits.ts";
export * from "./schema/buffer.ts";
export * from "./schema/campaigns.ts";
export * from "./schema/carbon.ts";
export * from "./schema/certificates.ts";
export * from "./schema/claims.ts";
export * from "./schema/itmo.ts";
export * from "./schema/oracles.ts";
export * from "./schema/parameters.ts";
export * from "./schema/participants.ts";
export * from "./schema/pool.ts";
export * from "./schema/redemptions.ts";
export * from "./schema/relations.ts";
export * from "./schema/scheme.ts";
export * from "./schema/swaps.ts";
export * from "./schema/vouchers.ts";
