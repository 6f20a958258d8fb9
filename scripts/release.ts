// npm run release: everything of a release in one folder.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Command } from "commander";
import sdkConfig from "../sdk/tsdown.config.ts";
import wireConfig from "../wire/tsdown.config.ts";
import { exitOnUsage } from "./command-options.ts";
import { packPackage } from "./pack-package.ts";
import { releaseNotes } from "./release/notes.ts";
import { runCommand } from "./run-command.ts";

const packages = { wire: wireConfig, sdk: sdkConfig };

async function versionOf(file: string): Promise<string> {
  return (JSON.parse(await readFile(file, "utf8")) as { version: string }).version;
}

async function writeRelease(folder: string, repository: string): Promise<void> {
  const versions: Record<string, string> = { hearth: await versionOf("package.json") };
  for (const name of Object.keys(packages)) versions[name] = await versionOf(`${name}/package.json`);
  const notes = releaseNotes(versions, await readFile("CHANGELOG.md", "utf8"));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "NOTES.md"), notes);
  const { code } = await runCommand(process.execPath, ["scripts/sbom.ts", join(folder, "hearth.cdx.json")]);
  if (code !== 0) throw new Error("The bill of materials could not be written.");
  for (const [name, config] of Object.entries(packages)) {
    const packed = await packPackage(name, config, repository);
    const tarball = join(folder, basename(packed.tarball));
    await copyFile(packed.tarball, tarball);
    await packed.close();
    console.log(`npm publish --provenance ${tarball}`);
  }
}

/** npm compares this URL with the repository in which the CI runs. */
function repositoryOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Error(`${text} is not the https URL of a repository.`);
  return `git+${text.replace(/(\.git)?\/?$/, ".git")}`;
}

await new Command("npm run release --")
  .description(
    "Write a release into a folder: the packages of the SDK and of the HTTP API's client, the bill of materials, and the version's notes.",
  )
  .argument(
    "<repository>",
    "https URL of the repository whose CI publishes the packages, without which npm adds no provenance",
  )
  .argument("[folder]", "folder of the release", "release")
  .addHelpText("after", "\nPrints the commands that publish the packages; run them in the repository's CI.")
  .exitOverride(exitOnUsage)
  .action(async (repository: string, folder: string) => {
    try {
      await writeRelease(folder, repositoryOf(repository));
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  })
  .parseAsync();
