import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";

const help = `node scripts/sdk-reference.ts [--check]
Write sdk/docs/api from the docstrings of the SDK's exports; --check compares.`;

const committed = "sdk/docs/api";

async function pagesOf(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const pages = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return new Map(await Promise.all(pages));
}

async function main(isCheck: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-reference-"));
  try {
    const { code } = await runCommand("typedoc", ["--options", "sdk/typedoc.json", "--out", folder], { atOnce: true });
    if (code !== 0) throw new Error("Typedoc could not generate the reference of the SDK.");
    if (!isCheck) {
      await rm(committed, { recursive: true, force: true });
      await cp(folder, committed, { recursive: true });
      return;
    }
    const [made, kept] = [await pagesOf(folder), await pagesOf(committed)];
    const stale = [...new Set([...made.keys(), ...kept.keys()])].filter((name) => made.get(name) !== kept.get(name));
    if (stale.length === 0) return;
    console.error(`${stale.map((name) => `${committed}/${name}`).join(", ")}: run node scripts/sdk-reference.ts.`);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { check } = readOptions(help, { check: { type: "boolean", default: false } });
await main(check);
