import { readFileSync, writeFileSync } from "node:fs";
import { readTree } from "./process-tree.ts";
import type { BenchStack } from "./stack.ts";

/** Resident memory of the API's process, in MiB. Linux, own processes. */
export class ApiMemory {
  readonly #folder: string;
  /** Memory at the last reset of the peak. */
  before = 0;

  constructor(stack: BenchStack) {
    const api = readTree(stack.pid).find(({ command }) => /^\S*node\S* .*api\/main/.test(command));
    if (api === undefined) throw new Error("The API's process was not found.");
    this.#folder = `/proc/${api.pid}`;
    this.resetPeak();
  }

  /** Start a measurement: the peak is the present memory. */
  resetPeak(): void {
    writeFileSync(`${this.#folder}/clear_refs`, "5");
    this.before = this.#read("VmRSS");
  }

  /** Largest memory since resetPeak. */
  peak(): number {
    return this.#read("VmHWM");
  }

  #read(field: "VmRSS" | "VmHWM"): number {
    const status = readFileSync(`${this.#folder}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024;
  }
}
