import assert from "node:assert/strict";
import { test } from "node:test";
import { type KptVisit, peopleFedOf } from "../../../../../wire/src/kpt-visits.ts";
import { peopleFedFlags } from "./people-fed.ts";

const members = { children: 2, women: 1, men: 1, elderly: 0 };
const nobody = { children: 0, women: 0, men: 0, elderly: 0, guests: 0 };

function visit(day: number, peopleFed: KptVisit["peopleFed"], used = 3_000n): KptVisit {
  const fuels = [{ fuel: "wood", start: 9_000n, added: 0n, end: 9_000n - used }] as const;
  return { day, at: `2024-02-0${day + 1}T17:00:00Z`, collector: "did:key:z6MkCollector", fuels, peopleFed };
}

/** The flag of one household of four members, of whom visits of three days fed the same people. */
function isFlagged(peopleFed: KptVisit["peopleFed"], registered: typeof members | null = members): boolean {
  const fed = peopleFedOf([0, 1, 2].map((day) => visit(day, peopleFed)));
  const flags = peopleFedFlags({ reference: [], intervention: [{ position: 7, members: registered, fed }] });
  assert.deepEqual(
    flags.map(({ group, rule, positions }) => [group, rule, positions]),
    flags.length === 0 ? [] : [["intervention", "people-differ", [7]]],
  );
  return flags.length > 0;
}

test("flags households that fed many more or many fewer people than are registered", () => {
  assert.equal(isFlagged({ children: 2, women: 1, men: 1 }), false);
  assert.equal(isFlagged({ children: 4, women: 1, men: 1 }), false);
  assert.equal(isFlagged({ children: 4, women: 1, men: 2 }), true);
  assert.equal(isFlagged({ women: 1, men: 1 }), false);
  assert.equal(isFlagged({ women: 1 }), true);
  assert.equal(isFlagged({ women: 1, guests: 1 }), false);
});

test("flags more guests than members, and nobody fed while fuel was used", () => {
  assert.equal(isFlagged({ ...members, guests: 4 }), false);
  assert.equal(isFlagged({ ...members, guests: 5 }), true);
  assert.equal(isFlagged(nobody), true);
  assert.equal(isFlagged({}, null), true);
});

test("does not compare where nobody was asked or no member is registered", () => {
  assert.equal(isFlagged(undefined), false);
  assert.equal(isFlagged({ men: 20 }, null), false);
});
