import { cp, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../run-command.ts";
import { instrument, switchSource } from "./instrument.ts";
import type { Site } from "./operators.ts";

/** Files that the contract tests need in addition to the packages. */
const needed = ["contracts", "test", "scripts", "deployments", "api", "indexer", "wire/src"];
const files = ["package.json", "hardhat.config.ts", "tsconfig.json"];

/** Copy the project to a temporary folder, without Solidity tests where they are not needed. */
export async function copyProject({ solidityTests }: { solidityTests: boolean }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-mutants-"));
  const filter = (path: string) => solidityTests || !path.startsWith("test") || !path.endsWith(".sol");
  for (const name of [...needed, ...files]) await cp(name, join(folder, name), { recursive: true, filter });
  await symlink(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Hardhat uses its current folder, so it needs a separate process there. */
export const inFolder = (folder: string, command: string, ...args: string[]) =>
  runCommand("sh", ["-c", 'cd "$0" && exec "$@"', folder, command, ...args], {
    quiet: true,
    // Leaves out tests that measure the real code.
    env: { HEARTH_COVERAGE: "1" },
  });

/** Insert all changes into a copy's contracts, each under its number in the list, and compile them. */
export async function buildSwitched(folder: string, sites: readonly Site[]): Promise<void> {
  const numbered = sites.map((site, i) => ({ ...site, id: i + 1 }));
  await writeFile(join(folder, "contracts/shared/Mutants.sol"), switchSource);
  for (const [file, changes] of Map.groupBy(numbered, (site) => site.file)) {
    const path = join(folder, file);
    await writeFile(path, instrument(await readFile(path, "utf8"), changes));
  }
  // Contracts with all these branches exceed a chain's size limit, and take long to compile through Yul. With a lower gas
  // limit, endless loops end sooner.
  const config = join(folder, "hardhat.config.ts");
  const text = await readFile(config, "utf8");
  const more = text
    .replace('hardfork: "prague",', 'hardfork: "prague", allowUnlimitedContractSize: true,')
    .replaceAll("compiler(true", "compiler(false")
    .replace("blockGasLimit: 500_000_000n", "blockGasLimit: 40_000_000n");
  await writeFile(config, more);
  const { code, output } = await inFolder(folder, "node_modules/.bin/hardhat", "build", "--no-tests", "--quiet");
  if (code !== 0) throw new Error(`The changed contracts do not compile:\n${output.slice(-4_000)}`);
}
