import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Decimal, decimal } from "./decimal.ts";
import { conservativeValue, describeGroup, describeRatios } from "./statistics.ts";

const decimals = (...texts: string[]): Decimal[] => texts.map((text) => decimal(text));
/** A value, then pairs around it, as the NIST reference sets of univariate statistics are made. */
const around = (middle: string, low: string, high: string) => decimals(middle, ...Array(500).fill([low, high]).flat());

test("gives the certified mean and deviation of NIST's NumAcc1 to NumAcc4, exactly", () => {
  const sets: [Decimal[], string, string][] = [
    [decimals("10000001", "10000003", "10000002"), "10000002", "1"],
    [around("1.2", "1.1", "1.3"), "1.2", "0.1"],
    [around("1000000.2", "1000000.1", "1000000.3"), "1000000.2", "0.1"],
    [around("10000000.2", "10000000.1", "10000000.3"), "10000000.2", "0.1"],
  ];
  for (const [values, mean, deviation] of sets) {
    const group = describeGroup(values);
    assert.deepEqual([group.mean?.toString(), group.standardDeviation?.toString()], [mean, deviation]);
  }
});

test("derives error, half-width, bounds and precision from the convention's own t", () => {
  const values = decimals("4.1", "3.9", "4.4", "4.0", "3.6");
  const strict = describeGroup(values);
  const lenient = describeGroup(values, "one-sided-90");
  const shown = (group: typeof strict) =>
    [
      group.mean,
      group.standardDeviation,
      group.coefficientOfVariation,
      group.standardError,
      group.halfWidth,
      group.precision,
    ].map((each) => each?.toFixed(9));
  // mean 4, Σd² 0.34, s √0.085; t(0.95, 4) 2.131846786, t(0.90, 4) 1.533206274
  assert.deepEqual(shown(strict), [
    "4.000000000",
    "0.291547595",
    "0.072886899",
    "0.130384048",
    "0.277958814",
    "0.069489703",
  ]);
  assert.deepEqual(shown(lenient).slice(4), ["0.199905641", "0.049976410"]);
  assert.equal(strict.lowerBound?.toFixed(9), "3.722041186");
  assert.equal(strict.upperBound?.toFixed(9), "4.277958814");
  assert.deepEqual([strict.convention, strict.n, strict.meets9010], ["two-sided-90", 5, true]);
});

test("takes the mean where 90/10 is met, else the bound that lowers the reduction, never below nothing", () => {
  const met = describeGroup(decimals("4.1", "3.9", "4.4", "4.0", "3.6"));
  assert.equal(conservativeValue(met, "lower")?.value.toString(), "4");
  const wide = describeGroup(decimals("2", "4", "6"));
  assert.equal(wide.meets9010, false);
  assert.deepEqual(conservativeValue(wide, "lower"), { value: wide.lowerBound, taken: "lower bound" });
  assert.deepEqual(conservativeValue(wide, "upper"), { value: wide.upperBound, taken: "upper bound" });
  const wild = describeGroup(decimals("0.1", "9"));
  assert.equal(conservativeValue(wild, "lower")?.value.toString(), "0");
});

test("says null, not zero, where too little is known", () => {
  const none = describeGroup([]);
  assert.deepEqual([none.n, none.mean, none.meets9010], [0, null, false]);
  const single = describeGroup(decimals("3"));
  assert.deepEqual(
    [single.mean?.toString(), single.standardDeviation, single.lowerBound, single.meets9010],
    ["3", null, null, false],
  );
  assert.equal(conservativeValue(single, "lower"), null);
  const zeros = describeGroup(decimals("0", "0"));
  assert.deepEqual([zeros.precision, zeros.coefficientOfVariation, zeros.meets9010], [null, null, false]);
});

test("finds no spread among equal quotients without a last digit", () => {
  const third = decimal(10).div(3);
  const group = describeGroup([third, third, third]);
  assert.equal(group.standardDeviation?.toString(), "0");
  assert.equal(group.meets9010, true);
});

test("takes quartiles of type 7, whatever the order and the size of the values", () => {
  const shuffled = decimals("7", "2", "10", "4", "1", "6", "3", "9", "5", "8");
  const quartilesOf = (values: Decimal[]) => Object.values(describeGroup(values).quartiles ?? {}).map(String);
  assert.deepEqual(quartilesOf(shuffled), ["3.25", "5.5", "7.75"]);
  assert.deepEqual(quartilesOf(decimals("4")), ["4", "4", "4"]);
  // Past 64 bits in whole 10^-30.
  assert.deepEqual(quartilesOf(shuffled.map((value) => value.times("1e12"))), [
    "3250000000000",
    "5500000000000",
    "7750000000000",
  ]);
  assert.equal(describeGroup([]).quartiles, null);
});

test("keeps quotients whole: grams over days of different number, exactly", () => {
  const ratio = (grams: bigint, days: bigint) => ({ numerator: grams, denominator: 1000n * days });
  const thirds = describeRatios([ratio(10_000n, 3n), ratio(20_000n, 6n), ratio(10_000n, 3n)]);
  assert.deepEqual(
    [thirds.standardDeviation?.toString(), thirds.mean?.times(3).toFixed(40)],
    ["0", `10.${"0".repeat(40)}`],
  );
  const group = describeRatios([ratio(11_900n, 4n), ratio(9_000n, 3n), ratio(8_850n, 3n)]);
  assert.equal(group.mean?.toString(), "2.975");
  assert.deepEqual(group.outliers, []);
  assert.throws(() => describeRatios([ratio(1n, 0n)]), RangeError);
});

test("describes quotients as it describes the same decimals", () => {
  const measured = fc.array(fc.tuple(fc.bigInt(0n, 60_000n), fc.bigInt(1n, 16n)), { maxLength: 40 });
  fc.assert(
    fc.property(measured, (pairs) => {
      const ratios = pairs.map(([numerator, days]) => ({ numerator, denominator: 1000n * days }));
      const [exact, rounded] = [
        describeRatios(ratios),
        describeGroup(ratios.map(({ numerator, denominator }) => decimal(numerator).div(decimal(denominator)))),
      ];
      assert.equal(exact.mean?.toFixed(25), rounded.mean?.toFixed(25));
      assert.equal(exact.halfWidth?.toFixed(12), rounded.halfWidth?.toFixed(12));
      assert.equal(exact.quartiles?.upper.toFixed(25), rounded.quartiles?.upper.toFixed(25));
    }),
  );
});

test("flags values beyond 1.5 interquartile ranges but not at the limit, and keeps them in every figure", () => {
  const values = decimals("10", "1", "2", "3", "4", "-9");
  const group = describeGroup(values);
  // Quartiles 1.25 and 3.75: fences at −2.5 and 7.5.
  assert.deepEqual(
    group.outliers.map(({ index, value, side }) => [index, value.toString(), side]),
    [
      [0, "10", "high"],
      [5, "-9", "low"],
    ],
  );
  assert.equal(group.n, 6);
  assert.equal(group.mean?.toFixed(6), "1.833333");
  assert.deepEqual(describeGroup(decimals("1", "2", "3", "4", "5", "9", "-3")).outliers, []);
});

const spreadOut = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 2, maxLength: 60 });
const grams = (value: number) => decimal(value).div(1000);

test("narrower data never lowers the lower bound, nor the value that a calculation takes", () => {
  fc.assert(
    fc.property(spreadOut, fc.integer({ min: 0, max: 100 }), (numbers, percent) => {
      const values = numbers.map(grams);
      const wide = describeGroup(values);
      const mean = wide.mean as Decimal;
      const narrow = describeGroup(values.map((value) => mean.plus(value.minus(mean).times(percent).div(100))));
      // Means of quotients agree to their last kept digit only.
      const slack = "1e-25";
      assert.ok((narrow.lowerBound as Decimal).plus(slack).gte(wide.lowerBound as Decimal));
      const taken = [narrow, wide].map((group) => conservativeValue(group, "lower")?.value as Decimal);
      assert.ok((taken[0] as Decimal).plus(slack).gte(taken[1] as Decimal));
    }),
  );
});

test("scales with the data: k times the fuel is k times every amount and the same precision", () => {
  fc.assert(
    fc.property(spreadOut, fc.integer({ min: 1, max: 1000 }), (numbers, k) => {
      const plain = describeGroup(numbers.map(grams));
      const scaled = describeGroup(numbers.map((value) => grams(value).times(k)));
      const near = (a: Decimal | null, b: Decimal | null) =>
        assert.ok(
          (a as Decimal)
            .minus(b as Decimal)
            .abs()
            .lt("1e-20"),
        );
      for (const key of [
        "mean",
        "standardDeviation",
        "standardError",
        "halfWidth",
        "lowerBound",
        "upperBound",
      ] as const) {
        near(scaled[key], (plain[key] as Decimal).times(k));
      }
      near(scaled.precision, plain.precision);
      assert.equal(scaled.outliers.length, plain.outliers.length);
    }),
  );
});

test("describes 100 000 households within a second of processor time", () => {
  const ratios = Array.from({ length: 100_000 }, (_, index) => ({
    numerator: BigInt((index * 7919) % 20_011),
    denominator: 1000n * BigInt(3 + (index % 4)),
  }));
  const before = process.cpuUsage();
  const group = describeRatios(ratios);
  const { user, system } = process.cpuUsage(before);
  assert.equal(group.n, 100_000);
  assert.ok((user + system) / 1e6 < 1, `${(user + system) / 1e6} s`);
});
