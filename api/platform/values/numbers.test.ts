import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LosslessNumber } from "lossless-json";
import { carbonAmount, formatScaled, integer, jsonAmount, maxMicro, parseScaled, serialNumber } from "./numbers.ts";

const micro = fc.bigInt({ min: 0n, max: maxMicro });

test("reads back every amount that it writes, digit for digit", () => {
  fc.assert(
    fc.property(micro, (amount) => {
      const text = JSON.stringify(jsonAmount(amount));
      assert.equal(carbonAmount.parse(new LosslessNumber(text)), amount);
    }),
  );
});

test("reads one value in all its spellings alike", () => {
  fc.assert(
    fc.property(micro, fc.integer({ min: -20, max: 20 }), fc.integer({ min: 0, max: 9 }), (amount, shift, zeros) => {
      // The same value with its point moved and the exponent set against it.
      const digits = amount.toString().padStart(8, "0");
      const point = digits.length - 6;
      const moved = `${digits.slice(0, 1)}.${digits.slice(1)}${"0".repeat(zeros)}e${point - 1}`.replace(
        /^0+(?=\d)/,
        "",
      );
      assert.equal(parseScaled(moved, 6), amount);
      const scaled = shift >= 0 ? `${amount}${"0".repeat(shift)}e${-6 - shift}` : `${amount}e-6`;
      assert.equal(parseScaled(scaled, 6), amount);
    }),
  );
});

test("adds 0.1 and 0.2 to 0.3", () => {
  const sum = (parseScaled("0.1", 6) ?? 0n) + (parseScaled("0.2", 6) ?? 0n);
  assert.equal(formatScaled(sum, 6), "0.3");
});

test("refuses more than six decimals, and exponents that would take too long to expand", () => {
  for (const text of ["0.0000001", "1e-7", "1.2345678", "1e999999999", "1e41"])
    assert.equal(parseScaled(text, 6), undefined, text);
  for (const text of ["0e999999999", "0.00000000", "-0"]) assert.equal(parseScaled(text, 6), 0n, text);
});

test("writes negatives and whole numbers plainly", () => {
  assert.deepEqual(
    [formatScaled(-1_500_000n, 6), formatScaled(3_000_000n, 6), formatScaled(0n, 6), formatScaled(12n, 0)],
    ["-1.5", "3", "0", "12"],
  );
});

test("accepts integers only as JSON numbers, and serials as text as well", () => {
  assert.equal(integer(1, 10).parse(new LosslessNumber("1e1")), 10);
  assert.equal(integer(1, 10).safeParse("5").success, false);
  assert.equal(integer(1, 10).safeParse(new LosslessNumber("11")).success, false);
  assert.equal(serialNumber.parse("9223372036854775808"), 2n ** 63n);
  assert.equal(serialNumber.parse(new LosslessNumber("9223372036854775807")), 2n ** 63n - 1n);
  for (const wrong of ["", "-1", "1.0", "9223372036854775809", " 1"])
    assert.equal(serialNumber.safeParse(wrong).success, false, wrong);
});
