import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../../platform/errors.ts";
import { type Decimal, decimal, one, zero } from "./decimal.ts";
import { drawUsageSample, exactLowerBound, surveyedUsageOf, usageSampleSizes } from "./usage-survey.ts";

const minimum = { total: 100, perCohort: 30, source: "test" };

test("gives the exact lower bound of the NIST handbook", () => {
  // NIST/SEMATECH e-Handbook 7.2.4.1: 4 of 20, two-sided 90 %: 0.071354 to 0.401029. The upper bound is 1 less the lower of 16.
  assert.equal(exactLowerBound({ surveyed: 20, inUse: 4 }, "two-sided-90").toFixed(6), "0.071354");
  assert.equal(one.minus(exactLowerBound({ surveyed: 20, inUse: 16 }, "two-sided-90")).toFixed(5), "0.40103");
});

test("gives the closed forms of none, one and all in use", () => {
  assert.ok(exactLowerBound({ surveyed: 50, inUse: 0 }, "two-sided-90").eq(0));
  // 1 − (1 − tail)^(1/n) of one in use, tail^(1/n) of all.
  const near = (found: Decimal, expected: Decimal) =>
    assert.ok(found.div(expected).minus(1).abs().lt("1e-14"), `${found}`);
  near(exactLowerBound({ surveyed: 30, inUse: 1 }, "two-sided-90"), one.minus(decimal("0.95").pow(one.div(30))));
  near(exactLowerBound({ surveyed: 30, inUse: 30 }, "two-sided-90"), decimal("0.05").pow(one.div(30)));
  near(exactLowerBound({ surveyed: 30, inUse: 30 }, "one-sided-90"), decimal("0.1").pow(one.div(30)));
});

/** P(X ≥ inUse) of a binomial distribution, with 60 digits. */
function upperTail(surveyed: number, inUse: number, share: Decimal): Decimal {
  let term = one.minus(share).pow(surveyed);
  let below = zero;
  for (let k = 0; k < inUse; k++) {
    below = below.plus(term);
    term = term
      .times(surveyed - k)
      .div(k + 1)
      .times(share)
      .div(one.minus(share));
  }
  return one.minus(below);
}

test("finds with the tail's probability what was found in use, to 1e-12", () => {
  const counts = fc
    .integer({ min: 2, max: 300 })
    .chain((surveyed) => fc.tuple(fc.constant(surveyed), fc.integer({ min: 1, max: surveyed - 1 })));
  fc.assert(
    fc.property(counts, ([surveyed, inUse]) => {
      const tail = upperTail(surveyed, inUse, exactLowerBound({ surveyed, inUse }, "two-sided-90"));
      assert.ok(tail.div("0.05").minus(1).abs().lt("1e-12"), `${surveyed} ${inUse} ${tail}`);
    }),
    { numRuns: 60 },
  );
});

test("weights the bounds of the ages by their device-days, and counts an age that nobody surveyed as not used", () => {
  const cohorts = [
    { age: 1, devices: 100, days: 30_000 },
    { age: 2, devices: 50, days: 10_000 },
  ];
  const first = { age: 1, surveyed: 40, inUse: 38 };
  const bound = exactLowerBound(first, "two-sided-90");
  const partly = surveyedUsageOf(cohorts, [first], "two-sided-90");
  assert.equal(partly?.usage.toFixed(40), bound.times("0.75").toFixed(40));
  assert.deepEqual(
    partly?.bounds.map(({ age }) => age),
    [1, 2],
  );
  assert.equal(surveyedUsageOf([], [first], "two-sided-90"), null);
});

test("plans 30 of each age and 100 in all, in proportion, and never more than there are", () => {
  const cohort = (age: number, devices: number) => ({ age, devices, days: devices * 365 });
  const sizes = (...cohorts: ReturnType<typeof cohort>[]) => usageSampleSizes(cohorts, minimum).map(({ size }) => size);
  assert.deepEqual(sizes(cohort(1, 900), cohort(2, 100)), [90, 30]);
  assert.deepEqual(sizes(cohort(1, 500), cohort(2, 400), cohort(3, 12)), [55, 44, 12]);
  assert.deepEqual(sizes(cohort(1, 20), cohort(2, 5)), [20, 5]);
  assert.deepEqual(sizes(), []);
});

test("draws of each age the devices of the smallest ranks, whatever their order", () => {
  const devices = Array.from({ length: 40 }, (_, index) => ({ serial: `S-${index}`, age: (index % 2) + 1 }));
  const rankOf = (serial: string) => (BigInt(serial.slice(2)) * 7_919n) % 101n;
  const drawn = drawUsageSample(
    devices,
    [
      { age: 1, size: 3 },
      { age: 2, size: 30 },
    ],
    rankOf,
  );
  assert.equal(drawn.length, 23);
  const first = drawn.slice(0, 3).map(({ serial }) => rankOf(serial));
  const others = devices.filter(({ age, serial }) => age === 1 && !drawn.some((each) => each.serial === serial));
  for (const { serial } of others) assert.ok(first.every((rank) => rank < rankOf(serial)));
  assert.deepEqual(drawUsageSample(devices.toReversed(), [{ age: 1, size: 3 }], rankOf), drawn.slice(0, 3));
});

test("refuses counts that cannot be, with each rule", () => {
  assert.throws(
    () => exactLowerBound({ surveyed: 0, inUse: 1 }, "two-sided-90"),
    (error) =>
      error instanceof AppError && error.details.map(({ path }) => path).join() === "survey.surveyed,survey.inUse",
  );
});
