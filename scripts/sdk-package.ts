import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";
import { packSdk } from "./sdk/pack.ts";
import { loadedBytes } from "./sdk/size.ts";

const help = `node scripts/sdk-package.ts
Pack the SDK as it is published, and check the package with publint and attw, and its size.`;

/** Limit of what ./core loads at first, in compressed bytes, without React and zod. */
const budget = 25_000;

async function check(): Promise<void> {
  const sdk = await packSdk();
  try {
    const checks = [
      ["publint", ["--strict", sdk.tarball]],
      // The package has ES modules only; every supported version of Node can require them.
      ["attw", ["--profile", "esm-only", "--no-emoji", sdk.tarball]],
    ] as const;
    for (const [program, args] of checks) {
      if ((await runCommand(program, [...args])).code !== 0) process.exitCode = 1;
    }
    const project = await sdk.install("react 19, zod 4");
    const { exports } = JSON.parse(await readFile(join("sdk", "package.json"), "utf8")) as { exports: object };
    for (const entry of Object.keys(exports).filter((path) => path !== "./package.json")) {
      const name = `@hearth/oracles-client-sdk${entry.slice(1)}`;
      const bytes = await loadedBytes(`export * from "${name}"`, project);
      console.log(`${name}: ${bytes} bytes on the first load, compressed`);
      if (entry !== "./core" || bytes <= budget) continue;
      console.error(`${name} is larger than its budget of ${budget} bytes.`);
      process.exitCode = 1;
    }
  } finally {
    await sdk.close();
  }
}

readOptions(help, {});
await check();
