export { type Database, DatabaseLockedError, openDatabase, type Transaction } from "./client.ts";
export { together } from "./together.ts";
