import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mutants, properties } from "../../test/contracts/mutation/mutants.ts";
import { mutate } from "./hand-written.ts";
import { copyProject, inFolder } from "./project.ts";

const stateful = "test/contracts/invariants/Invariants.t.sol";

/** The property that the stateful suite found broken; it must be an expected one. */
async function judgeByFuzz(folder: string, expected: readonly string[]): Promise<string> {
  const { code, output } = await inFolder(folder, "node_modules/.bin/hardhat", "test", "solidity", stateful);
  const [by, number] = /Error: (([A-Z]\d+): .*)/.exec(output)?.slice(1) ?? [];
  if (by !== undefined) return `${expected.includes(number ?? "") ? "killed" : "SURVIVED"} by ${by}`;
  return code === 0 ? "SURVIVED" : `DOES NOT RUN ${output.slice(-2_000)}`;
}

/** Run the stateful suite on each mutant that it must kill; exit with 1 if it does not, or by another property. */
export async function fuzz(only: string): Promise<void> {
  const chosen = mutants.filter(({ name, file }) => name in properties && `${file}: ${name}`.includes(only));
  if (chosen.length === 0) throw new Error(`No mutant that the stateful suite must notice is called "${only}".`);
  const folder = await copyProject({ solidityTests: true });
  try {
    const whole = await judgeByFuzz(folder, []);
    if (whole !== "SURVIVED") throw new Error(`The suite fails without any mutant: ${whole}`);
    for (const mutant of chosen) {
      const path = join(folder, "contracts", mutant.file);
      const original = await readFile(path, "utf8");
      await writeFile(path, mutate(original, mutant) ?? original);
      const verdict = await judgeByFuzz(folder, properties[mutant.name] ?? []);
      await writeFile(path, original);
      console.log(`${mutant.file}: ${mutant.name}: ${verdict}`);
      if (!verdict.startsWith("killed")) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
