import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";

const help = `npm run check     npm run format
Check lint, format, types, plain language, the direction of dependencies, and that every generated file is fresh. format writes.`;

const prose = [
  "*.md",
  "docs/**/*.md",
  "sdk/*.md",
  "sdk/examples/**/*.md",
  "wire/*.md",
  "contracts/**/*.sol",
  "test/**/*.sol",
];

type Check = { name: string; run: () => Promise<boolean> };

const command = (name: string, program: string, ...args: string[]): Check => ({
  name,
  run: async () => (await runCommand(program, args, { atOnce: true })).code === 0,
});
const script = (name: string, file: string, ...args: string[]) => command(name, process.execPath, file, ...args);

const formatting = (write: boolean): Check[] => [
  command("biome", "biome", "check", "--error-on-warnings", ...(write ? ["--write"] : [])),
  command("prettier", "prettier", "--log-level=warn", write ? "--write" : "--check", ...prose),
];

/** It also compiles: the contract tests use types from the artifacts, and gas is measured on them. */
const compiled = script("deployments is fresh", "scripts/export-deployments.ts", "--check");

/** The longest first: two run at a time. */
const checks: Check[] = [
  command("types", "tsc", "-p", "."),
  command("types of the SDK", "tsc", "-p", "sdk"),
  command("types of the console", "tsc", "-p", "web"),
  command("types of the HTTP API's client", "tsc", "-p", "wire"),
  script("the SDK's package can be published", "scripts/sdk-package.ts"),
  script("the examples of SDK and client compile, and hooks are thin", "scripts/check-sdk.ts"),
  script("sdk/docs/api is fresh", "scripts/sdk-reference.ts", "--check"),
  command(
    "dependencies point one way",
    "depcruise",
    "--config",
    ".dependency-cruiser.cjs",
    "api",
    "connect",
    "indexer",
    "scripts",
    "deployments",
    "bench",
    "test",
    "sdk/src",
    "web/src",
    "wire/src",
  ),
  script("the language is plain", "scripts/plain-language.ts"),
  script("the gas snapshot is fresh", "scripts/gas-snapshot.ts", "--check"),
  script("the contracts' storage and selectors are as recorded", "scripts/contract-shapes.ts", "--check"),
  script("the contracts have no unreviewed findings", "scripts/analyse.ts"),
  command("solhint", "solhint", "--max-warnings=0", "contracts/**/*.sol"),
  ...formatting(false),
  { name: "api/migrations are fresh", run: migrationsAreFresh },
  script("the console is within its budget", "scripts/check-console.ts"),
  script("openapi.json is fresh", "scripts/export-openapi.ts", "--check"),
  script("wire/src/schema.ts is fresh", "scripts/wire-schema.ts", "--check"),
  script("wire/src/index-tables.ts is fresh", "scripts/index-tables.ts", "--check"),
  script("the packages' licences are accepted", "scripts/sbom.ts", "--check"),
  script("package-lock.json is complete", "scripts/complete-lock.ts", "--check"),
];
const atATime = 2;

/**
 * Generate migrations into a copy: drizzle-kit must find nothing to add. Its exit code does not show that, and it needs a
 * relative path.
 */
async function migrationsAreFresh(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-migrations-"));
  try {
    await cp("api/migrations", folder, { recursive: true });
    const out = `--out=${relative(process.cwd(), folder)}`;
    const args = ["generate", "--dialect=postgresql", "--schema=./{api,connect/*}/tables.ts", out];
    const { output } = await runCommand("drizzle-kit", args, { atOnce: true });
    const fresh = output.includes("No schema changes");
    if (!fresh) console.error("api/migrations lacks a change of the tables: run npx drizzle-kit generate.");
    return fresh;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Run the checks, some in parallel. @returns the names of those that failed */
async function failures(all: readonly Check[], count: number): Promise<string[]> {
  const waiting = [...all];
  const failed: string[] = [];
  const work = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const begin = performance.now();
      const passed = await check.run();
      if (!passed) failed.push(check.name);
      const seconds = ((performance.now() - begin) / 1000).toFixed(0);
      console.log(`=== ${check.name}: ${passed ? "passed" : "FAILED"} in ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  return failed;
}

const { write } = readOptions(help, { write: { type: "boolean", default: false } });
const failed = write
  ? await failures(formatting(true), 1)
  : [...(await failures([compiled], 1)), ...(await failures(checks, atATime))];
console.log(failed.length === 0 ? "\nEvery check passed." : `\nFailed: ${failed.join("; ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
