import assert from "node:assert/strict";
import { test } from "node:test";
import { type KptVisit, peopleFedOf } from "../../../wire/src/kpt-visits.ts";

const nobody = { children: 0, women: 0, men: 0, elderly: 0, guests: 0 };

function visit(day: number, peopleFed: KptVisit["peopleFed"], used = 3_000n): KptVisit {
  const fuels = [{ fuel: "wood", start: 9_000n, added: 0n, end: 9_000n - used }] as const;
  return { day, at: `2024-02-0${day + 1}T17:00:00Z`, collector: "did:key:z6MkCollector", fuels, peopleFed };
}

test("adds up the people of the days that name some", () => {
  const visits = [
    visit(0, { women: 1, children: 2, guests: 1 }),
    visit(1, undefined),
    visit(2, {}),
    visit(3, nobody, 0n),
    { ...visit(4, { men: 9 }), fuels: [] },
  ];
  assert.deepEqual(peopleFedOf(visits), { ...nobody, days: 2, nobody: 1, women: 1, children: 2, guests: 1 });
});
