import assert from "node:assert/strict";
import { apply, describeFound, describeState, type FileState, type FoundState, type Op } from "./model.ts";
import type { WriterFiles } from "./protocol.ts";

/** What the store must hold: all that was acknowledged, and of each writer's last operation either nothing or all. */
export class Expectation {
  readonly writers: WriterFiles[];
  readonly #open = new Map<number, Op>();

  constructor(writers: WriterFiles[]) {
    this.writers = writers;
  }

  begin(writer: number, op: Op): void {
    this.#open.set(writer, op);
  }

  done(writer: number, id: string | undefined): void {
    const op = this.#open.get(writer);
    if (op === undefined) throw new Error("A writer acknowledges what it never began.");
    this.#open.delete(writer);
    const files = this.#writer(writer);
    files.files = apply(files.files, op, id);
  }

  /**
   * Hold what was found after a kill against what must be there, and take over what the cut-off operations turned out to be.
   * @throws AssertionError when a writer's files are neither as before its last operation nor as after it
   */
  settle(found: readonly FoundState[]): { cutOff: number; doneThough: number } {
    const rest = new Map(found.map((file) => [file.id, file]));
    let doneThough = 0;
    for (const [writer, own] of this.writers.entries()) {
      const op = this.#open.get(writer);
      const mine = found.filter((file) => isOf(own, file));
      for (const { id } of mine) rest.delete(id);
      if (this.#settleWriter(own, op, mine)) doneThough += 1;
    }
    assert.deepEqual([...rest.values()], [], "files that nobody wrote");
    const cutOff = this.#open.size;
    this.#open.clear();
    return { cutOff, doneThough };
  }

  /** @returns true when the cut-off operation had been done */
  #settleWriter(own: WriterFiles, op: Op | undefined, mine: readonly FoundState[]): boolean {
    const actual = mine.map((file) => describeFound(file)).sort();
    const before = describeAll(own.files);
    if (actual.join() === before.join()) return false;
    assert.ok(
      op !== undefined,
      `${own.owner}${own.folder} lost an acknowledged write:\n${differences(before, actual)}`,
    );
    const created = op.kind === "create" ? mine.find(({ path }) => path === op.path)?.id : undefined;
    const after = apply(own.files, op, created);
    assert.deepEqual(
      actual,
      describeAll(after),
      `${own.owner}${own.folder} is neither as before nor as after ${JSON.stringify(op)}:\n${differences(before, actual)}`,
    );
    own.files = after;
    return true;
  }

  #writer(writer: number): WriterFiles {
    const own = this.writers[writer];
    if (own === undefined) throw new Error(`There is no writer ${writer}.`);
    return own;
  }
}

function isOf(own: WriterFiles, file: FoundState): boolean {
  return file.owner === own.owner && file.path.startsWith(`${own.folder}/`);
}

function describeAll(files: readonly FileState[]): string[] {
  return files.map((file) => describeState(file)).sort();
}

function differences(expected: readonly string[], actual: readonly string[]): string {
  const only = (a: readonly string[], b: readonly string[], mark: string) =>
    a.filter((line) => !b.includes(line)).map((line) => `${mark} ${line}`);
  return [...only(expected, actual, "-"), ...only(actual, expected, "+")].join("\n");
}
