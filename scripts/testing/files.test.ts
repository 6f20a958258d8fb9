import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runTogether, sumUp } from "./files.ts";

let folder: string;
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hearth-planted-")));
});
after(() => rm(folder, { recursive: true, force: true }));

const limits = { testMs: 30_000, fileMs: 60_000, quietMs: 500 };

/** Run planted files of tests in one process: what is counted, and what is said of each failure. */
async function runAllPlanted(bodies: string[], changed: Partial<typeof limits> = {}) {
  const files = bodies.map(() => join(folder, `${Math.random().toString(36).slice(2)}.test.ts`));
  for (const [index, file] of files.entries()) {
    await writeFile(file, `import { after, before, describe, it, test } from "node:test";\n${bodies[index]}\n`);
  }
  const part = await runTogether(files, { ...limits, ...changed, folder, quiet: true });
  const { passed, failed, skipped, failures, skips, times } = sumUp(files, [part]);
  const said = failures.map((each) => `${each.test}: ${each.message}`);
  return { counts: { passed, failed, skipped }, said, skips, times };
}

const runPlanted = (body: string, changed: Partial<typeof limits> = {}) => runAllPlanted([body], changed);

const suiteOfTwo = (hook: string) =>
  `describe("a suite", () => {\n${hook}\nit("one", () => {});\nit("two", () => {});\n});`;

test("counts what passed", async () => {
  const { counts, said } = await runPlanted(`${suiteOfTwo("")}\ntest("three", () => {});`);
  assert.deepEqual([counts, said], [{ passed: 3, failed: 0, skipped: 0 }, []]);
});

test("fails a suite whose before throws, and each test in it, with the reason", async () => {
  const { counts, said } = await runPlanted(suiteOfTwo('before(() => { throw new Error("no database"); });'));
  assert.deepEqual(counts, { passed: 0, failed: 3, skipped: 0 });
  assert.ok(said.includes("a suite: no database"), said.join("\n"));
});

test("fails a suite whose before rejects with nothing", async () => {
  const { counts } = await runPlanted(suiteOfTwo("before(() => Promise.reject());"));
  assert.deepEqual(counts, { passed: 0, failed: 3, skipped: 0 });
});

test("fails a file whose exit code is overwritten after a before has failed", async () => {
  const exits = 'process.on("beforeExit", () => process.exit(0));\n';
  const { counts } = await runPlanted(exits + suiteOfTwo('before(() => { throw new Error("no database"); });'));
  assert.equal(counts.passed, 0);
  assert.ok(counts.failed >= 3, JSON.stringify(counts));
});

test("fails a suite whose after throws, though its tests passed", async () => {
  const { counts, said } = await runPlanted(suiteOfTwo('after(() => { throw new Error("not removed"); });'));
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 });
  assert.deepEqual(said, ["a suite: not removed"]);
});

test("fails a before that never ends, by its suite's name", async () => {
  const { counts, said } = await runPlanted(suiteOfTwo("before(() => new Promise(() => {}));"), { testMs: 500 });
  assert.deepEqual(counts, { passed: 0, failed: 3, skipped: 0 });
  assert.ok(
    said.some((each) => /^a suite: .*before hook/.test(each)),
    said.join("\n"),
  );
});

test("stops a process that continues after its last test, and says what keeps it", async () => {
  const server = 'import { createServer } from "node:http";\n';
  const { counts, said } = await runPlanted(`${server}before(() => { createServer().listen(0); });\n${suiteOfTwo("")}`);
  assert.equal(counts.passed, 2);
  assert.deepEqual(said.length, 1);
  assert.match(String(said), /Its tests have ended, but its process continues with: .*TCPServerWrap/);
});

test("stops a file that never yields, and says in which test", async () => {
  const loop = `test("first", () => {});\ntest("a loop", async () => {\nawait new Promise(setImmediate);\nfor (;;);\n});`;
  const { counts, said } = await runPlanted(loop, { fileMs: 3_000 });
  assert.deepEqual(counts, { passed: 1, failed: 2, skipped: 0 });
  assert.match(said.join("\n"), /It was stopped after 3 s, while this ran: "a loop" \(line 3\)/);
});

test("stops a file that waits while it is loaded", async () => {
  const { said } = await runPlanted(
    'setInterval(() => {}, 1000);\nawait new Promise(() => {});\ntest("one", () => {});',
    {
      fileMs: 2_000,
    },
  );
  assert.match(said.join("\n"), /nothing had begun: its modules were loading/);
});

test("fails a file that exits in the middle with code 0, and names every test that did not run", async () => {
  const { counts, said } = await runPlanted(
    'test("one", () => {});\ntest("leaves", () => new Promise(() => setTimeout(process.exit, 50, 0)));\ntest("three", () => {});',
  );
  assert.equal(counts.passed, 1);
  assert.match(said.join("\n"), /the file: Its process ended with code 0 while this ran: "leaves" \(line 3\)/);
  assert.match(said.join("\n"), /three: Line 4 declares it, and it did not run to its end\./);
});

test("fails the test that an error belongs to, though it is thrown later or nobody awaits it", async () => {
  const pause = "await new Promise((go) => setTimeout(go, 200));";
  const thrown = (name: string, body: string) => `it("${name}", async () => {\n${body}\n${pause}\n});`;
  const { counts, said } = await runPlanted(`describe("a suite", () => {
${thrown("a timer", 'setTimeout(() => { throw new Error("by a timer"); }, 20);')}
${thrown("a promise", 'void (async () => { await 1; throw new Error("by a promise"); })();')}
${thrown("nothing", "")}
});`);
  assert.deepEqual(counts, { passed: 1, failed: 2, skipped: 0 });
  assert.deepEqual(said, ["a timer: by a timer", "a promise: by a promise"]);
});

test("fails a file whose test throws after its end", async () => {
  const late = `it("late", () => {\nsetTimeout(() => { throw new Error("too late"); }, 20);\n});`;
  const next = `it("next", () => new Promise((go) => setTimeout(go, 200)));`;
  const { counts, said } = await runPlanted(`describe("a suite", () => {\n${late}\n${next}\n});`);
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 });
  assert.match(String(said), /the file: Its process ended with code 1\./);
});

test("keeps a test in the suite that declares it after a pause", async () => {
  const paused = `describe("inner", async () => {\nawait new Promise((go) => setTimeout(go, 20));\n
after(() => { throw new Error("not closed"); });\nit("one", () => {});\n});`;
  const { counts, said } = await runPlanted(`describe("outer", () => {\n${paused}\nit("two", () => {});\n});`);
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 });
  assert.deepEqual(said, ["inner: not closed"]);
});

test("follows no promise by async hooks, which would take a tenth of the processor time", async () => {
  const hooks = 'import { executionAsyncId } from "node:async_hooks";\nimport assert from "node:assert/strict";\n';
  const { said } = await runPlanted(`${hooks}it("one", async () => {
const ids = new Set();
for (let i = 0; i < 3; i++) ids.add(await Promise.resolve().then(() => executionAsyncId()));
assert.equal(ids.size, 1);
});`);
  assert.deepEqual(said, []);
});

test("fails a file that cannot be loaded, with what it said", async () => {
  const { counts, said } = await runPlanted('import "./is-not-there.ts";\ntest("one", () => {});');
  assert.equal(counts.failed, 2);
  assert.match(said.join("\n"), /is-not-there/);
});

test("fails a file without a test, and a suite without one", async () => {
  assert.match(String((await runPlanted("")).said), /It ended before it had run a test\./);
  const { said } = await runPlanted(
    'describe("empty", () => {\nfor (const each of []) it("does " + each, () => {});\n});',
  );
  assert.match(said.join("\n"), /empty: This suite holds no test\./);
  assert.match(said.join("\n"), /Line 3 declares it, and it did not run to its end\./);
});

test("fails a test that a condition kept from being declared", async () => {
  const { counts, said } = await runPlanted('test("one", () => {});\nif (process.env.NO_SUCH) test("two", () => {});');
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  assert.deepEqual(said, ["two: Line 3 declares it, and it did not run to its end."]);
});

test("says why tests are skipped, and asks for nothing inside", async () => {
  const { counts, said, skips } = await runPlanted(
    'describe("pages", { skip: "no browser" }, () => {\nit("one", () => {});\n});\ntest("two", () => {});',
  );
  assert.deepEqual([counts, said, skips], [{ passed: 1, failed: 0, skipped: 1 }, [], ["no browser"]]);
});

test("runs files that share a process as if each had a separate one", async () => {
  const tells = (name: string) =>
    `const told = globalThis.told ??= [];
before(() => { told.push("begin ${name}"); });
after(() => { told.push("end ${name}"); console.log(told.join()); });
${suiteOfTwo("")}`;
  const { counts, said, times } = await runAllPlanted([tells("a"), tells("b")]);
  assert.deepEqual([counts, said], [{ passed: 4, failed: 0, skipped: 0 }, []]);
  assert.equal(times.length, 2);
});

test("continues with the next file after one whose hooks throw, or that cannot be loaded", async () => {
  const { counts, said, times } = await runAllPlanted([
    `before(() => { throw new Error("no chain"); });\n${suiteOfTwo("")}`,
    `after(() => { throw new Error("not closed"); });\n${suiteOfTwo("")}`,
    'import "./is-not-there.ts";',
    suiteOfTwo(""),
  ]);
  assert.equal(counts.passed, 4);
  assert.ok(said.includes("the file: no chain"), said.join("\n"));
  assert.ok(said.includes("the file: not closed"), said.join("\n"));
  assert.ok(
    said.some((each) => /^the file: .*is-not-there/.test(each)),
    said.join("\n"),
  );
  assert.deepEqual(
    times.map(({ passed }) => passed),
    [false, false, false, true],
  );
});

test("names the file of several at which their process ended, and every test that did not run", async () => {
  const { counts, said } = await runAllPlanted([
    suiteOfTwo(""),
    'test("leaves", () => new Promise(() => setTimeout(process.exit, 50, 0)));',
    'test("never", () => {});',
  ]);
  assert.equal(counts.passed, 2);
  assert.match(said.join("\n"), /the file: Its process ended with code 0 while this ran: .*"leaves" \(line 2\)/);
  assert.match(said.join("\n"), /never: Line 2 declares it, and it did not run to its end\./);
});
