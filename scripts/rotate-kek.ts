import { readConfig } from "../api/config.ts";
import { RotationRefusedError, rotateKek } from "../api/files/rotate-kek.ts";
import { ConfigError } from "../api/platform/config-error.ts";
import { DatabaseLockedError } from "../api/platform/db/client.ts";
import { createLog } from "../api/platform/log.ts";
import { openCoreDeps } from "../api/platform/server/core.ts";
import { readOptions } from "./command-options.ts";

const usage = `Wraps every secret of the file store with a new key-encryption key. May be stopped and run again at any time.

  npm run files:rotate-kek

Without VFS_KEK, with the service stopped: makes a new key in DATA_DIR/keys and destroys the old one at the end.
With VFS_KEK: start every process with VFS_KEK=<old> VFS_KEK_PREVIOUS=<new>, so that each can read what the others write
next. Start every process with VFS_KEK=<new> VFS_KEK_PREVIOUS=<old>, run this with the same variables, then take
VFS_KEK_PREVIOUS away.`;

readOptions(usage, {});

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { deps, close } = await openCoreDeps(config, createLog({ logLevel: "warn" }));
  try {
    const { secrets, uploads } = await rotateKek(deps);
    console.log(`${secrets} secrets and ${uploads} keys of unfinished uploads wrapped with the new key.`);
    if (config.files.kek.previous.length > 0) console.log("VFS_KEK_PREVIOUS is not needed any more.");
  } finally {
    await close();
  }
}

main().catch((error: unknown) => {
  const known = [ConfigError, DatabaseLockedError, RotationRefusedError].some((kind) => error instanceof kind);
  console.error(known ? (error as Error).message : error);
  process.exitCode = known ? 2 : 1;
});
