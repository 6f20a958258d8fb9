import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeTime } from "ulid";
import { isId, newId } from "../platform/new-id.ts";

test("makes ULIDs that differ, carry their moment and use every character", () => {
  const at = new Date("2026-01-02T03:04:05.678Z");
  const ids = Array.from({ length: 20_000 }, () => newId(at));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) && decodeTime(id) === at.getTime()));
  for (let place = 10; place < 26; place++) {
    assert.equal(new Set(ids.map((id) => id[place])).size, 32, `character ${place}`);
  }
});

test("knows what can be an id", () => {
  assert.ok(isId(newId(new Date())));
  for (const text of ["", "\0", "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAVX", "\ud800"])
    assert.ok(!isId(text));
});
