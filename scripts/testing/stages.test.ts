import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { matchesGlob, resolve } from "node:path";
import { test } from "node:test";
import { declaredTests, neverRan } from "./declared.ts";
import { filesOf, stages } from "./stages.ts";
import { namesIn } from "./whole.ts";

const everywhere = [
  "{api,bench,connect,contracts,deployments,docs,indexer,scripts,sdk,test,web}/**/*.{test.ts,test.tsx,test.mjs,t.sol}",
];

test("runs every file of tests in exactly one stage", () => {
  const files = globSync(everywhere, { exclude: ["**/node_modules/**", "**/dist/**"] });
  const ofStage = stages.map((stage) => ({ name: stage.name, files: new Set(filesOf(stage)) }));
  const stageOf = (file: string) => ofStage.filter((stage) => stage.files.has(file)).map(({ name }) => name);
  const astray = files.map((file) => [file, ...stageOf(file)]).filter(({ length }) => length !== 2);
  assert.ok(files.length > 300, `${files.length} files`);
  assert.deepEqual(astray, []);
});

test("names files of the stage in its groups, each once", () => {
  for (const { groups = [], ...stage } of stages) {
    const named = groups.flat().map((pattern) => filesOf(stage).filter((file) => matchesGlob(file, pattern)));
    assert.ok(named.every(({ length }) => length > 0));
    assert.equal(new Set(named.flat()).size, named.flat().length);
  }
});

test("finds every test that the contracts' files declare in what Hardhat prints", () => {
  const output = [
    "  Council",
    "    \u001b[32m✔\u001b[39m acts with a quorum, after the delay (113ms)",
    "    - waits (for now)",
    "    1) fails",
    "  test/contracts/shared/AllocationTree.t.sol:AllocationTreeTest",
    "    ✔ testNothingHasTheZeroRoot()",
    "    ✔ testFuzzReadsPackedLeaves(uint32,uint64,uint8) (runs: 256)",
    "    ✔ testFuzzBatchSurvivesPacking((uint32,(uint8[2],bytes32)),uint64) (runs: 256)",
  ].join("\n");
  const names = namesIn(output);
  assert.deepEqual(
    names.map(({ name }) => name),
    [
      "acts with a quorum, after the delay",
      "waits (for now)",
      "fails",
      "testNothingHasTheZeroRoot",
      "testFuzzReadsPackedLeaves",
      "testFuzzBatchSurvivesPacking",
    ],
  );
  const declared = declaredTests(resolve("test/contracts/shared/AllocationTree.t.sol"));
  const missing = neverRan(declared, names).map(({ name }) => name);
  assert.equal(missing.length, declared.length - 2);
  assert.ok(missing.includes("testFuzzDepthIsTheLogarithm"), missing.join());
});
