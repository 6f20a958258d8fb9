import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { mutants, properties } from "../test/contracts/mutation/mutants.ts";
import { allWays } from "./mutate.ts";
import { mutate } from "./mutation/hand-written.ts";
import { instrument } from "./mutation/instrument.ts";
import { hashOfCode, type Site } from "./mutation/operators.ts";
import { arguedKeys, countOf, type Outcomes, outcomeOf, percentOf, readOutcomes } from "./mutation/score.ts";
import { productionFiles } from "./solc.ts";

const root = join(import.meta.dirname, "..");
const { ways } = allWays();

describe("the contracts' mutants", () => {
  it("each change a place that is there once, by a unique name", async () => {
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

  it("are made for every contract with behaviour, each of them once, with tests that must notice", () => {
    const tried = new Set(ways.map(({ site }) => site.file));
    const lawless = [
      "contracts/shared/RedemptionRules.sol",
      "contracts/shared/Roles.sol",
      "contracts/vouchers/Vouchers.sol",
    ];
    const idle = productionFiles().filter((file) => !tried.has(file) && !/\/I[A-Z]\w*\.sol$/.test(file));
    assert.deepEqual(idle, lawless);
    assert.equal(new Set(ways.map(({ site }) => site.key)).size, ways.length);
    assert.deepEqual(
      ways.filter(({ tests }) => tests.length === 0),
      [],
    );
  });

  it("are switched on one by one, one within another", () => {
    const source = "pragma solidity ^0.8.37;\na(b);";
    const changes = [
      { id: 1, start: 25, end: 29, wrap: (inner: string, on: string) => `(${on} ? x : ${inner})` },
      { id: 2, start: 27, end: 28, wrap: (inner: string, on: string) => `(${on} ? y : ${inner})` },
    ];
    const text = instrument(source, changes);
    assert.match(text, /^pragma .*\n\nimport \{Mutants\} from "..\/shared\/Mutants.sol";\n/);
    assert.ok(text.endsWith("(Mutants.on(1) ? x : a((Mutants.on(2) ? y : b)));"), text);
  });

  it("are tried again when the function that they are in has changed, but not for its comments", () => {
    const site = ways[0]!.site;
    const outcomes: Outcomes = { [site.file]: { [site.key]: { verdict: "killed", code: site.code, by: "a.ts" } } };
    assert.equal(outcomeOf(outcomes, site)?.verdict, "killed");
    assert.equal(outcomeOf(outcomes, { ...site, code: hashOfCode("other();") }), undefined);
    assert.equal(hashOfCode("a(); // why\n  b();"), hashOfCode("a();\n/** why */ b();"));
    assert.deepEqual(countOf([site, { ...site, key: "new" }], outcomes), {
      mutants: 2,
      tried: 1,
      killed: 1,
      timedOut: 0,
    });
  });

  it("were tried on the present code, by the record, all but one in twenty, and some of each contract", async () => {
    const outcomes = await readOutcomes();
    const sites = ways.map(({ site }) => site);
    const { mutants: all, tried } = countOf(sites, outcomes);
    assert.ok(tried >= all * 0.95, `${tried} of ${all}: npm run test:mutation tries the others`);
    const untried = [...Map.groupBy(sites, ({ file }) => file)].filter(([, own]) => countOf(own, outcomes).tried === 0);
    assert.deepEqual(
      untried.map(([file]) => file),
      [],
    );
  });

  it("were killed, by the record, all but one in fifty, and survived only with a written reason", async () => {
    const outcomes = await readOutcomes();
    const sites = ways.map(({ site }) => site);
    const score = countOf(sites, outcomes);
    assert.ok(percentOf(score) >= 98, `${score.killed} of ${score.tried}`);
    const verdictOf = (site: Site) => outcomeOf(outcomes, site)?.verdict;
    const survivors = sites.filter((site) => ["survived", "did not run"].includes(verdictOf(site) ?? ""));
    const argued = await arguedKeys();
    assert.deepEqual(
      survivors.filter(({ key }) => !argued.has(key)).map(({ key }) => key),
      [],
    );
    // Nothing is argued that was killed since, or is there no more.
    const keys = new Set(sites.filter((site) => verdictOf(site) === "killed").map(({ key }) => key));
    assert.deepEqual(
      [...argued].filter((key) => keys.has(key) || !sites.some((site) => site.key === key)),
      [],
    );
  });

  it("leave a text alone that is absent or ambiguous", () => {
    assert.equal(mutate("a b a", { from: "a", to: "" }), undefined);
    assert.equal(mutate("a b a", { from: "c", to: "" }), undefined);
    assert.equal(mutate("a b a", { from: "b ", to: "" }), "a a");
  });
});
