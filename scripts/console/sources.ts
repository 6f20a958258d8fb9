import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSources } from "../bundle/sources.ts";

const root = join(import.meta.dirname, "../..");
/** Everything that the console's build reads. */
export const inputs = [
  "web/index.html",
  "web/vite.config.ts",
  "web/chunks.ts",
  "web/early.ts",
  "web/first-paint.ts",
  "web/follow-imports.ts",
  "web/page-sources.ts",
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

/** Hash the console's sources (SHA-256, hexadecimal). */
export const hashConsole = (): string => hashSources(inputs);

/** Check whether the console was built from the current sources. */
export function isBuilt(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === hashConsole();
}
