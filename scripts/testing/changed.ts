import { execFileSync } from "node:child_process";
import { type Durations, type Unit, unitsOf } from "./queue.ts";
import { type Reach, reachOf } from "./reach.ts";
import { filesOf, type Stage } from "./stages.ts";

/** What `npm test -- --changed` may take, on two processors. Seconds of one lane. */
const budget = 160;

/** Units that run, and files that use a changed file but are left to the whole run. */
export type Choice = { changed: string[]; units: Unit[]; left: string[] };

/** Choose the test files that use files changed since the branch left `main`, the nearest first, for two minutes. */
export function chooseChanged(stages: readonly Stage[], durations: Durations): Choice {
  const files = projectFiles();
  const changed = changedFiles();
  return { changed, ...choose(stages, reachOf(process.cwd(), files, changed), durations) };
}

/** List every file of the project that git tracks or does not ignore. */
export const projectFiles = (root = process.cwd()): string[] =>
  git("-C", root, "ls-files", "--cached", "--others", "--exclude-standard");

/** List the changes of the branch and the working tree; on `main`, those of the working tree. */
function changedFiles(): string[] {
  const base = git("merge-base", "HEAD", "main")[0] ?? "HEAD";
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
}

function git(...args: string[]): string[] {
  const output = execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 });
  return output.split("\n").filter((line) => line !== "");
}

/** Take files by their distance from what changed until the budget is spent. */
export function choose(stages: readonly Stage[], reach: Reach, durations: Durations): Omit<Choice, "changed"> {
  const reached = stages.flatMap((stage) => {
    const files = filesOf(stage);
    const share = (durations[stage.name] ?? 60) / files.length;
    return files.flatMap((file) => {
      const steps = reach.get(file);
      const seconds = stage.runner === "node" ? (durations[file] ?? 5) : share;
      return steps === undefined ? [] : [{ stage, file, steps, seconds }];
    });
  });
  const byDistance = reached.toSorted((a, b) => a.steps - b.steps || a.seconds - b.seconds);
  let seconds = 0;
  const taken = new Set<string>();
  for (const each of byDistance) {
    seconds += each.seconds;
    // Changed tests run, however long they take.
    if (each.steps === 0 || seconds <= budget) taken.add(each.file);
  }
  const units = stages.flatMap((stage) => {
    const files = filesOf(stage).filter((file) => taken.has(file));
    return unitsOf(stage, durations, files);
  });
  return { units, left: byDistance.map(({ file }) => file).filter((file) => !taken.has(file)) };
}
