import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/**
 * The options of a command. `--help` prints the text and ends the process. An unknown option prints an error and ends it with
 * exit code 2.
 */
export function readOptions<T extends ParseArgsOptionsConfig>(help: string, options: T) {
  const config = { options: { ...options, help: { type: "boolean" } } } as const;
  const { values } = parseOrExit(() => parseArgs<typeof config>(config), help);
  if (!("help" in values)) return values;
  console.log(help);
  process.exit(0);
}

function parseOrExit<T>(parse: () => T, help: string): T {
  try {
    return parse();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${help}`);
    process.exit(2);
  }
}

/** For `exitOverride` of commander: exit with 2 when the command was used wrongly, with 0 after its help. */
export function exitOnUsage({ exitCode }: { exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : 2);
}
