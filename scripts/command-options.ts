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

/**
 * The command and its arguments, of one that takes a word. `--help` prints the text and ends the process. An unknown word or option
 * prints an error and ends it with exit code 2.
 */
export function readCommand<T extends string>(help: string, commands: readonly T[]): { command: T; args: string[] } {
  const config = { options: { help: { type: "boolean" } }, allowPositionals: true } as const;
  const { values, positionals } = parseOrExit(() => parseArgs<typeof config>(config), help);
  if (values.help) {
    console.log(help);
    process.exit(0);
  }
  const [word, ...args] = positionals;
  const command = commands.find((each) => each === word);
  if (command !== undefined) return { command, args };
  console.error(help);
  process.exit(2);
}
