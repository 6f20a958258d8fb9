export { type Database, DatabaseLockedError, openDatabase, type Transaction } from "./client.ts";
export { bytes } from "./columns.ts";
export { isDatabaseUnavailable } from "./database-unavailable.ts";
export { PostgresPool } from "./postgres-pool.ts";
export { together } from "./together.ts";
export { refuseUnfinishedRestore, unfinishedRestoreFile } from "./unfinished-restore.ts";
export { isUniqueViolation } from "./unique-violation.ts";
