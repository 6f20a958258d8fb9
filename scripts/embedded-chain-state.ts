import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { exists, syncFolder } from "./disk-files.ts";

/** The chain when it was last saved. */
export type SavedChain = {
  /** The whole state as anvil reads it with --load-state. */
  json: string;
  headNumber: number;
  /** Seconds. */
  headTimestamp: number;
};

/**
 * The chain's dumps in a folder: the newest and the one before. A dump is written to another file, synced and renamed,
 * so that a kill at any time leaves at least one whole dump; gzip's checksum detects an incomplete one.
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
   * The newest whole dump, or undefined when the chain was never saved.
   * @throws when there are dumps and none is whole: an empty chain instead would lose everything silently
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

  /** Save the chain's height. Not synced: it only has to survive a kill, and only as a hint. */
  writeHeight(number: number): void {
    writeFileSync(join(this.folder, "height"), String(number));
  }

  /** The last saved height; 0 when there is none. */
  readHeight(): number {
    try {
      return Number.parseInt(readFileSync(join(this.folder, "height"), "utf8"), 10) || 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
      throw error;
    }
  }

  async removeDraft(): Promise<void> {
    await rm(`${this.newest}.tmp`, { force: true });
  }
}

type DumpedState = {
  best_block_number: number | string;
  block: { timestamp: number | string };
  blocks: { header: { number: string; timestamp: string } }[];
};

function parseDump(dump: Buffer): SavedChain | undefined {
  try {
    const state = JSON.parse(gunzipSync(dump).toString("utf8")) as DumpedState;
    const [headNumber, headTimestamp] = [Number(state.best_block_number), Number(state.block.timestamp)];
    if (!Number.isSafeInteger(headNumber + headTimestamp)) return undefined;
    state.blocks = withOneGenesis(state.blocks);
    return { json: JSON.stringify(state), headNumber, headTimestamp };
  } catch {
    return undefined;
  }
}

/** Each start of anvil adds its own block 0 to the ones that it loads; the chain's is the oldest. */
function withOneGenesis(blocks: DumpedState["blocks"]): DumpedState["blocks"] {
  const zeros = blocks.filter(({ header }) => Number(header.number) === 0);
  const genesis = zeros.sort((a, b) => Number(a.header.timestamp) - Number(b.header.timestamp))[0];
  return blocks.filter((block) => Number(block.header.number) !== 0 || block === genesis);
}
