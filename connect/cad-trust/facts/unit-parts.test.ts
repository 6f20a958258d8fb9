import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversion, Lot } from "./read-facts.ts";
import { partsOf } from "./unit-parts.ts";

const conversion: Conversion = { index: 1, publicId: "CONV-1", firstId: "101", lastId: "110", endedAt: "1" };
const kilograms = (amount: number) => `${amount * 1_000_000}`;
const lot = (certificateIndex: number, offset: number, amount: number): Lot => ({
  conversionIndex: 1,
  position: certificateIndex,
  certificateIndex,
  offset: kilograms(offset),
  amount: kilograms(amount),
});
const shown = (first: number, last: number, lots: Lot[]) =>
  partsOf({ firstId: String(first), lastId: String(last) }, conversion, lots).map((part) => [
    part.certificateIndex,
    Number(part.firstId),
    Number(part.lastId),
  ]);

test("a block of one certificate is one part", () => {
  assert.deepEqual(shown(101, 110, [lot(7, 0, 10_000)]), [[7, 101, 110]]);
});

test("a serial that two certificates share is in the part with which it begins, and in no other", () => {
  const lots = [lot(1, 0, 3_500), lot(2, 3_500, 200), lot(3, 3_700, 6_300)];
  // The second certificate gave only a part of serial 104, which begins with the first.
  assert.deepEqual(shown(101, 110, lots), [
    [1, 101, 104],
    [3, 105, 110],
  ]);
});

test("parts keep their first serials when a block is split, and together are the block", () => {
  const lots = [lot(1, 0, 4_000), lot(2, 4_000, 6_000)];
  assert.deepEqual(
    [...shown(101, 102, lots), ...shown(103, 106, lots), ...shown(107, 110, lots)],
    [
      [1, 101, 102],
      [1, 103, 104],
      [2, 105, 106],
      [2, 107, 110],
    ],
  );
});

test("neighbouring lots of one certificate are one part", () => {
  assert.deepEqual(shown(101, 110, [lot(1, 0, 4_000), lot(1, 4_000, 6_000)]), [[1, 101, 110]]);
});
