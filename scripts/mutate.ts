import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutants } from "../test/contracts/mutation/mutants.ts";
import { runCommand } from "./run-command.ts";

const help = `npm run test:mutation [-- --only <words of a name or file>]     npm run test:mutation -- --list
Break the contracts one by one, in a copy, and run the tests that must notice. Exit 1 when a mutant survives. Each takes
a compilation: the whole list is for the night.`;

/** What the contract tests need beside the packages. */
const needed = ["contracts", "test", "scripts", "deployments", "api", "indexer", "artifacts", "cache"];
const files = ["package.json", "hardhat.config.ts", "tsconfig.json"];

type Verdict = "killed" | "SURVIVED" | "DOES NOT COMPILE" | "NOTHING TO CHANGE";

/** Replace the text, which must be there once. */
export function mutate(source: string, { from, to }: Pick<Mutant, "from" | "to">): string | undefined {
  const parts = source.split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-mutants-"));
  for (const name of [...needed, ...files]) await cp(name, join(folder, name), { recursive: true });
  await symlink(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Hardhat takes the folder that it runs in, so that it needs a process there. */
const runTests = (folder: string, tests: string[]) =>
  runCommand("sh", ["-c", 'cd "$0" && exec node_modules/.bin/hardhat test mocha "$@"', folder, ...tests]);

async function tryMutant(folder: string, mutant: Mutant): Promise<Verdict> {
  const path = join(folder, "contracts", mutant.file);
  const original = await readFile(path, "utf8");
  const broken = mutate(original, mutant);
  if (broken === undefined) return "NOTHING TO CHANGE";
  await writeFile(path, broken);
  try {
    const { code, output } = await runTests(
      folder,
      mutant.tests.map((test) => join("test/contracts", test)),
    );
    if (/\d+ failing/.test(output)) return "killed";
    return code === 0 ? "SURVIVED" : "DOES NOT COMPILE";
  } finally {
    await writeFile(path, original);
  }
}

async function main(only: string): Promise<void> {
  const chosen = mutants.filter(({ name, file }) => `${file}: ${name}`.includes(only));
  if (chosen.length === 0) throw new Error(`No mutant is called "${only}".`);
  const folder = await copyProject();
  try {
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    const { code } = await runTests(
      folder,
      tests.map((test) => join("test/contracts", test)),
    );
    if (code !== 0) throw new Error("The tests fail without any mutant.");
    const verdicts: string[] = [];
    for (const mutant of chosen) verdicts.push(`${await tryMutant(folder, mutant)}: ${mutant.file}: ${mutant.name}`);
    console.log(`\n${verdicts.join("\n")}`);
    const bad = verdicts.filter((verdict) => !verdict.startsWith("killed"));
    console.log(`\n${verdicts.length - bad.length} of ${verdicts.length} mutants killed.`);
    process.exitCode = bad.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  process.chdir(dirname(import.meta.dirname));
  if (values.help) console.log(help);
  else if (values.list) for (const { file, name } of mutants) console.log(`${file}: ${name}`);
  else await main(values.only);
}
