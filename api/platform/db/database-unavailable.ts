import { DrizzleQueryError } from "drizzle-orm/errors";

/** Thrown when PostgreSQL cannot be reached for longer than a request waits. */
export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The database cannot be reached.", { cause });
    this.name = "DatabaseUnavailableError";
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

/** Whether the error of a new connection means that the server is unavailable for now. */
export function isServerUnavailable(error: Error): boolean {
  return networkCodes.has(codeOf(error)) || isConnectionLost(error);
}

/** The driver's messages, which have no code. The last two answer what is asked of a connection that has ended, such as a rollback. */
const lostMessages = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

/** Whether the connection ended, by PostgreSQL's code or by the driver's message. */
function isConnectionLost(error: Error): boolean {
  return sqlStates.test(codeOf(error)) || lostMessages.test(error.message);
}

/** Whether an error means that the database is unavailable for now, so that the same request can succeed later. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof DatabaseUnavailableError || isConnectionLost(thrown)) return true;
  // A network error counts only within a query's error: others may be of the chain's node.
  if (thrown instanceof DrizzleQueryError && thrown.cause instanceof Error && isServerUnavailable(thrown.cause))
    return true;
  return isDatabaseUnavailable(thrown.cause);
}
