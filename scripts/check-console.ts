// Checks the size of the script that a browser loads first, and of each page, against the budgets.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "./command-options.ts";
import { consoleFolder } from "./console/sources.ts";
import { runCommand } from "./run-command.ts";

const help = `node scripts/check-console.ts
Build the console, and compare the size of what a browser fetches with its limits.`;

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[]; isEntry?: boolean };
type Manifest = Record<string, Chunk>;

/** Script in kB (1 000 bytes), as browsers receive it (Brotli): of a first load with the texts of one language, and of each page on top. */
const budgets = { firstLoad: 200, page: 240 };

readOptions(help, {});
const { code, output } = await runCommand(process.execPath, ["scripts/build-console.ts"], { atOnce: true });
if (code !== 0) throw new Error(`The console does not build.\n${output}`);
const manifest = JSON.parse(readFileSync(join(consoleFolder, ".vite/manifest.json"), "utf8")) as Manifest;

/** Collect these chunks and all that they import. */
function withImports(keys: Iterable<string>, found = new Set<string>()): Set<string> {
  for (const key of keys) {
    if (found.has(key)) continue;
    found.add(key);
    withImports(manifest[key]?.imports ?? [], found);
  }
  return found;
}

function sizeOf(keys: Iterable<string>): number {
  return [...keys].reduce((sum, key) => {
    const compressed = join(consoleFolder, `${manifest[key]?.file}.br`);
    return sum + (existsSync(compressed) ? readFileSync(compressed).byteLength : 0);
  }, 0);
}

const entry = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
/** Both kinds of first load: the sign-in, and a return with a session. */
const beginnings = {
  "to sign in": withImports([...entry, "src/i18n/en.ts", "src/shell/sign-in-page.tsx"]),
  "with a session": withImports([
    ...entry,
    "src/i18n/en.ts",
    "src/shell/signed-in.tsx",
    "src/shell/home-page.tsx",
    "src/i18n/en/home.json",
  ]),
};
const first = beginnings["with a session"];
const kilobytes = (bytes: number) => Number((bytes / 1_000).toFixed(1));
const firstLoads = Object.entries(beginnings).map(([name, chunks]) => ({ name, size: kilobytes(sizeOf(chunks)) }));
const pages = Object.keys(manifest)
  .filter((key) => /^src\/.*-page\.tsx$/.test(key))
  .map((key) => ({ key, size: kilobytes(sizeOf([...withImports([key])].filter((each) => !first.has(each)))) }))
  .sort((a, b) => b.size - a.size);

for (const { name, size } of firstLoads) {
  console.log(`first load ${name}: ${size} kB of script (at most ${budgets.firstLoad})`);
}
for (const { key, size } of pages.slice(0, 5)) console.log(`  ${key}: ${size} kB on top`);
const tooLarge = pages.filter(({ size }) => size > budgets.page);
for (const { key, size } of tooLarge) console.error(`${key} has ${size} kB of script; the limit is ${budgets.page}.`);
process.exitCode = firstLoads.some(({ size }) => size > budgets.firstLoad) || tooLarge.length > 0 ? 1 : 0;
