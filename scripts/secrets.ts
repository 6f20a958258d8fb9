// npm run secrets: create the secrets that all processes of an installation share.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { english, generateMnemonic, generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { exitOnUsage } from "./command-options.ts";

const hex = () => randomBytes(32).toString("hex");
/** How each secret is created, by the name of its variable. */
const makers: Record<string, () => string> = {
  RELAYER_KEY: generatePrivateKey,
  REGISTRAR_KEY: generatePrivateKey,
  EVALUATOR_KEY: generatePrivateKey,
  ADMIN_API_KEY: hex,
  SCHEME_KEY: hex,
  SERVICE_KEY: hex,
  VFS_KEK: hex,
  INDEXER_TOKEN: hex,
  ORACLE_MNEMONIC: () => generateMnemonic(english),
};
/** The role on chain of each account's key. */
const roles = { RELAYER_KEY: "operator", REGISTRAR_KEY: "registrar", EVALUATOR_KEY: "evaluator" };

function makeSecrets(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, make] of Object.entries(makers)) {
    const path = join(folder, name);
    const isThere = existsSync(path);
    if (!isThere) writeFileSync(path, `${make()}\n`, { mode: 0o400, flag: "wx", flush: true });
    console.log(`${isThere ? "kept   " : "created"} ${path}`);
  }
  console.log("\nAccounts of the roles; each needs ether for gas:");
  for (const [name, role] of Object.entries(roles)) {
    const key = readFileSync(join(folder, name), "utf8").trim() as `0x${string}`;
    console.log(`${role.padEnd(10)} ${privateKeyToAccount(key).address}`);
  }
  console.log(`\nStart each process with SECRETS_DIR=${folder}. Keep a copy of the folder: without VFS_KEK nobody can read
the files, and without SCHEME_KEY nobody can find a household on chain.`);
}

new Command("npm run secrets --")
  .description("Create the secrets that all processes of an installation share. A file that is there is kept.")
  .argument("<folder>", "gets one file for each secret, readable by its owner alone")
  .addHelpText("after", "\nExample: npm run secrets -- /etc/hearth/secrets")
  .action((folder: string) => {
    try {
      makeSecrets(folder);
    } catch (error) {
      console.error(`The secrets could not be written: ${(error as Error).message}`);
      process.exit(1);
    }
  })
  .exitOverride(exitOnUsage)
  .parse();
