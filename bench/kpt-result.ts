import { type ResultRecord, resultFrom } from "../api/scheme/campaigns/result/record.ts";
import { defaultConfidence } from "../api/scheme/campaigns/terms/terms.ts";
import { describeRatios } from "../api/scheme/emissions/statistics.ts";
import { givenTerms, inventedTotals } from "../test/support/campaign-result.ts";
import type { Figure } from "./figures.ts";

const rounds = 7;
const groups = ["reference", "intervention"] as const;

/** Time of a campaign's exact result and statistics, compared with the same statistics in floating point. */
export function benchKptResult(households: number): Figure[] {
  const record = inventedRecord(households);
  const ratios = record.claims.map(({ totalGrams, logs }) => {
    return { numerator: BigInt(totalGrams), denominator: 1000n * BigInt(logs) };
  });
  const floats = record.claims.map(({ totalGrams, logs }) => Number(totalGrams) / (1000 * logs));
  const [exact, plain, whole] = inTurns([
    () => describeRatios(ratios),
    () => describeFloats(floats),
    () => resultFrom(record),
  ]) as [number, number, number];
  const reference = { name: "plain loop over floats", value: plain };
  const figure = (name: string, value: number): Figure => ({
    name,
    value,
    unit: "ms",
    reference,
    ratio: value / plain,
  });
  const wanted = { aim: "< 1000 ms", met: whole < 1000 };
  return [
    figure(`statistics of ${households} households, exact`, exact),
    { ...figure(`result of a campaign of ${households} households`, whole), ...wanted },
  ];
}

function inventedRecord(households: number): ResultRecord {
  const size = Math.ceil(households / 2);
  const claims = groups.flatMap((group, seed) =>
    inventedTotals(size, { mean: 6000 - 3000 * seed, deviation: 1500, seed: seed + 1 }).map((total, position) => ({
      id: `KPT-${group}-${position}`,
      group,
      position,
      totalGrams: String(total),
      logs: 3 + (position % 3),
    })),
  );
  const members = claims.map(({ group, position }) => {
    return { group, position, men: 1, women: 1 + (position % 2), children: position % 4, elderly: 0 };
  });
  const frameSizes = { reference: size, intervention: size };
  const campaign = { campaignId: "KPT-BENCH", confidence: defaultConfidence, sampleSize: size, frameSizes };
  return { ...campaign, terms: givenTerms, claims, members };
}

/** Mean, standard deviation and outliers in floating point. */
function describeFloats(values: readonly number[]): { mean: number; deviation: number; outliers: number } {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const sorted = Float64Array.from(values).sort();
  const at = (p: number) => sorted[Math.floor((sorted.length - 1) * p)] as number;
  const fence = 1.5 * (at(0.75) - at(0.25));
  const [low, high] = [at(0.25) - fence, at(0.75) + fence];
  let outliers = 0;
  for (const value of values) if (value < low || value > high) outliers++;
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)), outliers };
}

/**
 * Median processor time of each function in ms, including garbage collection, measured in alternating turns, so that
 * changes of the machine's speed affect all.
 */
function inTurns(pieces: (() => unknown)[]): number[] {
  const times = pieces.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, piece] of pieces.entries()) {
      const before = process.cpuUsage();
      piece();
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round > 0) times[index]?.push((user + system) / 1000);
    }
  }
  return times.map((each) => each.sort((a, b) => a - b)[Math.floor(each.length / 2)] as number);
}
