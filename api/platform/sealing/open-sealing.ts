import { randomUUID } from "node:crypto";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import type { SealedColumn } from "../sealed-columns.ts";
import { type SealingKeys, sealingKeyId } from "../secret-box.ts";
import type { Workers } from "../workers/index.ts";
import { readSealingKeys } from "./key-files.ts";
import { recordCurrentKey, refuse, requireNeededKeys, requireSchemeKey } from "./needed-keys.ts";
import { type SealingPace, SealingProcesses } from "./processes.ts";

type SealingSource = {
  config: PlatformConfig;
  db: Database;
  /** True when only this process can use the database. */
  exclusive: boolean;
  workers: Workers;
  columns: readonly SealedColumn[];
  pace?: SealingPace;
};

/**
 * Read the scheme key and the sealing keys, and check that they fit the database and the other processes.
 * @throws ConfigError when the scheme key is another one, when a key is missing with which something is sealed, or when another
 * process could not open what this one seals
 */
export async function openSealing(source: SealingSource): Promise<{ keys: SealingKeys; close: () => Promise<void> }> {
  const { config, db, exclusive, workers, columns } = source;
  const keys = await readSealingKeys(config);
  await requireSchemeKey(db, keys);
  const processes = new SealingProcesses(db, source.pace);
  await requireNeededKeys(db, keys, columns, processes);
  const without = exclusive ? 0 : await processes.countWithout(sealingKeyId(keys.current));
  if (without > 0) {
    refuse(
      "SEALING_KEY",
      `is not known to ${without} other API ${without === 1 ? "process" : "processes"}. First start each process with it in SEALING_KEYS_PREVIOUS. A process that was killed counts for ${processes.pace.endedAfterMs / 1000} seconds`,
    );
  }
  await recordCurrentKey(db, keys);
  if (exclusive) return { keys, close: async () => {} };
  const id = randomUUID();
  await processes.note(id, keys);
  const worker = workers.add({
    name: "sealing-keys",
    everyMs: processes.pace.everyMs,
    run: async () => {
      // The key's row too: a start elsewhere may have taken this process for one that ended.
      await recordCurrentKey(db, keys);
      await processes.note(id, keys);
      await processes.forgetEnded();
    },
  });
  worker.start();
  const close = async () => {
    await worker.close();
    // A database that is away keeps the row for a minute.
    await processes.forget(id).catch(() => undefined);
  };
  return { keys, close };
}
