// npm run sbom: the software bill of materials of what runs in production.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { exitOnUsage } from "./command-options.ts";
import { runCommand } from "./run-command.ts";
import { refusedLicences } from "./sbom/licences.ts";

/** Write a CycloneDX document of the installed packages, without those for development. The same packages give the same document. */
async function writeBom(file: string): Promise<void> {
  // npm reports that ponder's abitype accepts only an older zod, which ponder does not use.
  const options = ["--ignore-npm-errors", "--omit", "dev", "--output-reproducible", "--output-file", file];
  const { code, output } = await runCommand("cyclonedx-npm", options, { quiet: true });
  if (code !== 0) throw new Error(`The bill of materials could not be written:\n${output}`);
}

async function checkLicences(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-sbom-"));
  try {
    const file = join(folder, "bom.json");
    await writeBom(file);
    const refused = refusedLicences(JSON.parse(await readFile(file, "utf8")));
    for (const line of refused) console.error(line);
    if (refused.length > 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await new Command("npm run sbom --")
  .description("Write the software bill of materials (CycloneDX, JSON) of the packages that run in production.")
  .argument("[file]", "file to write", "hearth.cdx.json")
  .option("--check", "write no file, and fail when a package's licence is not accepted (scripts/sbom/licences.ts)")
  .exitOverride(exitOnUsage)
  .action(async (file: string, { check }: { check?: boolean }) => {
    if (check) return await checkLicences();
    await writeBom(file);
    console.log(`Written: ${file}`);
  })
  .parseAsync();
