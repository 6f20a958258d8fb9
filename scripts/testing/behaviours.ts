// Compares the tests that a commit's files declare with today's, by name: which behaviours are missing, and which are new.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../command-options.ts";
import { declaredTests } from "./declared.ts";

const help = `node scripts/testing/behaviours.ts [--since <commit>]
Say which tests, by name, a commit declares that the working tree does not, and the other way. Ends with 1 when any is gone.
--since: the commit where this branch left main when absent.`;

const patterns = [
  "{api,connect,deployments,indexer,scripts,sdk,test,web}/**/*.{test.ts,test.tsx,t.sol}",
  "test/contracts/**/*.ts",
];

/** How many tests of each name the files of a folder declare. */
function namesIn(root: string): Map<string, number> {
  const files = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**", "**/*.d.ts"] });
  const names = new Map<string, number>();
  for (const { name, isSuite } of files.flatMap((file) => declaredTests(join(root, file)))) {
    if (!isSuite) names.set(name, (names.get(name) ?? 0) + 1);
  }
  return names;
}

function namesAt(commit: string): Map<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-behaviours-"));
  try {
    const archive = execFileSync("git", ["archive", commit], { maxBuffer: 1024 ** 3 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return namesIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The names that one side declares more often than the other. */
const beyond = (more: ReadonlyMap<string, number>, fewer: ReadonlyMap<string, number>) =>
  [...more].filter(([name, count]) => count > (fewer.get(name) ?? 0)).map(([name]) => name);

const base = () => execFileSync("git", ["merge-base", "HEAD", "main"], { encoding: "utf8" }).trim();
const { since = base() } = readOptions(help, { since: { type: "string" } });
const [before, now] = [namesAt(since), namesIn(join(import.meta.dirname, "../.."))];
const [gone, added] = [beyond(before, now), beyond(now, before)];
for (const name of gone) console.log(`- ${name}`);
for (const name of added) console.log(`+ ${name}`);
const count = (names: ReadonlyMap<string, number>) => [...names.values()].reduce((sum, each) => sum + each, 0);
console.log(`${count(before)} tests before, ${count(now)} now; ${gone.length} names gone, ${added.length} new.`);
process.exitCode = gone.length > 0 ? 1 : 0;
