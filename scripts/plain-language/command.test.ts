import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

const script = join(import.meta.dirname, "../plain-language.ts");
const glossary = join(import.meta.dirname, "../../docs/glossary.md");

describe("node scripts/plain-language.ts", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-language-"));
    await mkdir(join(folder, "docs"));
    await cp(glossary, join(folder, "docs/glossary.md"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const check = () => {
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: "utf8" });
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
});
