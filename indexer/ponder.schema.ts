/** Every table of the indexer. Ponder reads this file; the API reads it too, to query the tables over HTTP. */
export * from "./schema/activity.ts";
export * from "./schema/certificates.ts";
export * from "./schema/claims.ts";
export * from "./schema/participants.ts";
export * from "./schema/pool.ts";
export * from "./schema/redemptions.ts";
export * from "./schema/relations.ts";
export * from "./schema/scheme.ts";
export * from "./schema/vouchers.ts";
