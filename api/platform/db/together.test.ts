import assert from "node:assert/strict";
import { test } from "node:test";
import { together } from "./together.ts";

test("callers of one moment share a piece of work, each gets its own value, and nothing is remembered", async () => {
  const batches: number[][] = [];
  const double = together(async (items: readonly number[]) => {
    batches.push([...items]);
    return items.map((item) => (item < 0 ? new Error(`${item}`) : item * 2));
  });
  const found = await Promise.allSettled([double(1), double(-1), double(1), double(3)]);
  assert.deepEqual(
    found.map((each) => (each.status === "fulfilled" ? each.value : (each.reason as Error).message)),
    [2, "-1", 2, 6],
  );
  assert.equal(await double(1), 2);
  assert.deepEqual(batches, [[1, -1, 1, 3], [1]]);
});

test("when the common work fails, every caller gets the error", async () => {
  const fail = together(async () => Promise.reject(new Error("no database")));
  for (const each of await Promise.allSettled([fail(1), fail(2)])) assert.equal(each.status, "rejected");
});
