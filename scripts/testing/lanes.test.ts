import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf } from "./lanes.ts";

test("runs as many processes at a time as were asked for", () => {
  assert.deepEqual([lanesOf("1"), lanesOf("3"), lanesOf("64")], [1, 3, 64]);
});

test("runs two to four processes at a time if nobody asks for a number", () => {
  assert.ok(lanesOf() >= 2 && lanesOf() <= 4, String(lanesOf()));
});

test("refuses a number of processes that is not a whole number from 1 to 64", () => {
  for (const wrong of ["0", "65", "2.5", "-1", "", "two", "1e1"])
    assert.throws(() => lanesOf(wrong), /--lanes: ".*" is not a whole number from 1 to 64\./);
});
