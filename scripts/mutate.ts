import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { mutants } from "../test/contracts/mutation/mutants.ts";
import { readProgram } from "./analysis/tree.ts";
import { readOptions } from "./command-options.ts";
import { fuzz } from "./mutation/fuzz.ts";
import { siteOfMutant } from "./mutation/hand-written.ts";
import { type Site, sitesOf } from "./mutation/operators.ts";
import { buildSwitched, copyProject } from "./mutation/project.ts";
import type { Judgement } from "./mutation/runner.ts";
import { sampleOf, testsOf } from "./mutation/sample.ts";
import {
  arguedKeys,
  countOf,
  type Outcomes,
  outcomeOf,
  percentOf,
  readOutcomes,
  writeScore,
} from "./mutation/score.ts";
import { runTrials } from "./mutation/trials.ts";
import { productionFiles, readTexts } from "./solc.ts";

const help = `npm run test:mutation [-- --all] [-- --only <words of a name or file>] [-- --jobs 2] [-- --fuzz]
npm run test:mutation -- --list
Break the contracts in a copy, in one way after the other, and run the tests that must notice, until one does. The ways are
those of test/contracts/mutation/mutants.ts, and a sample of those that the operators of scripts/mutation/operators.ts
make. All are compiled in together, and switched on one by one. Tries those whose function changed since they were killed,
with --all every one, and records the outcome in test/contracts/mutation/score.json. Exit 1 when one is not killed that
test/contracts/mutation/SURVIVORS.md does not argue. --fuzz asks the stateful suite instead, of those that it must notice,
and for the number of the property that is broken.`;

export type Way = { site: Site; tests: string[] };

/** All mutants of the contracts: hand-written and generated ones. `offered`: number of generated mutants, by file. */
export function allWays(): { ways: Way[]; offered: Map<string, number> } {
  const texts = readTexts(productionFiles());
  const program = readProgram(productionFiles());
  const byHand = mutants.map((mutant) => ({ site: siteOfMutant(program, texts, mutant), tests: mutant.tests }));
  const sites = sitesOf(program, texts);
  const sampled = sampleOf(sites).map((site) => ({ site, tests: testsOf(site.file) }));
  const offered = new Map([...Map.groupBy(sites, ({ file }) => file)].map(([file, own]) => [file, own.length]));
  return { ways: [...byHand, ...sampled], offered };
}

const nameOf = ({ file, where, line, what, key }: Site) => `${file}:${line} ${where}: ${what} (${key})`;
const inTable = (text: string) => text.replaceAll("|", "\\|");

/** Run the file of the test that failed last time first. */
const ordered = ({ tests }: Way, by: string | undefined) =>
  by !== undefined && tests.includes(by) ? [by, ...tests.filter((test) => test !== by)] : tests;

async function tryWays(ways: readonly Way[], outcomes: Outcomes, jobs: number, save: () => void) {
  const folder = await copyProject({ solidityTests: false });
  try {
    await buildSwitched(
      folder,
      ways.map(({ site }) => site),
    );
    const tests = [...new Set(ways.flatMap((way) => way.tests))];
    const whole = ({ verdict, by }: Judgement) => {
      if (verdict !== "survived") throw new Error(`The tests fail without any change: ${by?.file} ${by?.test}`);
    };
    await runTrials(folder, { trials: tests.map((test) => ({ id: 0, tests: [test] })), jobs: 1, tell: whole });
    console.log("| verdict | contract | what is broken | first test that notices | time |\n|---|---|---|---|---|");
    const tell = ({ id, verdict, by, seconds }: Judgement) => {
      const { file, key, code, line, what } = ways[id - 1]!.site;
      outcomes[file] = { ...outcomes[file], [key]: { verdict, code, ...(by ? { by: by.file } : {}) } };
      save();
      const cells = [verdict.toUpperCase(), `${file}:${line}`, what, by?.test ?? "", `${seconds.toFixed(1)} s`];
      console.log(`| ${cells.map(inTable).join(" | ")} |`);
    };
    const trials = ways.map((way, i) => ({
      id: i + 1,
      tests: ordered(way, outcomes[way.site.file]?.[way.site.key]?.by),
    }));
    await runTrials(folder, { trials, jobs, tell });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main({ only, all, jobs }: { only: string; all: boolean; jobs: number }): Promise<void> {
  const { ways, offered } = allWays();
  const [outcomes, argued] = [await readOutcomes(), await arguedKeys()];
  const isOpen = ({ site }: Way) => {
    const verdict = outcomeOf(outcomes, site)?.verdict;
    return verdict !== "killed" && verdict !== "timed out" && !(verdict === "survived" && argued.has(site.key));
  };
  const chosen = ways.filter((way) => nameOf(way.site).includes(only) && (all || isOpen(way)));
  const begin = performance.now();
  const sites = ways.map(({ site }) => site);
  if (chosen.length > 0) await tryWays(chosen, outcomes, jobs, () => writeScore(sites, offered, outcomes));
  for (const way of chosen.filter(isOpen)) console.log(`NOT KILLED, not argued: ${nameOf(way.site)}`);
  const count = countOf(sites, outcomes);
  const minutes = Math.ceil((performance.now() - begin) / 60_000);
  console.log(
    `\n${chosen.length} mutants tried in ${minutes} min. On record: ${count.killed} of ${count.tried} killed,`,
  );
  console.log(`${percentOf(count)} %, ${count.timedOut} of them by a test that waited in vain.`);
  process.exitCode = chosen.some(isOpen) ? 1 : 0;
}

if (import.meta.main) {
  const options = readOptions(help, {
    only: { type: "string", default: "" },
    all: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    fuzz: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  });
  process.chdir(dirname(import.meta.dirname));
  if (options.list) for (const { site } of allWays().ways) console.log(nameOf(site));
  else if (options.fuzz) await fuzz(options.only);
  else await main({ ...options, jobs: Number(options.jobs) });
}
