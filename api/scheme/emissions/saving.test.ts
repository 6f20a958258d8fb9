import assert from "node:assert/strict";
import { test } from "node:test";
import { type Decimal, decimal } from "./decimal.ts";
import { describeSaving } from "./saving.ts";
import { describeGroup } from "./statistics.ts";

const groupOf = (...texts: string[]) => describeGroup(texts.map((text) => decimal(text)));
const narrow = groupOf("4.1", "3.9", "4.4", "4.0", "3.6");

test("describes the saving of two groups by Welch's t, and what a calculation may take of it", () => {
  // Expected figures: scipy 1.17.1, ttest_ind(equal_var=False).confidence_interval(0.9).
  const saving = describeSaving(narrow, groupOf("2", "2.4", "1.9", "2.5"));
  assert.equal(saving.mean?.toString(), "1.8");
  assert.equal(saving.share?.toString(), "0.45");
  assert.equal(saving.standardError?.toFixed(9), "0.196638416");
  assert.equal(saving.degreesOfFreedom?.toFixed(6), "6.536534");
  assert.equal(saving.lowerBound?.toFixed(9), "1.423440322");
  assert.equal(saving.upperBound?.toFixed(9), "2.176559678");
  const other = groupOf("2", "2.4", "1.9", "2.5");
  assert.ok(!other.meets9010, "the upper bound counts");
  const difference = decimal(4).minus(other.upperBound as Decimal);
  assert.ok((saving.conservative as Decimal).minus(difference).abs().lt("1e-30"));
});

test("says null of a saving that one side cannot tell", () => {
  const saving = describeSaving(narrow, describeGroup([]));
  assert.deepEqual([saving.mean, saving.lowerBound, saving.conservative], [null, null, null]);
});
