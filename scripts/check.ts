import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "./run-command.ts";

const help = `npm run check     npm run format
Check lint, format, types, the direction of dependencies, and that every generated file is fresh. format writes.`;

const prose = ["*.md", "docs/**/*.md", "contracts/**/*.sol", "test/**/*.sol"];

type Check = { name: string; run: () => Promise<boolean> };

const command = (name: string, program: string, ...args: string[]): Check => ({
  name,
  run: async () => (await runCommand(program, args)).code === 0,
});
const script = (name: string, file: string, ...args: string[]) => command(name, process.execPath, file, ...args);

const formatting = (write: boolean): Check[] => [
  command("biome", "biome", "check", "--error-on-warnings", ...(write ? ["--write"] : [])),
  command("prettier", "prettier", "--log-level=warn", write ? "--write" : "--check", ...prose),
];

const checks: Check[] = [
  ...formatting(false),
  command("solhint", "solhint", "--max-warnings=0", "contracts/**/*.sol"),
  // Compiles too: the contract tests are typed by the artefacts.
  script("deployments/abi is fresh", "scripts/export-deployments.ts", "--check"),
  command("types", "tsc", "-p", "."),
  command(
    "dependencies point one way",
    "depcruise",
    "--config",
    ".dependency-cruiser.cjs",
    "api",
    "indexer",
    "scripts",
    "deployments",
    "bench",
    "test",
  ),
  script("the gas snapshot is fresh", "scripts/gas-snapshot.ts", "--check"),
  script("package-lock.json is complete", "scripts/complete-lock.ts", "--check"),
  script("openapi.json is fresh", "scripts/export-openapi.ts", "--check"),
  { name: "api/migrations are fresh", run: migrationsAreFresh },
];

/** Generate migrations into a copy: drizzle-kit must find nothing to add. Its exit code does not tell, and it wants a relative path. */
async function migrationsAreFresh(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-migrations-"));
  try {
    await cp("api/migrations", folder, { recursive: true });
    const out = `--out=${relative(process.cwd(), folder)}`;
    const { output } = await runCommand("drizzle-kit", [
      "generate",
      "--dialect=postgresql",
      "--schema=./api/db/schema.ts",
      out,
    ]);
    const fresh = output.includes("No schema changes");
    if (!fresh) console.error("api/migrations lacks a change of the tables: run npx drizzle-kit generate.");
    return fresh;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: { write: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) {
  console.log(help);
} else {
  const failed: string[] = [];
  for (const { name, run } of values.write ? formatting(true) : checks) {
    console.log(`\n=== ${name}`);
    if (!(await run())) failed.push(name);
  }
  console.log(failed.length === 0 ? "\nEvery check passed." : `\nFailed: ${failed.join("; ")}.`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
