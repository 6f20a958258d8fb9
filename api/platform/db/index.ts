export { type Database, DatabaseLockedError, openDatabase, type Transaction } from "./client.ts";
export { isDatabaseAway } from "./database-away.ts";
export { PostgresPool } from "./postgres-pool.ts";
export { together } from "./together.ts";
