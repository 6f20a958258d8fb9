import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { projectFiles } from "./changed.ts";
import { everywhere, usedBy } from "./reach.ts";
import { filesOf, type Stage } from "./stages.ts";

/** A stage that passed: its inputs, time and number of tests. */
export type Pass = { inputs: string; at: string; passed: number; skipped: number };

/** Stored on this machine only: in a fresh clone no stage has passed. */
const path = join(import.meta.dirname, "../../.node/passed-stages.json");

/** Return the stage's last pass if nothing that it depends on has changed since. */
export function passOf(stage: Stage, inputs: string | undefined, file = path): Pass | undefined {
  const pass = readPasses(file)[stage.name];
  return inputs !== undefined && pass?.inputs === inputs ? pass : undefined;
}

/** Note that a stage passed with these inputs. */
export function keepPass(stage: Stage, pass: Pass, file = path): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readPasses(file), [stage.name]: pass }, undefined, 2)}\n`);
}

const readPasses = (file: string): Record<string, Pass | undefined> =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

/**
 * A hash of everything that decides whether a stage passes: its files, what they use, the folders that it names, the packages and Node.
 * @returns undefined for a stage that names no inputs: it runs every time
 */
export function inputsOf(stage: Stage, root = process.cwd()): string | undefined {
  const { inputs } = stage;
  if (inputs === undefined) return undefined;
  const files = projectFiles(root);
  const used = usedBy(root, files, filesOf(stage, root));
  const isInput = (file: string) =>
    used.has(file) || everywhere.includes(file) || inputs.some((pattern) => matchesGlob(file, pattern));
  const hash = createHash("sha256").update(process.version);
  for (const file of files.filter(isInput).sort()) {
    hash.update(`\n${file}\n`);
    // A file that is gone and still in git's index.
    if (existsSync(join(root, file))) hash.update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
