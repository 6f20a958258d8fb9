import { dirname } from "node:path";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";

const LEAST_PERCENT = 98;

const help = `npm run coverage
Measure what the contract tests cover. Exit 1 when a contract falls below ${LEAST_PERCENT} % of lines or statements.`;

type Row = { file: string; lines: number; statements: number };

/** Rows of Hardhat's table: file, percent of lines, percent of statements. */
function readTable(output: string): Row[] {
  const rows = output.matchAll(/║\s*(contracts\/\S+\.sol)\s*│\s*([\d.]+)\s*│\s*([\d.]+)\s*│/g);
  return [...rows].map(([, file, lines, statements]) => ({
    file: file ?? "",
    lines: Number(lines),
    statements: Number(statements),
  }));
}

readOptions(help, {});
process.chdir(dirname(import.meta.dirname));
const { code, output } = await runCommand("hardhat", ["test", "mocha", "--coverage"], {
  env: { HEARTH_COVERAGE: "1" },
});
const rows = readTable(output).filter(({ file }) => !file.startsWith("contracts/mocks/"));
const low = rows.filter(({ lines, statements }) => Math.min(lines, statements) < LEAST_PERCENT);
for (const { file, lines, statements } of low) {
  console.error(
    `${file} is covered to ${lines} % of lines and ${statements} % of statements, less than ${LEAST_PERCENT}.`,
  );
}
// Without a table, nothing was measured.
if (code !== 0 || rows.length === 0 || low.length > 0) process.exitCode = 1;
else console.log(`${rows.length} contracts are covered to ${LEAST_PERCENT} % of lines and statements or more.`);
