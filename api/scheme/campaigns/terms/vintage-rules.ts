import type { RuleDetail } from "../../../platform/errors.ts";
import { periodOf, type SamplingTerms } from "../sampling/terms.ts";

type Test = { startDate: string; endDate: string; terms: { sampling?: SamplingTerms | undefined } };

const yearOf = (date: string) => Number(date.slice(0, 4));

/** The vintage that terms state; without one, the year in which the test ends. */
export function vintageOf(emissions: { vintage?: number | undefined } | null, endDate: string): number {
  return emissions?.vintage ?? yearOf(endDate);
}

/** A test stands for the years that it touches, and for the year before and the year after them. */
export function vintageProblems(test: Test, vintage: number | undefined, path: string): RuleDetail[] {
  if (vintage === undefined) return [];
  const periods = [test, periodOf(test, "reference"), periodOf(test, "intervention")];
  const first = Math.min(...periods.map(({ startDate }) => yearOf(startDate))) - 1;
  const last = Math.max(...periods.map(({ endDate }) => yearOf(endDate))) + 1;
  if (vintage >= first && vintage <= last) return [];
  const message = `The vintage ${vintage} is not near the test: it lies from ${first} to ${last}.`;
  return [{ path, rule: "vintage-near-test", message }];
}

/** A reduction of a year that has not begun is not certified. `now`: the latest block's time in seconds. */
export function futureVintageProblems(vintage: number, now: bigint, path: string): RuleDetail[] {
  const year = new Date(Number(now) * 1000).getUTCFullYear();
  if (vintage <= year) return [];
  return [
    {
      path,
      rule: "vintage-has-begun",
      message: `The vintage ${vintage} is after ${year}, the year of the latest block.`,
    },
  ];
}
