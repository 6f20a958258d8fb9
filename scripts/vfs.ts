import { Command } from "commander";
import { exitOnUsage } from "./command-options.ts";
import { changingCommands } from "./vfs/changing-commands.ts";
import { RefusedError, UsageError } from "./vfs/client.ts";
import { findingCommands } from "./vfs/finding-commands.ts";
import { identityCommands } from "./vfs/identity-commands.ts";
import { shownJson, shownText } from "./vfs/lines.ts";
import { transferCommands } from "./vfs/transfer-commands.ts";

const collect = (value: string, before: string[] = []) => [...before, value];

function createProgram(): Command {
  const program = new Command("npm run vfs --")
    .description(
      "The encrypted file store from the command line. Paths in the store are absolute, such as /reports/a.csv.",
    )
    .option("--url <url>", "the server (VFS_URL; else the one that runs here)")
    .option("--token <token>", "bearer token, or @file of it (VFS_TOKEN; else one minted from the key)")
    .option("--key <file>", "your key (VFS_KEY; else DATA_DIR/keys/vfs-owner.key)")
    .option("--proof <delegation>", "use a delegation that you received, or @file with it; repeat for more", collect)
    .option("--reveal", "show and use hidden files too")
    .option("--json", "answers as JSON")
    .option("-q, --quiet", "no progress, no notes")
    .showHelpAfterError("(--help tells more)")
    .exitOverride(exitOnUsage);
  identityCommands(program);
  transferCommands(program);
  findingCommands(program);
  changingCommands(program);
  return program;
}

function explain(error: unknown): string {
  if (error instanceof RefusedError) {
    const { message, code, details } = error.body;
    return [
      `${message} (${code})`,
      ...details.map(({ path, message: text }) => `  ${path ? `${path}: ` : ""}${text}`),
    ].join("\n");
  }
  if (error instanceof UsageError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await createProgram().parseAsync();
} catch (error) {
  const asJson = process.argv.includes("--json") && error instanceof RefusedError;
  console.error(asJson ? shownJson(error.body) : shownText(explain(error)));
  process.exitCode = 1;
}
