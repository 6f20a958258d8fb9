import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCursor, encodeCursor, listQuery, toPage } from "./pagination.ts";

test("reads back the position that a cursor was made of", () => {
  assert.deepEqual(decodeCursor(encodeCursor([12, "did:x:ü"]), 2), [12, "did:x:ü"]);
  assert.equal(decodeCursor(undefined), undefined);
});

test("refuses a cursor that this list did not give", () => {
  const foreign = [
    "",
    "x",
    encodeCursor([1, 2]),
    encodeCursor(["\0"]),
    Buffer.from("[1.5]").toString("base64url"),
    Buffer.from("{}").toString("base64url"),
  ];
  for (const cursor of foreign) assert.throws(() => decodeCursor(cursor), { code: "INVALID_INPUT" }, cursor);
});

test("limits a page to 500 and takes 50 when nothing is said", () => {
  assert.equal(listQuery.parse({}).limit, 50);
  assert.equal(listQuery.parse({ limit: "500" }).limit, 500);
  for (const limit of ["0", "501", "-1", "1.5", "1e2", ""])
    assert.equal(listQuery.safeParse({ limit }).success, false, limit);
});

test("names a next page only when there is one", () => {
  assert.deepEqual(
    toPage([1, 2], 2, (n) => [n]),
    { items: [1, 2], nextCursor: null },
  );
  assert.deepEqual(
    toPage([1, 2, 3], 2, (n) => [n]),
    { items: [1, 2], nextCursor: encodeCursor([2]) },
  );
});
