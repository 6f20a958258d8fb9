import { type DestinationStream, type Logger, pino } from "pino";
import type { PlatformConfig } from "./config.ts";
import { secretStart, secretText } from "./secret-text.ts";

export type Log = Logger;

const secretFields = [
  "authorization",
  "dpop",
  "key",
  "secret",
  "apiKey",
  "roleKeys",
  "roleSigners",
  "schemeKey",
  "sealing",
  "adminApiKey",
  "privateKey",
];
const redacted = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
/** API keys, invitations, session tokens, links of collectors, passwords of hooks and webhook secrets anywhere in a line: a path or a message may hold one by mistake. */
const keyText = new RegExp(`${secretText}|whsec_[A-Za-z0-9+/]{16,}={0,2}`, "g");
const keyStart = new RegExp(`${secretStart}|whsec_`);

/** Longest text of an error, in characters. An RPC error holds its whole request, which can be megabytes. */
const longestText = 4_000;
/** Most nested causes that are logged. */
const deepestCause = 5;

/** Personal values that are removed from errors: DIDs, accounts and data. The request's id leads to them, for those with access. */
const personal: readonly [RegExp, string][] = [
  [/did:[a-z0-9]+:[^\s"'`,;)\]}]+/gi, "[did]"],
  [/0x[0-9a-f]{65,}/gi, "[data]"],
  [/0x[0-9a-f]{40}\b/gi, "[address]"],
];
const withoutPersons = (text: string) =>
  personal.reduce((said, [pattern, name]) => said.replaceAll(pattern, name), text).slice(0, longestText);

/**
 * Pick what is logged of an error: class, message, stack and causes. Its other fields are left out: a database's error holds the
 * values of the statement or row, and a chain's error the arguments of the call.
 */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: `A value that is not an Error: ${typeof error}` };
  const { code, status } = error as { code?: unknown; status?: unknown };
  return {
    type: error.constructor.name,
    message: withoutPersons(sentenceOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    stack: withoutPersons(placesOf(error)),
    ...(error.cause === undefined || depth >= deepestCause ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Return an error's message without the statement's values (Drizzle) and the call's arguments (viem). */
function sentenceOf(error: Error): string {
  if ("query" in error && "params" in error) return `Failed query: ${error.query}`;
  if ("shortMessage" in error) return String(error.shortMessage);
  return error.message;
}

/** Return the stack without the message at its beginning. */
function placesOf({ stack = "" }: Error): string {
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return lines.join("\n");
}

/** Replace what looks like a key, and the configured admin key. */
export function hideKeys(line: string, adminApiKey: string | undefined): string {
  const hidden = keyStart.test(line) ? line.replace(keyText, "[secret]") : line;
  return adminApiKey === undefined ? hidden : hidden.replaceAll(adminApiKey, "[secret]");
}

/** Create the JSON logger of a process: one line per entry. It replaces secrets, found by field name and by form. */
export function createLog(
  config: Pick<PlatformConfig, "logLevel"> & Partial<Pick<PlatformConfig, "adminApiKey">>,
  destination?: DestinationStream,
): Log {
  const { adminApiKey } = config;
  const options = {
    level: config.logLevel,
    base: undefined,
    serializers: { err: (error: unknown) => describeError(error) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: redacted, censor: "[secret]" },
    hooks: { streamWrite: (line: string) => hideKeys(line, adminApiKey) },
  };
  if (destination !== undefined) return pino(options, destination);
  // Lines are buffered: at thousands of requests a second, one system call per line costs more than formatting the line.
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 }));
}
