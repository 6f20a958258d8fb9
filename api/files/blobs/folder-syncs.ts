import { closeFile, openFile, syncFile } from "./file-descriptors.ts";

type Turn = { running: Promise<void>; next: Promise<void> | undefined };

/**
 * Syncs folders' entries to the medium. Folders stay open: there are a few hundred, and each is synced often. Callers that arrive
 * while a folder is being synced share the next sync.
 */
export class FolderSyncs {
  readonly #opened = new Map<string, Promise<number>>();
  readonly #turns = new Map<string, Turn>();

  /** After it has returned, every change of the folder's entries before the call survives a loss of power. */
  sync(folder: string): Promise<void> {
    const turn = this.#turns.get(folder);
    if (turn === undefined) return this.#begin(folder);
    // The running sync may have begun before the caller's change.
    const again = () => this.#begin(folder);
    turn.next ??= turn.running.then(again, again);
    return turn.next;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#turns.values()].flatMap(({ running, next }) => [running, next]));
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    for (const file of opened) await closeFile(await file);
  }

  #begin(folder: string): Promise<void> {
    const turn: Turn = { running: this.#run(folder), next: undefined };
    this.#turns.set(folder, turn);
    const end = () => {
      if (this.#turns.get(folder) === turn && turn.next === undefined) this.#turns.delete(folder);
    };
    turn.running.then(end, end);
    return turn.running;
  }

  async #run(folder: string): Promise<void> {
    const opening = this.#opened.get(folder) ?? openFile(folder, "r");
    this.#opened.set(folder, opening);
    opening.catch(() => this.#opened.delete(folder));
    await syncFile(await opening);
  }
}
