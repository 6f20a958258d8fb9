/** All tables of the file store. */
export * from "./audit/tables.ts";
export * from "./fsck/tables.ts";
export * from "./keys/tables.ts";
export * from "./records/tables.ts";
export * from "./search/tables.ts";
export * from "./uploads/tables.ts";
