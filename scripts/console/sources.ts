import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Everything that the console's build reads. */
export const inputs = [
  "web/index.html",
  "web/vite.config.ts",
  "web/chunks.ts",
  "web/early.ts",
  "web/first-paint.ts",
  "web/follow-imports.ts",
  "web/package.json",
  "web/public",
  "web/src",
  "sdk/src",
  "sdk/package.json",
  "wire/src",
  "deployments/abi",
  "package-lock.json",
];

/** Where the API finds the built console, and the hash of what it was built from. */
export const consoleFolder = join(root, "web/dist");
export const stampFile = join(consoleFolder, "sources.sha256");

function* filesOf(path: string): Generator<string> {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (statSync(full).isFile()) yield path;
  else for (const name of readdirSync(full).sort()) yield* filesOf(join(path, name));
}

/** Hash the console's sources without tests (SHA-256, hexadecimal). */
export function hashSources(): string {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((input) => [...filesOf(input)])) {
    if (/\.test\.tsx?$/.test(path)) continue;
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Check whether the console was built from the current sources. */
export function isBuilt(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === hashSources();
}
