import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { mutants, properties } from "../test/contracts/mutation/mutants.ts";
import { firstFailure, mutate } from "./mutate.ts";

const root = join(import.meta.dirname, "..");

describe("the contracts' mutants", () => {
  it("each change a place that is there once, by a name of their own", async () => {
    const lost: string[] = [];
    for (const mutant of mutants) {
      const source = await readFile(join(root, "contracts", mutant.file), "utf8");
      if (mutate(source, mutant) === undefined) lost.push(`${mutant.file}: ${mutant.name}`);
    }
    assert.deepEqual(lost, []);
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
    assert.ok(mutants.length >= 25);
  });

  it("have the names by which properties are expected of them", () => {
    const names = new Set(mutants.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(properties).filter((name) => !names.has(name)),
      [],
    );
  });

  it("name tests that are there", async () => {
    for (const test of new Set(mutants.flatMap(({ tests }) => tests)))
      assert.ok((await stat(join(root, "test/contracts", test))).isFile(), test);
  });

  it("are told with the first test that noticed", () => {
    const output =
      "  1 passing\n  2 failing\n\n  1) Pool\n       caps\n         hold:\n     Error: x\n\n  2) Other\n   y:\n";
    assert.equal(firstFailure(output), "Pool › caps › hold");
    assert.equal(firstFailure("3 passing"), undefined);
  });

  it("leave a text alone that is absent or ambiguous", () => {
    assert.equal(mutate("a b a", { from: "a", to: "" }), undefined);
    assert.equal(mutate("a b a", { from: "c", to: "" }), undefined);
    assert.equal(mutate("a b a", { from: "b ", to: "" }), "a a");
  });
});
