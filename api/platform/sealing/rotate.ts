import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import type { SealedColumn } from "../sealed-columns.ts";
import { type SealingKeys, sealingKeyId } from "../secret-box.ts";
import { beginFolderRotation, endFolderRotation, keysAreInFolder, readSealingKeys } from "./key-files.ts";
import { recordCurrentKey, requireNeededKeys, requireSchemeKey } from "./needed-keys.ts";
import { type SealingPace, SealingProcesses } from "./processes.ts";
import { countOutdated, resealColumn, type UnreadableValue } from "./reseal.ts";

export class SealingRotationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SealingRotationError";
  }
}

type Say = (line: string) => void;
export type SealingRotation = {
  config: PlatformConfig;
  db: Database;
  /** True when only this process can use the database. */
  exclusive: boolean;
  columns: readonly SealedColumn[];
  say: Say;
  /** Rows of one transaction. */
  rowsAtOnce?: number;
  pace?: SealingPace;
};

/** How often to look again at what other processes hold, in milliseconds. */
const againMs = 1_000;
/** Without progress for this long, a rotation gives up on rows that requests hold, in milliseconds. */
const longestHeldMs = 60_000;
const defaultRows = 500;

/**
 * Seal every value with the current key. If the keys are in the data folder, create a new key first, and destroy the old one at the
 * end. If the process stops at any point, everything can still be opened, and the next run continues.
 * @returns how many values were sealed
 * @throws SealingRotationError when another process lacks the current key or seals with another one, or a value does not open
 */
export async function rotateSealingKey(rotation: SealingRotation): Promise<number> {
  const { config, db, exclusive, columns, say } = rotation;
  const inFolder = keysAreInFolder(config);
  if (inFolder && !exclusive) {
    throw new SealingRotationError(
      "Other processes may use this database with the old key. Set SCHEME_KEY and SEALING_KEYS_PREVIOUS for all of them first (--help).",
    );
  }
  if (!inFolder && config.sealing.current === undefined) {
    throw new SealingRotationError("SEALING_KEY is not set. To begin a rotation, run this with --new.");
  }
  await requireSchemeKey(db, await readSealingKeys(config));
  if (inFolder) await beginFolderRotation(config);
  const keys = await readSealingKeys(config);
  const processes = new SealingProcesses(db, rotation.pace);
  await requireNeededKeys(db, keys, columns, processes);
  if (!exclusive) {
    await untilAllKnow(processes, keys, say);
    await untilNobodySealsWithOthers(processes, keys, say);
  }
  await recordCurrentKey(db, keys);
  const sealed = await resealAll(rotation, keys);
  if (inFolder) await endFolderRotation(config);
  return sealed;
}

/** Pass over all columns until nothing is left. @throws SealingRotationError */
async function resealAll(rotation: SealingRotation, keys: SealingKeys): Promise<number> {
  let sealed = 0;
  const unreadable: UnreadableValue[] = [];
  for (const column of rotation.columns) {
    const result = await resealWhole(rotation, keys, column);
    sealed += result.done;
    unreadable.push(...result.unreadable);
  }
  if (unreadable.length > 0) throw new SealingRotationError(describeUnreadable(unreadable));
  return sealed;
}

/** Pass over a column until no value is left but those that do not open: a pass leaves out rows that requests hold. */
async function resealWhole({ db, say, rowsAtOnce }: SealingRotation, keys: SealingKeys, column: SealedColumn) {
  let endAt = Date.now() + longestHeldMs;
  let [sealed, unreadable]: [number, UnreadableValue[]] = [0, []];
  for (;;) {
    const left = await countOutdated(db, column, keys);
    if (left <= unreadable.length) return { done: sealed, unreadable };
    if (Date.now() > endAt) throw new SealingRotationError(`Requests hold rows of ${column.name}. Run this again.`);
    say(`${column.name}: ${left}`);
    const pass = await resealColumn({ db, keys, rowsAtOnce: rowsAtOnce ?? defaultRows }, column);
    sealed += pass.done;
    unreadable = pass.unreadable;
    if (pass.done > 0) endAt = Date.now() + longestHeldMs;
    else if (left > unreadable.length) await sleep(againMs);
  }
}

function describeUnreadable(values: readonly UnreadableValue[]): string {
  const some = values.slice(0, 10).map(({ place, reason }) => `  ${place}: ${reason}`);
  const more = values.length > some.length ? [`  and ${values.length - some.length} more`] : [];
  return ["These values do not open. Keep every key until they are repaired or deleted:", ...some, ...more].join("\n");
}

async function untilAllKnow(processes: SealingProcesses, keys: SealingKeys, say: Say): Promise<void> {
  const without = () => processes.countWithout(sealingKeyId(keys.current));
  const left = await untilNone(without, processes, (count) => say(`Waiting for ${count} without SEALING_KEY to end.`));
  if (left === 0) return;
  throw new SealingRotationError(
    `${nameCount(left)} cannot open what SEALING_KEY seals. First start each with it in SEALING_KEYS_PREVIOUS.`,
  );
}

async function untilNobodySealsWithOthers(processes: SealingProcesses, keys: SealingKeys, say: Say): Promise<void> {
  const others = () => processes.countWithOthers(sealingKeyId(keys.current));
  const left = await untilNone(others, processes, (count) => say(`Waiting for ${count} with another key to end.`));
  if (left === 0) return;
  throw new SealingRotationError(
    `${nameCount(left)} still ${left === 1 ? "seals" : "seal"} with another key. Start each with this SEALING_KEY, then run this again.`,
  );
}

/** Wait as long as a killed process counts as running. @returns how many are left */
async function untilNone(
  count: () => Promise<number>,
  { pace }: SealingProcesses,
  onWait: (processes: string) => void,
): Promise<number> {
  const endAt = Date.now() + pace.endedAfterMs + againMs;
  let left = await count();
  if (left > 0) onWait(nameCount(left));
  while (left > 0 && Date.now() < endAt) {
    await sleep(againMs);
    left = await count();
  }
  return left;
}

const nameCount = (processes: number) => `${processes} API ${processes === 1 ? "process" : "processes"}`;
