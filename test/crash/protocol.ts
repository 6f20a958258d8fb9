import type { Finding, FsckReport } from "../../api/files/fsck/report.ts";
import type { FileStep } from "../../api/files/steps.ts";
import type { FileState, FoundState, Op } from "./model.ts";

/** One writer's files, all below its folder. */
export type WriterFiles = { owner: string; folder: string; files: FileState[] };

/** To the process, a line each. `step`: it kills itself when it comes to that step for the count-th time. */
export type Command = { open: true } | { go: true; step?: { name: FileStep; count: number }; writers: WriterFiles[] };

/** From the process, a line each. */
export type Word =
  | { ready: true }
  | Inspection
  | { going: true }
  | { writer: number; begin: Op }
  | { writer: number; done: true; id?: string }
  | { failed: string };

export type Inspection = {
  found: FoundState[];
  wrong: Finding[];
  /** Orphans that the check took away, and how many of them were blobs. */
  collected: number;
  orphanBlobs: number;
  checked: FsckReport["checked"];
  events: number;
};
