import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config-error.ts";

/** File in DATA_DIR during `npm run restore`. It stays when the restore is interrupted. */
export const unfinishedRestoreFile = (dataDir: string): string => join(dataDir, "restore-unfinished.json");

/** @throws ConfigError when a restore into this folder was interrupted: a service would create the parts that are still missing, empty */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(unfinishedRestoreFile(dataDir))) return;
  const message = `has an unfinished restore (${dataDir}): run the same npm run restore again to finish it`;
  throw new ConfigError([{ path: "DATA_DIR", rule: "configuration", message }]);
}
