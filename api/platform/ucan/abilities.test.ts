import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { abilitiesOf, coversAbility } from "./abilities.ts";

const all = ["fs/list", "fs/read", "fs/write", "fs/delete"];
/** What each word gives: the whole lattice. */
const lattice: Record<string, string[]> = {
  "fs/list": ["fs/list"],
  "fs/read": ["fs/list", "fs/read"],
  "fs/write": ["fs/list", "fs/read", "fs/write"],
  "fs/delete": ["fs/list", "fs/read", "fs/delete"],
  "fs/*": all,
  "*": all,
  "fs/rename": [],
  "fsx/read": [],
  "store/*": [],
};

describe("abilities", () => {
  for (const [can, given] of Object.entries(lattice)) {
    it(`${can} gives ${given.join(", ") || "nothing"}`, () => {
      assert.deepEqual([...abilitiesOf(can)].sort(), [...given].sort());
      for (const each of all) assert.equal(coversAbility(can, each), given.includes(each), each);
    });
  }

  it("lets a wildcard cover what it names and nothing that begins alike", () => {
    assert.ok(coversAbility("*", "store/add"));
    assert.ok(coversAbility("*", "*"));
    assert.ok(coversAbility("fs/*", "fs/*"));
    assert.ok(coversAbility("fs/*", "fs/rename"));
    for (const wider of ["*", "fsx/read", "store/add"]) assert.ok(!coversAbility("fs/*", wider), wider);
    for (const one of all) for (const wider of ["*", "fs/*"]) assert.ok(!coversAbility(one, wider));
  });
});
