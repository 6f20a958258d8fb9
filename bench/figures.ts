import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";

/** A measured figure with its reference. `ratio` is measured ÷ reference; `aim` is the wanted ratio. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  reference?: { name: string; value: number };
  ratio?: number;
  aim?: string;
  met?: boolean;
};

/** A figure with its ratio to a reference of the same run, and whether the ratio reaches `atLeast`. */
export function ratioFigure(
  name: string,
  value: number,
  unit: string,
  reference: { name: string; value: number },
  atLeast?: number,
): Figure {
  const ratio = value / reference.value;
  const figure: Figure = { name, value, unit, reference, ratio };
  return atLeast === undefined ? figure : { ...figure, aim: `≥ ${atLeast}×`, met: ratio >= atLeast };
}

/** The value at a share (0–1) of the sorted samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Print the figures as a table and save them as bench/results/<name>.json. */
export async function report(name: string, figures: readonly Figure[]): Promise<void> {
  for (const figure of figures) console.log(describe(figure));
  const folder = "bench/results";
  await mkdir(folder, { recursive: true });
  const run = {
    name,
    takenAt: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    commit: commit(),
  };
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ ...run, figures }, null, 2)}\n`);
}

function describe({ name, value, unit, reference, ratio, aim, met }: Figure): string {
  const number = value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  const beside =
    reference && ratio !== undefined
      ? `  = ${ratio.toFixed(2)}× ${reference.name} (${reference.value.toFixed(0)})`
      : "";
  const verdict = aim === undefined ? "" : `  aim ${aim}: ${met ? "met" : "MISSED"}`;
  return `${name.padEnd(52)} ${number.padStart(9)} ${unit}${beside}${verdict}`;
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}
