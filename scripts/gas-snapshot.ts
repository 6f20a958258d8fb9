import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { takeGasFigures } from "../bench/gas-figures.ts";
import type { GasFigures } from "../bench/gas-world.ts";
import { readOptions } from "./command-options.ts";

const help = `node scripts/gas-snapshot.ts [--check]
Write what each operation costs to test/contracts/gas-snapshot.json. --check writes nothing and fails when it differs.`;

/** Write what every operation costs to test/contracts/gas-snapshot.json; with --check compare, and exit with 1 on a difference. */
const PATH = "test/contracts/gas-snapshot.json";

/** List the differences of the figures; a name on only one side is a difference as well. */
function differences(before: GasFigures, now: GasFigures): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((name) => {
    const [was, is] = [before[name], now[name]];
    if (was === is) return [];
    const change = was === undefined || is === undefined ? "" : ` (${(((is - was) / was) * 100).toFixed(2)} %)`;
    return [`${name}: ${was ?? "absent"} → ${is ?? "absent"}${change}`];
  });
}

const values = readOptions(help, { check: { type: "boolean", default: false } });
process.chdir(dirname(import.meta.dirname));
const taken = await takeGasFigures();
const figures = Object.fromEntries(Object.entries(taken).map(([name, gas]) => [name, Math.round(gas)]));
if (values.check) {
  const changed = differences(JSON.parse(await readFile(PATH, "utf8")), figures);
  for (const line of changed) console.error(line);
  if (changed.length > 0) {
    console.error(`Gas differs from ${PATH}: if that is meant, run node scripts/gas-snapshot.ts and commit it.`);
    process.exitCode = 1;
  }
} else {
  await writeFile(PATH, `${JSON.stringify(figures, null, 2)}\n`);
}
