import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Site } from "./operators.ts";
import type { Judgement } from "./runner.ts";

const scorePath = "test/contracts/mutation/score.json";
const survivorsPath = "test/contracts/mutation/SURVIVORS.md";

/** How a mutant ended: the verdict, its function's hash at that time, and the file of the test that noticed. */
export type Outcome = { verdict: Judgement["verdict"]; code: string; by?: string };
/** Outcomes by contract and by the mutants' keys. */
export type Outcomes = Record<string, Record<string, Outcome>>;
/** Score of a contract, or of all: number of mutants, number tried on the current code, and their outcomes. */
export type Count = { mutants: number; tried: number; killed: number; timedOut: number };

/** Recorded outcomes of the last trials. */
export async function readOutcomes(): Promise<Outcomes> {
  const { outcomes } = JSON.parse(await readFile(scorePath, "utf8")) as {
    outcomes: Record<string, Record<string, string>>;
  };
  return mapValues(outcomes, (ofContract) =>
    mapValues(ofContract, (line) => {
      const [verdict = "", code = "", by] = line.split(", ");
      return { verdict: verdict as Outcome["verdict"], code, ...(by ? { by } : {}) };
    }),
  );
}

/** Return the recorded outcome of a mutant if its function has not changed since. */
export function outcomeOf(outcomes: Outcomes, { file, key, code }: Site): Outcome | undefined {
  const found = outcomes[file]?.[key];
  return found?.code === code ? found : undefined;
}

/** A mutant that made a test time out counts as killed as well. */
export function countOf(sites: readonly Site[], outcomes: Outcomes): Count {
  const verdicts = sites.flatMap((site) => outcomeOf(outcomes, site)?.verdict ?? []);
  const timedOut = verdicts.filter((verdict) => verdict === "timed out").length;
  const killed = verdicts.filter((verdict) => verdict === "killed").length + timedOut;
  return { mutants: sites.length, tried: verdicts.length, killed, timedOut };
}

/** Percentage of the tried mutants, cut to two decimals, not rounded up. */
export const percentOf = ({ tried, killed }: Count): number => Math.floor((10_000 * killed) / tried) / 100;

/** Record the outcomes of today's mutants; those of mutants that are gone are left out. */
export function writeScore(sites: readonly Site[], offered: ReadonlyMap<string, number>, outcomes: Outcomes) {
  const byContract = Object.fromEntries(Map.groupBy(sites, ({ file }) => file));
  const total = countOf(sites, outcomes);
  const score = {
    percent: percentOf(total),
    ...total,
    contracts: mapValues(byContract, (own, file) => ({ offered: offered.get(file) ?? 0, ...countOf(own, outcomes) })),
    outcomes: mapValues(byContract, (own) => Object.fromEntries(own.flatMap((site) => lineOf(site, outcomes)))),
  };
  writeFileSync(scorePath, `${JSON.stringify(score, null, 2)}\n`);
}

function lineOf(site: Site, outcomes: Outcomes): [string, string][] {
  const outcome = outcomes[site.file]?.[site.key];
  return outcome ? [[site.key, [outcome.verdict, outcome.code, outcome.by].filter(Boolean).join(", ")]] : [];
}

/** Survivors with a written reason, by their keys. */
export const arguedKeys = async (): Promise<Set<string>> =>
  new Set((await readFile(survivorsPath, "utf8")).match(/(?<=^\| `)[^`]+(?=`)/gm) ?? []);

const mapValues = <From, To>(values: Record<string, From>, map: (value: From, key: string) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
