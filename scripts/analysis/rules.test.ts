import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { analyse, ruleNames } from "./rules.ts";
import { readProgram } from "./tree.ts";

const planted = join(import.meta.dirname, "planted", "Planted.sol");

describe("the analysis of contracts", () => {
  const expected = readFileSync(planted, "utf8")
    .split("\n")
    .flatMap((line, i) => {
      const rule = /\/\/ finding: (\S+)$/.exec(line)?.[1];
      return rule === undefined ? [] : [`${i + 1} ${rule}`];
    });

  it("reports each planted defect by its rule, and nothing else", () => {
    const found = analyse(readProgram([planted])).map(({ line, rule }) => `${line} ${rule}`);
    assert.deepEqual(found, expected);
  });

  it("has a planted defect for each rule", () => {
    assert.deepEqual(new Set(expected.map((text) => text.split(" ")[1])), new Set(ruleNames));
  });
});
