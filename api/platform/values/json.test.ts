import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LosslessNumber, parse } from "lossless-json";
import { AppError } from "../errors.ts";
import { parseJsonBody } from "./json.ts";

const byLibrary = (text: string) =>
  parse(text, undefined, { parseNumber: (digits: string) => new LosslessNumber(digits) });

test("reads any JSON as the library does, and keeps each number's text", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4, stringUnit: "grapheme" }), (text) => {
      let found: unknown;
      try {
        found = parseJsonBody(Buffer.from(text));
      } catch (error) {
        // Text that no field may hold, and __proto__, are refused whatever the parser.
        assert.ok(error instanceof AppError);
        return;
      }
      assert.deepEqual(found, byLibrary(text));
    }),
  );
  const numbers = ["-0", "0.10", "1e400", "12345678901234567890.123456789012345678900", "1E-7"];
  const read = parseJsonBody(Buffer.from(`[${numbers.join()}]`)) as LosslessNumber[];
  assert.deepEqual(
    read.map(({ value }) => value),
    numbers,
  );
});

test("says what is wrong with malformed JSON", () => {
  for (const text of ["{", '{"a" 1}', "[1,]", "01", '"\\u00zz"', "\ufeff{}", "nul", "1 2", "NaN", ""]) {
    assert.throws(
      () => parseJsonBody(Buffer.from(text)),
      (error) => error instanceof AppError && error.details[0]?.rule === "json" && error.details[0].message.length > 9,
      text,
    );
  }
  assert.throws(
    () => parseJsonBody(Buffer.from('{"a": 1, "a": 1}')),
    (error) => error instanceof AppError && error.details[0]?.rule === "duplicate-key",
  );
});
