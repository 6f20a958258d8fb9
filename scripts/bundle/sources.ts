import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

function* filesOf(path: string): Generator<string> {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (statSync(full).isFile()) yield path;
  else for (const name of readdirSync(full).sort()) yield* filesOf(join(path, name));
}

/**
 * Hash what a build reads, without tests (SHA-256, hexadecimal).
 * @param inputs files and folders, from the project's folder
 * @param isInput whether a file in one of the folders counts; default: all
 */
export function hashSources(inputs: readonly string[], isInput: (path: string) => boolean = () => true): string {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((input) => [...filesOf(input)])) {
    if (/\.test\.tsx?$/.test(path) || !isInput(path)) continue;
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}
