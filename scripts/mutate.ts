import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Mutant, mutants, properties } from "../test/contracts/mutation/mutants.ts";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";

const help = `npm run test:mutation [-- --only <words of a name or file>] [-- --fuzz]     npm run test:mutation -- --list
Break the contracts one by one, in a copy, and run the tests that must notice, until one does. Exit 1 when a mutant
survives. Each takes a compilation and the deployments of its tests: the whole list some ten minutes. --fuzz asks the
stateful suite instead, of those that it must notice, and for the number of the property that is broken.`;

const stateful = "test/contracts/invariants/Invariants.t.sol";

/** What the contract tests need beside the packages. */
const needed = ["contracts", "test", "scripts", "deployments", "api", "indexer", "artifacts", "cache"];
const files = ["package.json", "hardhat.config.ts", "tsconfig.json"];

type Verdict = "killed" | "SURVIVED" | "DOES NOT COMPILE" | "DOES NOT RUN" | "NOTHING TO CHANGE";
/** `by`: the test that noticed, or what went wrong. */
type Outcome = { verdict: Verdict; by: string; seconds: number };

/** Replace the text, which must be there once. */
export function mutate(source: string, { from, to }: Pick<Mutant, "from" | "to">): string | undefined {
  const parts = source.split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

/** Without fuzzing the Solidity tests stay behind: a mutant must not wait for their compilation. */
async function copyProject(fuzz: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-mutants-"));
  const filter = (path: string) => fuzz || !path.startsWith("test") || !path.endsWith(".sol");
  for (const name of [...needed, ...files]) await cp(name, join(folder, name), { recursive: true, filter });
  await symlink(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Hardhat takes the folder that it runs in, so that it needs a process there. */
const hardhat = (folder: string, ...args: string[]) =>
  runCommand("sh", ["-c", 'cd "$0" && exec node_modules/.bin/hardhat "$@"', folder, ...args], { quiet: true });

const compile = (folder: string) => hardhat(folder, "build", "--no-tests", "--quiet");
const runTests = (folder: string, tests: string[]) =>
  hardhat(folder, "test", "mocha", "--no-compile", "--bail", ...tests.map((test) => join("test/contracts", test)));

/** The title of the first test that failed, from Mocha's closing list. */
export function firstFailure(output: string): string | undefined {
  const lines = output
    .slice(output.search(/\d+ failing/))
    .split("\n")
    .slice(1);
  const begin = lines.findIndex((line) => /^\s*1\) /.test(line));
  const end = lines.findIndex((line, i) => i > begin && line.trimEnd().endsWith(":"));
  if (begin < 0 || end < 0) return undefined;
  const titles = lines.slice(begin, end + 1).map((line) => line.trim());
  return titles.join(" › ").replace(/^1\) /, "").replace(/:$/, "");
}

/** A hook that fails is no test that noticed: a machine that is busy makes it, too. */
const isHook = (by: string) => by.includes('" hook for "');

async function judge(folder: string, tests: string[]): Promise<Omit<Outcome, "seconds">> {
  if ((await compile(folder)).code !== 0) return { verdict: "DOES NOT COMPILE", by: "" };
  let { code, output } = await runTests(folder, tests);
  if (isHook(firstFailure(output) ?? "")) ({ code, output } = await runTests(folder, tests));
  const by = firstFailure(output);
  if (by !== undefined) return { verdict: isHook(by) ? "DOES NOT RUN" : "killed", by };
  return { verdict: code === 0 ? "SURVIVED" : "DOES NOT RUN", by: code === 0 ? "" : output.slice(-2_000) };
}

/** The property that the stateful suite found broken: it must be one of those that are expected. */
async function judgeByFuzz(folder: string, expected: readonly string[]): Promise<Omit<Outcome, "seconds">> {
  const { code, output } = await hardhat(folder, "test", "solidity", stateful);
  const [by, number] = /Error: (([A-Z]\d+): .*)/.exec(output)?.slice(1) ?? [];
  if (by !== undefined) return { verdict: expected.includes(number ?? "") ? "killed" : "SURVIVED", by };
  return { verdict: code === 0 ? "SURVIVED" : "DOES NOT RUN", by: code === 0 ? "" : output.slice(-2_000) };
}

const judgeMutant = (folder: string, { name, tests }: Mutant, fuzz: boolean) =>
  fuzz ? judgeByFuzz(folder, properties[name] ?? []) : judge(folder, tests);

async function tryMutant(folder: string, mutant: Mutant, fuzz: boolean): Promise<Outcome> {
  const path = join(folder, "contracts", mutant.file);
  const original = await readFile(path, "utf8");
  const broken = mutate(original, mutant);
  if (broken === undefined) return { verdict: "NOTHING TO CHANGE", by: "", seconds: 0 };
  const begin = performance.now();
  await writeFile(path, broken);
  try {
    return { ...(await judgeMutant(folder, mutant, fuzz)), seconds: (performance.now() - begin) / 1000 };
  } finally {
    await writeFile(path, original);
  }
}

const row = ({ file, name }: Mutant, { verdict, by, seconds }: Outcome) =>
  `| ${verdict} | ${file} | ${name} | ${by.replaceAll("|", "\\|")} | ${seconds.toFixed(0)} s |`;

async function main(only: string, fuzz: boolean): Promise<void> {
  const isChosen = ({ name, file }: Mutant) => `${file}: ${name}`.includes(only) && (!fuzz || name in properties);
  const chosen = mutants.filter(isChosen);
  if (chosen.length === 0) throw new Error(`No mutant is called "${only}".`);
  const folder = await copyProject(fuzz);
  try {
    const all = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    const { verdict, by } = fuzz ? await judgeByFuzz(folder, []) : await judge(folder, all);
    if (verdict !== "SURVIVED" || by !== "") throw new Error(`The tests fail without any mutant: ${verdict} ${by}`);
    console.log("| verdict | contract | what is broken | first test that notices | time |\n|---|---|---|---|---|");
    let killed = 0;
    for (const mutant of chosen) {
      const outcome = await tryMutant(folder, mutant, fuzz);
      console.log(row(mutant, outcome));
      if (outcome.verdict === "killed") killed++;
    }
    console.log(`\n${killed} of ${chosen.length} mutants killed.`);
    process.exitCode = killed === chosen.length ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { only, fuzz, list } = readOptions(help, {
    only: { type: "string", default: "" },
    fuzz: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  });
  process.chdir(dirname(import.meta.dirname));
  if (list) for (const { file, name } of mutants) console.log(`${file}: ${name}`);
  else await main(only, fuzz);
}
