import { type DestinationStream, type Logger, pino } from "pino";
import type { PlatformConfig } from "./config.ts";

export type Log = Logger;

const secretFields = [
  "authorization",
  "dpop",
  "key",
  "secret",
  "apiKey",
  "relayerKey",
  "schemeKey",
  "adminApiKey",
  "privateKey",
];
const redacted = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
/** API keys and tokens of sessions, wherever they stand in a line: a path or a message may hold one by mistake. */
const keyText = /h[ks]_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/g;

/** An RPC error carries its whole request, which can be megabytes; the beginning tells what it was. */
const longestText = 4_000;
/** Further causes of a cause tell nothing new. */
const deepestCause = 5;

/** Whose record, account or data an error was about is not written down: the request's id leads to it, for those who may know. */
const personal: readonly [RegExp, string][] = [
  [/did:[a-z0-9]+:[^\s"'`,;)\]}]+/gi, "[did]"],
  [/0x[0-9a-f]{65,}/gi, "[data]"],
  [/0x[0-9a-f]{40}\b/gi, "[address]"],
];
const withoutPersons = (text: string) =>
  personal.reduce((said, [pattern, name]) => said.replaceAll(pattern, name), text).slice(0, longestText);

/**
 * What is logged of an error: its kind, its sentence, where it arose, and its causes. Nothing else that it carries: a database's error
 * holds the values of the statement or of the row, and a chain's the arguments of the call.
 */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: `A value that is no Error: ${typeof error}` };
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

/** Drizzle puts the values of a statement into the sentence, and viem the arguments of a call. */
function sentenceOf(error: Error): string {
  if ("query" in error && "params" in error) return `Failed query: ${error.query}`;
  if ("shortMessage" in error) return String(error.shortMessage);
  return error.message;
}

/** The stack without the sentence, which stands before it. */
function placesOf({ stack = "" }: Error): string {
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return lines.join("\n");
}

function hideKeys(line: string, adminApiKey: string | undefined): string {
  const hidden = /h[ks]_/.test(line) ? line.replace(keyText, "[secret]") : line;
  return adminApiKey === undefined ? hidden : hidden.replaceAll(adminApiKey, "[secret]");
}

/** The JSON logger of a process: one line per entry, secrets replaced by their field's name and by their form. */
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
  // Gathered into writes of some kilobytes: at thousands of requests a second, one system call per line costs more than the line.
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 }));
}
