import { DrizzleQueryError } from "drizzle-orm/errors";

/** Thrown when PostgreSQL cannot be reached for longer than a request waits. */
export class DatabaseAwayError extends Error {
  constructor(cause: unknown) {
    super("The database cannot be reached.", { cause });
    this.name = "DatabaseAwayError";
  }
}

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** SQLSTATE: connection exceptions, shutdown, crash, starting up, too many connections. */
const sqlStates = /^(08...|57P0[1-3]|53300)$/;

const codeOf = (error: Error) => ("code" in error ? String(error.code) : "");

/** Whether the error of a new connection says that the server is away for now. */
export function isServerAway(error: Error): boolean {
  return networkCodes.has(codeOf(error)) || isConnectionLost(error);
}

/** Whether PostgreSQL, or its driver, says that the connection ended. The driver gives its own error no code. */
function isConnectionLost(error: Error): boolean {
  return sqlStates.test(codeOf(error)) || error.message.startsWith("Connection terminated");
}

/** Whether anything thrown comes from a database that is away, so that the same request can work a moment later. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof DatabaseAwayError || isConnectionLost(thrown)) return true;
  // Other network errors, such as those of a chain's node, are not about the database.
  if (thrown instanceof DrizzleQueryError && thrown.cause instanceof Error && isServerAway(thrown.cause)) return true;
  return isDatabaseAway(thrown.cause);
}
