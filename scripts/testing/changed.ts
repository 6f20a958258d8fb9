import { execFileSync } from "node:child_process";
import { type Durations, type Unit, unitsOf } from "./queue.ts";
import { type Reach, reachOf } from "./reach.ts";
import { filesOf, type Stage } from "./stages.ts";

/** What `npm test -- --changed` may take, on two processors. Seconds of all lanes together. */
const budget = 220;
/** The same for a stage whose files run in one process, next to compiling the contracts. Seconds. */
const budgetOfProcess = 60;

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

/** Take files until the budget is spent: changed ones, then those with the name of a changed file's folder, then the nearest. */
export function choose(stages: readonly Stage[], reach: Reach, durations: Durations): Omit<Choice, "changed"> {
  const nouns = nounsOf([...reach].flatMap(([file, steps]) => (steps === 0 ? [file] : [])));
  const reached = stages.flatMap((stage) => {
    const files = filesOf(stage);
    const share = (durations[stage.name] ?? 60) / files.length;
    return files.flatMap((file) => {
      const steps = reach.get(file);
      if (steps === undefined) return [];
      const rank = steps === 0 ? 0 : wordsOf(file).some((word) => nouns.has(word)) ? 1 : 2;
      return [{ stage, file, rank, steps, seconds: stage.runner === "node" ? (durations[file] ?? 5) : share }];
    });
  });
  const byRank = reached.toSorted((a, b) => a.rank - b.rank || a.steps - b.steps || a.seconds - b.seconds);
  const taken = new Set<string>();
  const spent = new Map<Stage, number>();
  let seconds = 0;
  for (const { stage, file, steps, seconds: more } of byRank) {
    const ofStage = (spent.get(stage) ?? 0) + more;
    const fits = seconds + more <= budget && (stage.runner === "node" || ofStage <= budgetOfProcess);
    // Changed tests run, however long they take.
    if (steps > 0 && !fits) continue;
    taken.add(file);
    spent.set(stage, ofStage);
    seconds += more;
  }
  const units = stages.flatMap((stage) => {
    const files = filesOf(stage).filter((file) => taken.has(file));
    return unitsOf(stage, durations, files);
  });
  return { units, left: byRank.map(({ file }) => file).filter((file) => !taken.has(file)) };
}

/** The innermost folders of changed files: the same noun names the folder at every layer. */
function nounsOf(changed: readonly string[]): Set<string> {
  const folders = changed.map((file) => file.split("/").slice(1, -1).at(-1) ?? "");
  return new Set(folders.filter((folder) => folder !== "" && !layers.has(folder)));
}

const layers = new Set(["src", "lib", "test", "http", "support", "scheme", "platform"]);

const wordsOf = (file: string): string[] => file.toLowerCase().split(/[^a-z]+/);
