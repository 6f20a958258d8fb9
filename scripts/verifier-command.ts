import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** The command was not understood. */
export class UsageError extends Error {}
/** Thrown for unavailable data; the message is a sentence. */
export class UnavailableError extends Error {}

/** npm changes to the project's folder; a path is meant from where it was called. */
export const pathOf = (file: string): string => resolve(process.env.INIT_CWD ?? ".", file);

/** @throws UnavailableError */
export async function readGiven(file: string): Promise<Buffer> {
  return readFile(pathOf(file)).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
    throw new UnavailableError(`${file} cannot be read: ${why}.`);
  });
}

export const countFaults = (faults: number): string => `${faults} fault${faults === 1 ? "" : "s"}`;

/** Where a command prints; `console` is one. */
export type Output = { log(text: string): void; error(text: string): void };

/** Run a command that verifies. @returns its exit code: also 1 for unavailable data, and 2 with its usage for unknown options */
export async function exitCodeOf(main: () => Promise<number>, usage: string, output: Output): Promise<number> {
  return await main().catch((error: unknown) => {
    if (error instanceof UnavailableError) {
      output.error(printable(error.message));
      return 1;
    }
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
      output.error(`${(error as Error).message}\n\n${usage}`);
      return 2;
    }
    throw error;
  });
}

/** Run a command that verifies, as this process. */
export async function runVerifier(main: () => Promise<number>, usage: string): Promise<void> {
  process.exitCode = await exitCodeOf(main, usage, console);
}

/** Escape the control characters of text from an untrusted file or node, which could rewrite what a terminal shows. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
