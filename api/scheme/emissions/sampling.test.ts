import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../platform/errors.ts";
import { decimal } from "./decimal.ts";
import { requiredSampleSize } from "./sample-size.ts";
import { standardAdults } from "./standard-adults.ts";

const size = (population: number, cv: string, precision: string) =>
  requiredSampleSize({ population, coefficientOfVariation: decimal(cv), precision: decimal(precision) });

test("asks for 68 of 10 000 at 90/10 and 8 at 90/30 where the variation is 0.5", () => {
  assert.equal(size(10_000, "0.5", "0.1"), 68);
  assert.equal(size(10_000, "0.5", "0.3"), 8);
});

test("asks for at least one and at most all", () => {
  assert.equal(size(10_000, "0", "0.1"), 1);
  assert.equal(size(1, "0.5", "0.1"), 1);
  assert.equal(size(1, "0", "0.1"), 1);
  assert.equal(size(5, "3", "0.01"), 5);
});

test("refuses with every figure that is out of range", () => {
  assert.throws(
    () => size(0, "-1", "0"),
    (error) =>
      error instanceof AppError &&
      error.details.map(({ path }) => path).join() === "population,coefficientOfVariation,precision",
  );
});

test("counts standard adults: child 0.5, woman 0.8, man 1, elderly 0.8", () => {
  assert.equal(standardAdults({ children: 3, women: 1, men: 1, elderly: 1 }).toString(), "4.1");
  assert.equal(standardAdults({ children: 0, women: 0, men: 0, elderly: 0 }).toString(), "0");
});
