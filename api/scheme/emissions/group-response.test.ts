import assert from "node:assert/strict";
import { test } from "node:test";
import { decimal } from "./decimal.ts";
import { groupResponse } from "./group-response.ts";
import { describeGroup } from "./statistics.ts";

const groupOf = (...texts: string[]) => describeGroup(texts.map((text) => decimal(text)));

test("answers statistics as JSON numbers rounded for display, null where too little is known", () => {
  const answer = JSON.parse(JSON.stringify(groupResponse(groupOf("1", "2", "2", "30"))));
  assert.deepEqual(Object.keys(answer), [
    "n",
    "mean",
    "standardDeviation",
    "coefficientOfVariation",
    "standardError",
    "halfWidth",
    "lowerBound",
    "upperBound",
    "precision",
    "meets9010",
    "outliers",
  ]);
  assert.equal(answer.mean, 8.75);
  assert.deepEqual(answer.outliers, [{ index: 3, value: 30, side: "high" }]);
  assert.match(JSON.stringify(groupResponse(groupOf("1", "2", "2"))), /"mean":1\.666666666667,/);
  assert.match(JSON.stringify(groupResponse(groupOf("1"))), /"standardDeviation":null/);
});
