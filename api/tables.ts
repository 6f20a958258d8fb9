// Every table of the API, for drizzle-kit. Each feature's tables are in its folder.

export * from "./files/schema.ts";
export * from "./oracle/tables.ts";
export * from "./platform/chain/tables.ts";
export * from "./platform/idempotency/tables.ts";
export * from "./platform/keys/tables.ts";
export * from "./platform/operations/tables.ts";
export * from "./platform/sessions/tables.ts";
export * from "./platform/ucan/tables.ts";
export * from "./platform/webhooks/tables.ts";
export * from "./scheme/campaigns/findings/tables.ts";
export * from "./scheme/campaigns/result/tables.ts";
export * from "./scheme/campaigns/tables.ts";
export * from "./scheme/campaigns/usage/tables.ts";
export * from "./scheme/certificates/tables.ts";
export * from "./scheme/claims/tables.ts";
export * from "./scheme/credentials/tables.ts";
export * from "./scheme/devices/scales/tables.ts";
export * from "./scheme/devices/tables.ts";
export * from "./scheme/governance/tables.ts";
export * from "./scheme/itmo/tables.ts";
export * from "./scheme/kpt/field/tables.ts";
export * from "./scheme/kpt/tables.ts";
export * from "./scheme/registry/tables.ts";
