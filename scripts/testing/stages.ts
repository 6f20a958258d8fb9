import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** A part of `npm test`. Whatever lies in `files` belongs to it, and is run by `runner`. */
export type Stage = {
  name: string;
  files: string[];
  runner: "node" | "vitest" | "mocha" | "solidity";
  /** Its files draw pages, which may come too late where another stage takes the processor. */
  hasPages?: boolean;
};

/** In the order in which they begin. A program of a later stage may compile: none does while Hardhat tests. */
export const stages: readonly Stage[] = [
  { name: "files", runner: "node", files: ["api/files/**/*.test.ts"] },
  { name: "contracts", runner: "mocha", files: ["test/contracts/**/!(*.d).ts"] },
  { name: "fuzz", runner: "solidity", files: ["test/contracts/**/*.t.sol"] },
  { name: "api", runner: "node", files: ["api/!(files|oracle)/**/*.test.ts", "api/*.test.ts"] },
  { name: "oracle", runner: "node", files: ["api/oracle/**/*.test.ts"] },
  { name: "browser", runner: "node", files: ["test/browser/**/*.test.ts"], hasPages: true },
  { name: "sdk", runner: "vitest", files: ["sdk/test/unit/**/*.test.{ts,tsx}"] },
  { name: "web", runner: "vitest", files: ["web/src/**/*.test.{ts,tsx}"] },
  { name: "e2e", runner: "node", files: ["test/e2e/**/*.test.ts", "test/wire/**/*.test.ts"] },
  { name: "indexer", runner: "node", files: ["test/indexer/**/*.test.ts"] },
  { name: "crash", runner: "node", files: ["test/crash/**/*.test.ts"] },
  { name: "scripts", runner: "node", files: ["scripts/**/*.test.ts", "deployments/**/*.test.ts"] },
];

/** The files of a stage, in an order that is the same everywhere. */
export const filesOf = ({ files }: Stage): string[] => globSync(files).sort();

/** The command of a stage whose runner takes all its files at once. */
export function commandOf({ name, runner }: Stage, report: string): { program: string; args: string[] } {
  if (runner === "mocha" || runner === "solidity") return { program: "hardhat", args: ["test", runner] };
  const manifest = createRequire(resolve(name, "package.json")).resolve("vitest/package.json");
  const args = ["run", "--root", name, "--reporter=default", "--reporter=json"];
  return {
    program: process.execPath,
    args: [join(dirname(manifest), "vitest.mjs"), ...args, `--outputFile.json=${report}`],
  };
}
