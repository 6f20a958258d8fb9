import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import type { Config } from "./config.ts";

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
const apiKeyText = /hk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/g;

/** An RPC error carries its whole request, which can be megabytes; the beginning tells what it was. */
const longestText = 4_000;

function shortError(error: Error): object {
  const entries = Object.entries(stdSerializers.err(error) as object);
  const short = (value: unknown) => (typeof value === "string" ? value.slice(0, longestText) : value);
  return Object.fromEntries(entries.map(([name, value]) => [name, short(value)]));
}

/** The JSON logger of a process: one line per entry, secrets replaced by their field's name and by their form. */
export function createLog(config: Pick<Config, "logLevel">, destination?: DestinationStream): Log {
  const options = {
    level: config.logLevel,
    base: undefined,
    serializers: { err: shortError },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: redacted, censor: "[secret]" },
    hooks: { streamWrite: (line: string) => (line.includes("hk_") ? line.replace(apiKeyText, "[secret]") : line) },
  };
  if (destination !== undefined) return pino(options, destination);
  // Gathered into writes of some kilobytes: at thousands of requests a second, one system call per line costs more than the line.
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 250 }));
}
