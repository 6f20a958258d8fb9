import assert from "node:assert/strict";
import { test } from "node:test";
import { decimal, decimalText } from "../decimal.ts";
import { parseExpression } from "./expression.ts";

const evaluate = (text: string, values: Record<string, string> = {}, lists: Record<string, string[]> = {}) =>
  decimalText(
    parseExpression(text).evaluate({
      value: (symbol) => decimal(values[symbol] ?? assert.fail(symbol)),
      list: (symbol) => (lists[symbol] ?? assert.fail(symbol)).map((each) => decimal(each)),
    }),
  );

test("evaluates a formula exactly, where a float would lose digits", () => {
  assert.equal(evaluate("0.1 + 0.2"), "0.3");
  assert.equal(
    evaluate("N * (1 - DAF)", { N: "123456789012345678901234567890", DAF: "0.1" }),
    "111111110111111111011111111101",
  );
  assert.equal(evaluate("-(a - b) / 4", { a: "3", b: "1" }), "-0.5");
});

test("evaluates min, max, sum and a condition", () => {
  assert.equal(evaluate("max(min(BAU * (1 - DAF), BAU), 0)", { BAU: "10", DAF: "1.5" }), "0");
  assert.equal(evaluate("sum(E) - 1", {}, { E: ["1.5", "2.5"] }), "3");
  assert.equal(evaluate("sum(E)", {}, { E: [] }), "0");
  for (const [life, share] of [
    ["4.9", "1"],
    ["5", "0.2"],
  ] as const) {
    assert.equal(evaluate("life < 5 ? 1 : 1 / 5", { life }), share);
  }
  assert.deepEqual(
    ["a <= b", "a >= b", "a > b"].map((condition) => evaluate(`${condition} ? 1 : 0`, { a: "1", b: "1" })),
    ["1", "1", "0"],
  );
});

test("names the symbols and lists of a formula", () => {
  const { symbols, lists } = parseExpression("sum(E_b) * k + min(P, P_CAP * HN) - k");
  assert.deepEqual([symbols, lists], [["k", "P", "P_CAP", "HN"], ["E_b"]]);
});

test("refuses everything that is not arithmetic", () => {
  for (const text of [
    "a = 1",
    "a; b",
    "a.b",
    "f(1)",
    "sum(1)",
    "min(1)",
    "'text'",
    "a ** 2",
    "!a",
    "a == b ? 1 : 0",
    "a +",
  ]) {
    assert.throws(() => parseExpression(text), SyntaxError, text);
  }
});

test("refuses to divide by 0", () => {
  assert.throws(() => evaluate("1 / a", { a: "0" }), RangeError);
});
