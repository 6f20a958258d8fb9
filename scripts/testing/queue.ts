import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, matchesGlob } from "node:path";
import { filesOf, type Stage } from "./stages.ts";

/** The work of one process of a test runner: some files of a stage, or all of them if its runner takes them together. */
export type Unit = { stage: Stage; files: string[]; seconds: number };

const path = join(import.meta.dirname, "durations.json");
/** Assumed duration of a file without a measured time, in seconds: long, so that new files start early and share a process with few. */
const unknown = 20;
/**
 * Target duration of a process in seconds: long enough to load and warm shared modules seldom, which costs each process some 2.5 s of
 * processor time; short enough that lanes end together, so in a short run it is a minute.
 */
const longest = { ofShortRun: 60, ofLongRun: 180 };
/** Least number of processes in which a long run is split. */
const leastProcesses = 16;

/** How long each file, or each stage of one process, took when it was last timed on two processors. Seconds. */
export type Durations = Readonly<Record<string, number>>;
export const readDurations = (): Durations => JSON.parse(readFileSync(path, "utf8")) as Durations;

/** Save the durations of a run. Files that no longer exist are removed. */
export function writeDurations(before: Durations, timed: Durations, all: readonly string[]): void {
  const known = { ...before, ...timed };
  const kept = all.filter((name) => known[name] !== undefined).sort();
  const rounded = kept.map((name) => [name, Math.round((known[name] ?? 0) * 10) / 10]);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(rounded), undefined, 2)}\n`);
}

/** Split whole stages into processes, which are longer when all together take long. */
export function unitsOfAll(stages: readonly Stage[], durations: Durations): Unit[] {
  const split = (seconds: number) => stages.flatMap((stage) => unitsOf(stage, durations, filesOf(stage), seconds));
  const all = split(longest.ofShortRun).reduce((sum, { seconds }) => sum + seconds, 0);
  return split(Math.min(longest.ofLongRun, Math.max(longest.ofShortRun, all / leastProcesses)));
}

/** Split a stage into processes: one for each group, and others that neighbours share, which load the same modules. */
export function unitsOf(
  stage: Stage,
  durations: Durations,
  files = filesOf(stage),
  longestProcess = longest.ofShortRun,
): Unit[] {
  if (stage.runner !== "node") {
    return files.length === 0 ? [] : [{ stage, files, seconds: durations[stage.name] ?? longest.ofShortRun }];
  }
  const secondsOf = (file: string) => durations[file] ?? unknown;
  const groups = (stage.groups ?? []).map((group) =>
    group.flatMap((pattern) => files.filter((file) => matchesGlob(file, pattern))),
  );
  const units: Unit[] = groups
    .filter((group) => group.length > 0)
    .map((group) => ({ stage, files: group, seconds: group.reduce((sum, file) => sum + secondsOf(file), 0) }));
  const grouped = new Set(groups.flat());
  let open: Unit | undefined;
  for (const file of files.filter((each) => !grouped.has(each))) {
    const seconds = secondsOf(file);
    if (stage.together && open !== undefined && open.seconds + seconds <= longestProcess) {
      open.files.push(file);
      open.seconds += seconds;
      continue;
    }
    const unit = { stage, files: [file], seconds };
    units.push(unit);
    // The emptier one takes the next files.
    if (open === undefined || seconds < open.seconds) open = unit;
  }
  return units;
}

/** Hardhat's stages share its cache and artifacts. */
const isHardhat = ({ runner }: Stage) => runner === "mocha" || runner === "solidity";

/** Order units for the lanes: the longest first, because the last to end should be short. */
export class Queue {
  readonly #waiting: Unit[];
  readonly #running = new Set<Unit>();
  readonly #needsContracts: (unit: Unit) => boolean;
  #areCompiled = false;
  #wake = Promise.withResolvers<void>();

  readonly #pagesAtOnce: number;

  /**
   * @param needsContracts units that wait until the contracts are compiled; default: none
   * @param pagesAtOnce most units that render pages at a time
   */
  constructor(
    units: readonly Unit[],
    needsContracts: (unit: Unit) => boolean = () => false,
    pagesAtOnce = availableParallelism(),
  ) {
    this.#needsContracts = needsContracts;
    this.#pagesAtOnce = pagesAtOnce;
    // Hardhat's stages run one at a time, so the second must not begin last.
    this.#waiting = units.toSorted(
      (a, b) => Number(isHardhat(b.stage)) - Number(isHardhat(a.stage)) || b.seconds - a.seconds,
    );
  }

  /** Wait for the next unit that may run next to the running ones; undefined when none is left. */
  async take(): Promise<Unit | undefined> {
    for (;;) {
      const unit = this.#waiting.find((each) => this.#mayRun(each));
      if (unit !== undefined) {
        this.#waiting.splice(this.#waiting.indexOf(unit), 1);
        this.#running.add(unit);
        return unit;
      }
      if (this.#waiting.length === 0) return undefined;
      await this.#wake.promise;
    }
  }

  /** Drop the units that have not started, so that waiting lanes end. */
  drop(): void {
    this.#waiting.length = 0;
    this.#wakeLanes();
  }

  /** The contracts are compiled: units that need them may run. */
  compiled(): void {
    this.#areCompiled = true;
    this.#wakeLanes();
  }

  ended(unit: Unit): void {
    this.#running.delete(unit);
    this.#wakeLanes();
  }

  #wakeLanes(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Hardhat's stages run one after the other, and few units render pages at a time. */
  #mayRun(unit: Unit): boolean {
    const { stage } = unit;
    if (!this.#areCompiled && this.#needsContracts(unit)) return false;
    const running = [...this.#running];
    if (stage.hasPages && running.filter((each) => each.stage.hasPages).length >= this.#pagesAtOnce) return false;
    return !isHardhat(stage) || !running.some((each) => isHardhat(each.stage));
  }
}
