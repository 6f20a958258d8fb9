// Every table of the oracle, for the database schema.
export * from "./access/tables.ts";
export * from "./auth/tables.ts";
export * from "./calls/tables.ts";
export * from "./payments/tables.ts";
export * from "./runs/tables.ts";
export * from "./sessions/tables.ts";
export * from "./tasks/tables.ts";
export * from "./wire/tables.ts";
