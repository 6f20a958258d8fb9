// Every table of the API. Each feature's tables live beside it; drizzle-kit reads them here.
export * from "../campaigns/tables.ts";
export * from "../chain/tables.ts";
export * from "../claims/tables.ts";
export * from "../credentials/tables.ts";
export * from "../files/audit/tables.ts";
export * from "../files/authority/tables.ts";
export * from "../files/fsck/tables.ts";
export * from "../files/keys/tables.ts";
export * from "../files/tables.ts";
export * from "../files/tree/tables.ts";
export * from "../files/uploads/tables.ts";
export * from "../idempotency/tables.ts";
export * from "../keys/tables.ts";
export * from "../kpt/tables.ts";
export * from "../operations/tables.ts";
export * from "../registry/tables.ts";
export * from "../webhooks/tables.ts";
