import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue, type Unit, unitsOf, unitsOfAll } from "./queue.ts";
import { filesOf, type Stage, stages } from "./stages.ts";

const stage = (name: string, more: Partial<Stage> = {}): Stage => ({ name, runner: "node", files: [], ...more });
const shortly = (files: readonly string[]) => Object.fromEntries(files.map((file) => [file, 5]));
const unit = (of: Stage, seconds: number): Unit => ({ stage: of, files: [`${of.name}.test.ts`], seconds });

test("runs every file once, in processes of a minute at most where files share one", () => {
  for (const each of stages) {
    const units = unitsOf(each, shortly(filesOf(each)));
    assert.deepEqual(units.flatMap(({ files }) => files).sort(), filesOf(each));
    for (const { files, seconds } of units.filter(() => each.runner === "node")) {
      assert.ok(files.length === 1 || seconds <= 60, files.join());
    }
  }
});

test("splits a run of many stages into fewer and longer processes, and a short run as before", () => {
  const all = stages.filter(({ isLong }) => !isLong);
  const durations = Object.fromEntries(all.flatMap((each) => filesOf(each)).map((file) => [file, 15]));
  const files = (units: Unit[]) => units.flatMap((each) => each.files).sort();
  const units = unitsOfAll(all, durations);
  const byMinute = all.flatMap((each) => unitsOf(each, durations));
  assert.deepEqual(files(units), files(byMinute));
  assert.ok(units.length < byMinute.length / 1.5, `${units.length} of ${byMinute.length}`);
  const shared = units.filter(
    ({ stage: { runner, groups }, files: own }) => runner === "node" && !groups && own.length > 1,
  );
  assert.equal(Math.max(...shared.map(({ seconds }) => seconds)), 180);
  const [oracle] = all.filter(({ name }) => name === "oracle");
  assert.ok(oracle !== undefined);
  assert.deepEqual(unitsOfAll([oracle], durations), unitsOf(oracle, durations));
});

test("runs the files of a group in one process, in the group's order, and no other there", () => {
  const groups = [["b.test.ts", "a*.test.ts"], ["gone.test.ts"]];
  const grouped = stage("browser", { together: true, groups });
  const units = unitsOf(grouped, { "a.test.ts": 100, "b.test.ts": 30 }, ["a.test.ts", "b.test.ts", "c.test.ts"]);
  assert.deepEqual(
    units.map(({ files, seconds }) => ({ files, seconds })),
    [
      { files: ["b.test.ts", "a.test.ts"], seconds: 130 },
      { files: ["c.test.ts"], seconds: 20 },
    ],
  );
});

test("gives a file that may not share a process a separate one", () => {
  const [files] = stages.filter(({ name }) => name === "files");
  assert.ok(files !== undefined);
  const { together: _none, ...apart } = files;
  assert.ok(unitsOf(apart, {}).every((each) => each.files.length === 1));
  assert.ok(unitsOf(files, shortly(filesOf(files))).length < filesOf(files).length / 5);
});

test("begins with Hardhat's stages one after the other, then the longest", async () => {
  const contracts = unit(stage("contracts", { runner: "mocha" }), 20);
  const fuzz = unit(stage("fuzz", { runner: "solidity" }), 10);
  const pages = unit(stage("browser"), 90);
  const [long, short] = [unit(stage("api"), 50), unit(stage("files"), 5)];
  const queue = new Queue([short, pages, long, fuzz, contracts]);
  const first = [await queue.take(), await queue.take(), await queue.take(), await queue.take()];
  assert.deepEqual(first, [contracts, pages, long, short]);
  const next = queue.take();
  queue.ended(short);
  queue.ended(contracts);
  assert.equal(await next, fuzz);
  assert.equal(await queue.take(), undefined);
});

test("lets few units render pages at a time, and others run next to them", async () => {
  const browser = stage("browser", { hasPages: true });
  const [one, two, three] = [unit(browser, 90), unit(browser, 80), unit(browser, 70)];
  const other = unit(stage("api"), 5);
  const queue = new Queue([one, two, three, other], undefined, 2);
  assert.deepEqual([await queue.take(), await queue.take(), await queue.take()], [one, two, other]);
  const last = queue.take();
  queue.ended(one);
  assert.equal(await last, three);
});

test("ends the lanes that wait when a run is interrupted", async () => {
  const contracts = unit(stage("contracts", { runner: "mocha" }), 20);
  const queue = new Queue([contracts, unit(stage("fuzz", { runner: "solidity" }), 90)]);
  await queue.take();
  const waits = queue.take();
  queue.drop();
  queue.ended(contracts);
  assert.equal(await waits, undefined);
});

test("lets what does not use the contracts run while they compile", async () => {
  const contracts = unit(stage("contracts", { runner: "mocha" }), 20);
  const [user, other] = [unit(stage("api"), 50), unit(stage("files"), 5)];
  const queue = new Queue([user, other, contracts], (each) => each !== other);
  assert.equal(await queue.take(), other);
  const [next, last] = [queue.take(), queue.take()];
  queue.ended(other);
  queue.compiled();
  assert.deepEqual([await next, await last], [contracts, user]);
});

test("ends the lanes that wait for contracts that do not compile", async () => {
  const queue = new Queue([unit(stage("api"), 50)], () => true);
  const waits = queue.take();
  queue.drop();
  assert.equal(await waits, undefined);
});
