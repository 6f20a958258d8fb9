import type { Page, TreeEntry } from "../file-types.ts";
import { ancestorsOf } from "../paths.ts";
import type { FolderState } from "./tree-rows.ts";

const nothing: FolderState = { entries: [], hasMore: false, isLoading: false };

/** Reads a page of a folder, as the file store does. */
type TreeReader = { tree: (path: string, cursor?: string) => Promise<Page<TreeEntry>> };

export type TreeState = { folders: ReadonlyMap<string, FolderState>; open: ReadonlySet<string> };

/** The opened folders, with the pages read so far. */
export class FolderTree {
  readonly #store: TreeReader;
  readonly #listeners = new Set<() => void>();
  readonly #cursors = new Map<string, string>();
  /** Number of reads of each folder: a late answer of an older read is ignored. */
  readonly #readings = new Map<string, number>();
  #state: TreeState = { folders: new Map(), open: new Set() };

  constructor(store: TreeReader) {
    this.#store = store;
  }

  state = (): TreeState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async open(folder: string): Promise<void> {
    this.#change({ open: new Set([...this.#state.open, folder]) });
    if (!this.#state.folders.has(folder)) await this.#read(folder);
  }

  close(folder: string): void {
    this.#change({ open: new Set([...this.#state.open].filter((each) => each !== folder)) });
  }

  /** Read the next page of a folder. */
  async more(folder: string): Promise<void> {
    const state = this.#state.folders.get(folder);
    if (state?.isLoading || !state?.hasMore) return;
    await this.#read(folder, this.#cursors.get(folder));
  }

  /** Reload the root and all open folders after a change. */
  async refresh(): Promise<void> {
    const open = ["/", ...this.#state.open];
    const known = new Map([...this.#state.folders].filter(([folder]) => open.includes(folder)));
    this.#change({ folders: known });
    await Promise.all(open.map((folder) => this.#read(folder)));
  }

  /** Open every folder above a path. */
  async reveal(path: string): Promise<void> {
    for (const folder of ancestorsOf(path)) await this.open(folder);
  }

  async #read(folder: string, cursor?: string): Promise<void> {
    const reading = (this.#readings.get(folder) ?? 0) + 1;
    this.#readings.set(folder, reading);
    const before = this.#state.folders.get(folder) ?? nothing;
    const { error: _, ...calm } = before;
    this.#set(folder, { ...calm, isLoading: true });
    try {
      const page = await this.#store.tree(folder, cursor);
      if (this.#readings.get(folder) !== reading) return;
      const entries: readonly TreeEntry[] = cursor === undefined ? page.items : [...before.entries, ...page.items];
      if (page.nextCursor !== null) this.#cursors.set(folder, page.nextCursor);
      this.#set(folder, { entries, hasMore: page.nextCursor !== null, isLoading: false });
    } catch (error) {
      if (this.#readings.get(folder) !== reading) return;
      if (isGone(error) && folder !== "/") this.#drop(folder);
      else this.#set(folder, { ...calm, isLoading: false, error: error as Error });
    }
  }

  #drop(folder: string): void {
    const folders = new Map(this.#state.folders);
    folders.delete(folder);
    this.#change({ folders, open: new Set([...this.#state.open].filter((each) => each !== folder)) });
  }

  #set(folder: string, state: FolderState): void {
    this.#change({ folders: new Map(this.#state.folders).set(folder, state) });
  }

  #change(part: Partial<TreeState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a folder no longer exists because its last file is gone. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status === 404;
}
