import type PQueue from "p-queue";
import { offlineError } from "../../api/error.ts";
import type { FileMetadata } from "../file-types.ts";

export type UploadState = "waiting" | "sending" | "done" | "failed";

export type UploadItem = {
  key: string;
  path: string;
  size: number;
  sent: number;
  state: UploadState;
  error?: Error;
};

/** Sends one file; `report` gets the number of bytes sent. */
export type SendFile = (task: {
  file: File;
  path: string;
  report: (sent: number) => void;
  signal: AbortSignal;
}) => Promise<FileMetadata>;

const atOnce = 2;
/** How long finished uploads stay in the list after the last one, in milliseconds. */
const shownMs = 30_000;

/** Upload queue: two files at a time; failed ones can be retried. */
export class UploadQueue {
  readonly #send: SendFile;
  #queue: Promise<PQueue> | undefined;
  readonly #files = new Map<string, { file: File; aborter: AbortController }>();
  readonly #listeners = new Set<() => void>();
  readonly #onDone: (file: FileMetadata) => void;
  #items: readonly UploadItem[] = [];
  #made = 0;
  #clearing: ReturnType<typeof setTimeout> | undefined;

  constructor(send: SendFile, onDone: (file: FileMetadata) => void) {
    this.#send = send;
    this.#onDone = onDone;
  }

  items = (): readonly UploadItem[] => this.#items;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  add(file: File, path: string): void {
    const key = String(++this.#made);
    this.#items = [...this.#items, { key, path, size: file.size, sent: 0, state: "waiting" }];
    this.#start(key, file, path);
    this.#tell();
  }

  /** Send a failed upload again, optionally to another path. */
  retry(key: string, path?: string): void {
    const item = this.#items.find((each) => each.key === key);
    const kept = this.#files.get(key);
    if (item?.state !== "failed" || kept === undefined) return;
    const goal = path ?? item.path;
    this.#change(key, { state: "waiting", sent: 0, path: goal });
    this.#start(key, kept.file, goal);
  }

  cancel(key: string): void {
    this.#files.get(key)?.aborter.abort();
    this.#files.delete(key);
    this.#items = this.#items.filter((each) => each.key !== key);
    this.#tell();
  }

  /** Remove sent uploads from the list; failed ones stay until someone decides. */
  #clearSent(): void {
    if (this.#items.some(({ state }) => state === "waiting" || state === "sending")) return;
    this.#items = this.#items.filter(({ state }) => state !== "done");
    this.#tell();
  }

  /** Remove finished uploads from the list. */
  clear(): void {
    for (const { key, state } of this.#items) if (state === "done" || state === "failed") this.#files.delete(key);
    this.#items = this.#items.filter(({ state }) => state === "waiting" || state === "sending");
    this.#tell();
  }

  /** Resolves when no upload is waiting or running. */
  async idle(): Promise<void> {
    await (await this.#queue)?.onIdle();
  }

  #start(key: string, file: File, path: string): void {
    const aborter = new AbortController();
    this.#files.set(key, { file, aborter });
    const run = () => this.#run(key, { file, path, signal: aborter.signal });
    void this.#load().then(
      (queue) => queue.add(run),
      (error: unknown) => this.#change(key, { state: "failed", error: asError(error) }),
    );
  }

  /** The code is loaded with the first upload. */
  #load(): Promise<PQueue> {
    this.#queue ??= import("p-queue").then(
      ({ default: Queue }) => new Queue({ concurrency: atOnce }),
      (error: unknown) => {
        this.#queue = undefined;
        throw error;
      },
    );
    return this.#queue;
  }

  async #run(key: string, task: { file: File; path: string; signal: AbortSignal }): Promise<void> {
    if (task.signal.aborted) return;
    this.#change(key, { state: "sending" });
    try {
      const done = await this.#send({ ...task, report: (sent) => this.#change(key, { sent }) });
      this.#change(key, { state: "done", sent: task.file.size });
      this.#files.delete(key);
      this.#onDone(done);
      clearTimeout(this.#clearing);
      this.#clearing = setTimeout(() => this.#clearSent(), shownMs);
    } catch (error) {
      if (!task.signal.aborted) this.#change(key, { state: "failed", error: asError(error) });
    }
  }

  #change(key: string, part: Partial<UploadItem>): void {
    this.#items = this.#items.map((item) => {
      if (item.key !== key) return item;
      const { error: _, ...calm } = item;
      return { ...calm, ...part };
    });
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : offlineError();
}
