import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../platform/errors.ts";
import { type Decimal, decimal, sumOf } from "./decimal.ts";
import { measuredActivity, measuredBaseline, minimumServiceBaseline } from "./fuel-use.ts";
import type { Line } from "./lines.ts";
import { describeSaving } from "./saving.ts";
import { describeGroup } from "./statistics.ts";

const groupOf = (...texts: string[]) => describeGroup(texts.map((text) => decimal(text)));
const narrow = groupOf("4.1", "3.9", "4.4", "4.0", "3.6");
const wide = groupOf("2", "4", "6");
const figureOf = (lines: Line[], name: string): Decimal => {
  const found = lines.find((line) => line.name.includes(name));
  assert.ok(found, name);
  return found.value;
};
const rules =
  (...expected: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(
      error.details.map(({ path, rule }) => `${path} ${rule}`),
      expected,
    );
    return true;
  };

test("takes a year of the mean where 90/10 is met, in t", () => {
  const { fuel, lines } = measuredBaseline(narrow, "wood", decimal(5));
  assert.deepEqual([fuel.value.toString(), fuel.unit], ["1.46", "t"]);
  assert.equal(figureOf(lines, "adjustment for precision").toString(), "0");
});

test("takes the lower bound for the baseline and the upper for the activity where 90/10 fails", () => {
  const baseline = measuredBaseline(wide, "wood", decimal(5));
  const activity = measuredActivity(wide);
  // t(0.95, 2) 2.919985580 · 2 ÷ √3 = 3.371708920 kg a day about the mean of 4
  assert.equal(baseline.fuel.value.toFixed(9), "0.229326244");
  assert.equal(activity.fuel.value.toFixed(9), "2.690673756");
  assert.equal(figureOf(baseline.lines, "adjustment for precision").toFixed(6), "-3.371709");
  assert.match(baseline.lines.map(({ source }) => source).join("\n"), /lower bound \(two-sided-90\)/);
});

test("caps the baseline by P_CAP a person and shows what the cap took", () => {
  const wood = measuredBaseline(narrow, "wood", decimal(1));
  assert.equal(wood.fuel.value.toString(), "1.25");
  assert.equal(figureOf(wood.lines, "Adjustment by the cap").toString(), "-0.21");
  assert.equal(measuredBaseline(narrow, "charcoal", decimal("2.5")).fuel.value.toString(), "1");
});

test("gives the minimum service level of option B: 0.5 t of wood or 0.13 t of charcoal a person, times 0.95", () => {
  assert.equal(minimumServiceBaseline("wood", decimal("4.5")).fuel.value.toString(), "2.1375");
  assert.equal(minimumServiceBaseline("charcoal", decimal(5)).fuel.value.toString(), "0.6175");
});

test("names the source of every line", () => {
  for (const { lines } of [
    measuredBaseline(wide, "wood", decimal(5)),
    measuredActivity(wide),
    minimumServiceBaseline("wood", decimal(4)),
  ]) {
    for (const line of lines) assert.ok(line.source.length > 0 && line.unit.length > 0, line.name);
  }
});

test("refuses with everything that is missing", () => {
  const none = describeGroup([]);
  assert.throws(
    () => measuredBaseline(none, "wood", decimal(0)),
    rules("householdSize range", "reference group-measured"),
  );
  assert.throws(() => measuredActivity(groupOf("3")), rules("intervention group-measured"));
  assert.throws(() => minimumServiceBaseline("wood", decimal(-1)), rules("householdSize range"));
});

test("describes the saving of two groups by Welch's t, and what a calculation may take of it", () => {
  // Expected figures: scipy 1.17.1, ttest_ind(equal_var=False).confidence_interval(0.9).
  const saving = describeSaving(narrow, groupOf("2", "2.4", "1.9", "2.5"));
  assert.equal(saving.mean?.toString(), "1.8");
  assert.equal(saving.share?.toString(), "0.45");
  assert.equal(saving.standardError?.toFixed(9), "0.196638416");
  assert.equal(saving.degreesOfFreedom?.toFixed(6), "6.536534");
  assert.equal(saving.lowerBound?.toFixed(9), "1.423440322");
  assert.equal(saving.upperBound?.toFixed(9), "2.176559678");
  const { fuel } = measuredActivity(groupOf("2", "2.4", "1.9", "2.5"));
  const perDay = fuel.value.times(1000).div(365);
  assert.ok(
    (saving.conservative as Decimal)
      .minus(sumOf([decimal(4), perDay.neg()]))
      .abs()
      .lt("1e-30"),
  );
});

test("says null of a saving that one side cannot tell", () => {
  const saving = describeSaving(narrow, describeGroup([]));
  assert.deepEqual([saving.mean, saving.lowerBound, saving.conservative], [null, null, null]);
});
