import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";

const script = join(import.meta.dirname, "../plain-language.ts");
const list = join(import.meta.dirname, "not-yet-covered.json");
const glossary = join(import.meta.dirname, "../../docs/glossary.md");

describe("node scripts/plain-language.ts", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-language-"));
    await mkdir(join(folder, "docs"));
    await cp(glossary, join(folder, "docs/glossary.md"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const check = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
    return { status, stderr };
  };

  it("passes the glossary, which names the words that it rules out", () => {
    assert.deepEqual(check(), { status: 0, stderr: "" });
  });

  it("fails with file, line and plain words for a document, a comment and a message", async () => {
    await writeFile(join(folder, "docs/pay.md"), "# Payment\n\nThe merchant is paid at once.\n");
    await writeFile(join(folder, "new.ts"), '// Made anew.\nthrow new Error("The coupon is spent");\n');
    assert.deepEqual(check(), {
      status: 1,
      stderr: [
        'docs/pay.md:3 "at once": write immediately, or together',
        'docs/pay.md:3 "merchant": write supplier',
        'new.ts:1 "anew": write again',
        'new.ts:2 "coupon": write voucher',
        "",
      ].join("\n"),
    });
  });

  it("leaves out comments where they are not covered yet, unless all are asked for, and never documents", async () => {
    await rm(join(folder, "new.ts"), { force: true });
    await rm(join(folder, "docs/pay.md"), { force: true });
    const { paths } = JSON.parse(await readFile(list, "utf8")) as { paths: string[] };
    const [path] = paths;
    assert.ok(path !== undefined, "Every file is checked: delete the list and this test.");
    const uncovered = path.endsWith(".ts") ? path : `${path}/uncovered.ts`;
    await mkdir(dirname(join(folder, uncovered)), { recursive: true });
    await writeFile(join(folder, uncovered), "// Made anew.\n");
    assert.deepEqual(check(), { status: 0, stderr: "" });
    assert.equal(check("--all").stderr, `${uncovered}:1 "anew": write again\n`);
    await writeFile(join(folder, dirname(uncovered), "a.md"), "Made anew.\n");
    assert.equal(check().status, 1);
  });
});
