import { randomBytes } from "node:crypto";
import { readConfig } from "../api/config.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { DatabaseLockedError } from "../api/platform/db/client.ts";
import { createLog } from "../api/platform/log.ts";
import { rotateSealingKey, SealingRotationError } from "../api/platform/sealing/index.ts";
import { openCoreDeps } from "../api/platform/server/core.ts";
import { allSealedColumns } from "../api/sealed-columns.ts";
import { readOptions } from "./command-options.ts";

const usage = `Seals every secret in the API's database with a new sealing key. May be stopped and run again at any time.

  npm run rotate-sealing-key

The sealing key is the scheme key until the first rotation. The scheme key stays: it makes the hashes by which households
and phones are found.

Without SCHEME_KEY and SEALING_KEY, with the service stopped: makes a new key in DATA_DIR/keys and destroys the old one at
the end.
With SCHEME_KEY: run this with --new, which prints a new key and the variables to set in three steps. After each of the
first two, restart one process after the other; in the third, run this without --new, with the same variables.

--new   print a new key and the variables to set; nothing is changed
--help`;

const options = readOptions(usage, { new: { type: "boolean" } });

async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (options.new) return printSteps(config.sealing);
  const { deps, close } = await openCoreDeps(config, createLog({ logLevel: "warn" }));
  try {
    const say = (line: string) => console.error(line);
    const sealed = await rotateSealingKey({ ...deps, columns: allSealedColumns, say });
    console.log(`${sealed} ${sealed === 1 ? "secret" : "secrets"} sealed with the new key.`);
    if (config.sealing.previous.length > 0) console.log("SEALING_KEYS_PREVIOUS is not needed any more.");
  } finally {
    await close();
  }
}

function printSteps({ current, previous }: { current: string | undefined; previous: string[] }): void {
  const next = randomBytes(32).toString("hex");
  const listOf = (keys: (string | undefined)[]) => [...new Set(keys.filter((key) => key !== undefined))].join(",");
  console.log("1. Set in every process, and restart one after the other:");
  console.log(`SEALING_KEYS_PREVIOUS=${listOf([next, ...previous])}`);
  console.log("2. When all have started again, set, and restart one after the other:");
  console.log(`SEALING_KEY=${next}`);
  console.log(`SEALING_KEYS_PREVIOUS=${listOf([current, ...previous])}`);
  console.log("3. Run npm run rotate-sealing-key with these variables. Then remove SEALING_KEYS_PREVIOUS.");
}

main().catch((error: unknown) => {
  const known = [ConfigError, DatabaseLockedError, SealingRotationError].some((kind) => error instanceof kind);
  console.error(known ? (error as Error).message : error);
  process.exitCode = known ? 2 : 1;
});
