import { and, eq } from "drizzle-orm";
import { ConfigError } from "../config-error.ts";
import type { Database } from "../db/index.ts";
import type { SealedColumn } from "../sealed-columns.ts";
import { type SealingKeys, sealingKeyId } from "../secret-box.ts";
import { knownIdsOf } from "./key-files.ts";
import type { SealingProcesses } from "./processes.ts";
import { countSealedBy } from "./reseal.ts";
import { sealingKeys } from "./tables.ts";

/**
 * Make sure that the database belongs to this scheme key. Its first start stores which one that is.
 * @throws ConfigError when the database belongs to another scheme key
 */
export async function requireSchemeKey(db: Database, keys: SealingKeys): Promise<void> {
  const scheme = sealingKeyId(keys.scheme);
  // Of two processes that start together with different keys, the first wins.
  await db.insert(sealingKeys).values({ keyId: scheme, isScheme: true }).onConflictDoNothing();
  const [stored] = await db.select().from(sealingKeys).where(eq(sealingKeys.isScheme, true));
  if (stored?.keyId !== scheme) {
    refuse(
      "SCHEME_KEY",
      `is not the key of this database (its id is ${scheme}, the database belongs to ${stored?.keyId}). With another key no household would be found, and each could be registered a second time`,
    );
  }
}

/** Store which key seals from now on, before it does. */
export async function recordCurrentKey(db: Database, keys: SealingKeys): Promise<void> {
  if (keys.current === keys.scheme) return;
  const row = { keyId: sealingKeyId(keys.current), isScheme: false };
  await db.insert(sealingKeys).values(row).onConflictDoNothing();
}

/**
 * Make sure that every key is there with which something is sealed. A key that nothing needs any more is forgotten.
 * @throws ConfigError naming the columns that need a key that is not there
 */
export async function requireNeededKeys(
  db: Database,
  keys: SealingKeys,
  columns: readonly SealedColumn[],
  processes: SealingProcesses,
): Promise<void> {
  const known = new Set(knownIdsOf(keys));
  for (const { keyId } of await db.select().from(sealingKeys)) {
    if (known.has(keyId)) continue;
    const needs = await needsOf(db, keyId, columns, processes);
    if (needs.length > 0) {
      refuse(
        "SEALING_KEYS_PREVIOUS",
        `lacks the key with the id ${keyId}, which is needed by ${needs.join(", ")}. Add the key (here, or as a line of DATA_DIR/keys/sealing.key if the keys are there), and run npm run rotate-sealing-key before you remove it`,
      );
    }
    await db.delete(sealingKeys).where(and(eq(sealingKeys.keyId, keyId), eq(sealingKeys.isScheme, false)));
  }
}

async function needsOf(
  db: Database,
  keyId: string,
  columns: readonly SealedColumn[],
  processes: SealingProcesses,
): Promise<string[]> {
  const needs: string[] = [];
  for (const column of columns) {
    const count = await countSealedBy(db, column, keyId);
    if (count > 0) needs.push(`${count} ${count === 1 ? "value" : "values"} in ${column.name}`);
  }
  const running = await processes.countWith(keyId);
  if (running > 0) needs.push(`${running} running API ${running === 1 ? "process" : "processes"}`);
  return needs;
}

export function refuse(variable: string, message: string): never {
  throw new ConfigError([{ path: variable, rule: "configuration", message: `${message}.` }]);
}
