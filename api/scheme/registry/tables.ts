export * from "./households/tables.ts";
export * from "./implementers/tables.ts";
export * from "./issuers/tables.ts";
export * from "./monitoring-plans/tables.ts";
export * from "./products/tables.ts";
export * from "./suppliers/tables.ts";
