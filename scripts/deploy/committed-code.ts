import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";

/** deployments/bytecode.json: the contracts' creation code, and the hash of what it was compiled from. */
export type CommittedCode = { sources: string; bytecode: Record<string, Hex> };

const root = join(import.meta.dirname, "../..");
export const committedCodeFile = "deployments/bytecode.json";
let read: { bytecode: CommittedCode["bytecode"] | undefined } | undefined;

/** Hash everything that determines the contracts' code: sources, settings, versions of the compiler and of OpenZeppelin (SHA-256). */
export function hashContractSources(checkout = root): string {
  const hash = createHash("sha256");
  for (const path of [...globSync("contracts/**/*.sol", { cwd: checkout }).sort(), "hardhat.config.ts"]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(checkout, path)))
      .update("\0");
  }
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const versions = { ...devDependencies, ...dependencies };
  return hash.update(`${versions.solc} ${versions["@openzeppelin/contracts"]}`).digest("hex");
}

/** Committed creation code by contract; undefined when the sources have changed since. It is read once. */
export function readCommittedCode(): CommittedCode["bytecode"] | undefined {
  if (read === undefined) {
    const { sources, bytecode } = JSON.parse(readFileSync(join(root, committedCodeFile), "utf8")) as CommittedCode;
    read = { bytecode: sources === hashContractSources() ? bytecode : undefined };
  }
  return read.bytecode;
}
