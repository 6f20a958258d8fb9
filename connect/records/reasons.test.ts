import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { because, reasonCodes, withCode } from "./reasons.ts";

const values = {
  question: "Children (up to 14)",
  min: 0,
  max: 9,
  decimals: 3,
  name: "a.jpg",
  day: 2,
  lastDay: 3,
  fuel: "wood",
  campaignId: "KPT-1",
  position: 4,
  id: "did:ixo:household/1",
  householdId: "did:ixo:household/1",
  status: "closed",
  group: "reference",
};

it("finds the code and the values of each sentence", () => {
  for (const code of reasonCodes) {
    const { path, rule, message } = because(code, "a", values);
    assert.doesNotMatch(message, /[{}]|undefined/, code);
    const found = withCode({ rule, message, ...(path === undefined ? {} : { path }) });
    assert.equal(found.code, code);
    for (const [name, value] of Object.entries(found.values ?? {})) {
      assert.equal(value, String(values[name as keyof typeof values]), `${code} ${name}`);
    }
  }
});

it("leaves other sentences as they are", () => {
  for (const detail of [
    { rule: "range", message: "A new sentence." },
    { rule: "other", message: "No fuel was used between the visits." },
    { rule: "not-registered-before", message: `Household ${"x".repeat(2_000)} is registered already.` },
  ]) {
    assert.deepEqual(withCode(detail), detail);
  }
});

it("has a text of each code in every language of the console, with the same values", async () => {
  for (const language of ["en", "fr", "pt", "sw"]) {
    const file = new URL(`../../web/src/i18n/${language}/implementer.json`, import.meta.url);
    const { why } = (JSON.parse(await readFile(file, "utf8")) as { records: { why: Record<string, string> } }).records;
    assert.deepEqual(Object.keys(why).sort(), [...reasonCodes].sort(), language);
  }
});
