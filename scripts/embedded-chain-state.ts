import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** What the chain was when it was last written down. */
export type SavedChain = {
  /** The whole state as anvil reads it with --load-state. */
  json: Buffer;
  headNumber: number;
  /** Seconds. */
  headTimestamp: number;
};

/**
 * The chain's dumps in a folder: the newest and the one before. A dump is written aside, synced and renamed into place,
 * so that a kill at any moment leaves at least one whole dump; gzip's checksum tells a torn one.
 */
export class ChainStateFiles {
  readonly folder: string;
  private readonly newest: string;
  private readonly previous: string;

  constructor(folder: string) {
    this.folder = folder;
    this.newest = join(folder, "state.json.gz");
    this.previous = join(folder, "state.previous.json.gz");
  }

  /** Writes one dump (gzip of JSON, as anvil_dumpState gives it) durably. */
  async save(dump: Buffer): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const draft = `${this.newest}.tmp`;
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(dump);
      await file.sync();
    } finally {
      await file.close();
    }
    if (await exists(this.newest)) await rename(this.newest, this.previous);
    await rename(draft, this.newest);
    await syncFolder(this.folder);
  }

  /**
   * The newest whole dump, or undefined when the chain was never written down.
   * @throws when dumps are there and none of them is whole: an empty chain in their place would lose everything silently
   */
  async load(): Promise<SavedChain | undefined> {
    const present: string[] = [];
    for (const path of [this.newest, this.previous]) {
      if (!(await exists(path))) continue;
      present.push(path);
      const saved = parseDump(await readFile(path));
      if (saved !== undefined) return saved;
    }
    if (present.length === 0) return undefined;
    throw new Error(
      `The chain's state cannot be read: ${present.join(" and ")} are damaged. Restore them, or use a new DATA_DIR.`,
    );
  }

  async removeDraft(): Promise<void> {
    await rm(`${this.newest}.tmp`, { force: true });
  }
}

function parseDump(dump: Buffer): SavedChain | undefined {
  try {
    const json = gunzipSync(dump);
    const state = JSON.parse(json.toString("utf8")) as {
      best_block_number: number | string;
      block: { timestamp: number | string };
    };
    const [headNumber, headTimestamp] = [Number(state.best_block_number), Number(state.block.timestamp)];
    return Number.isSafeInteger(headNumber + headTimestamp) ? { json, headNumber, headTimestamp } : undefined;
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
