import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decimal, decimalText, displayText, jsonExact, jsonRounded } from "./decimal.ts";

test("multiplies beyond the library's own 20 digits without rounding", () => {
  const product = decimal("123456789.123456789").times("987654321.987654321").times("0.0156");
  assert.equal(decimalText(product), "1902149049161408.2890163694381571101964");
});

test("writes every digit as a JSON number, never an exponent", () => {
  const values = {
    small: jsonExact(decimal("1e-18")),
    large: jsonExact(decimal("1e30")),
    none: jsonExact(decimal("-0")),
  };
  assert.equal(
    JSON.stringify(values),
    '{"small":0.000000000000000001,"large":1000000000000000000000000000000,"none":0}',
  );
});

test("keeps decimals of any reported size exact through sums and products, as whole numbers prove", () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(digits, digits, digits, (a, b, c) => {
      const scaled = (value: bigint) => decimal(value).div(decimal(10).pow(9));
      const exact = decimal(a * b * c).div(decimal(10).pow(27));
      assert.ok(scaled(a).times(scaled(b)).times(scaled(c)).eq(exact));
      assert.ok(
        scaled(a)
          .plus(scaled(b))
          .eq(decimal(a + b).div(decimal(10).pow(9))),
      );
    }),
  );
});

test("rounds for display alone, half to even, and leaves the value as it was", () => {
  const third = decimal(1).div(3);
  assert.equal(displayText(third, 4), "0.3333");
  assert.equal(displayText(decimal("0.125"), 2), "0.12");
  assert.equal(JSON.stringify([jsonRounded(third), jsonRounded(null)]), "[0.333333333333,null]");
  assert.equal(third.toFixed(60), `0.${"3".repeat(60)}`);
});

test("makes no decimal from text that is not a number, nor from a float, which has lost its digits", () => {
  for (const text of ["NaN", "Infinity", "-Infinity"]) assert.throws(() => decimal(text), TypeError);
  assert.throws(() => decimal(0.1), TypeError);
  assert.throws(() => decimal(2 ** 53), TypeError);
});
