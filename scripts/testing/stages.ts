import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

/** A part of `npm test`. It consists of `files`, which `runner` runs. */
export type Stage = {
  name: string;
  files: string[];
  runner: "node" | "vitest" | "mocha" | "solidity";
  /** Whether its files share processes. Each file then restores what it changes of the process, such as the clock. */
  together?: boolean;
  /** Patterns of the files of a process that share more than modules, such as a running system, in this order. */
  groups?: string[][];
  /**
   * Patterns of files that decide whether it passes, in addition to those that its files use. A stage with such patterns is left out if
   * it has passed and none of these files has changed; `--all`, `--only` and the long run always run it.
   */
  inputs?: string[];
  /** Only the long run and `--only` run it. */
  isLong?: boolean;
  /** Its files render pages: so many at a time as there are processors, because a page that waits for one too long fails its test. */
  hasPages?: boolean;
};

/** What the contracts' tests depend on: they read whole folders, too. */
const ofContracts = ["{contracts,deployments,test/contracts}/**", "hardhat.config.ts", "scripts/fuzz-statistics.ts"];

const consoleFiles = (...areas: string[]) => areas.map((area) => `test/browser/console-${area}.test.ts`);
/**
 * Each group shares a browser; a group of the console also shares a system, which `console-pages` needs first, without data, and the
 * first five minutes with nothing but the demo.
 */
const groupsOfPages = [
  consoleFiles("pages", "regulator"),
  ["test/browser/first-five-minutes.test.ts", ...consoleFiles("people", "notifications", "phones")],
  consoleFiles("implementer", "terms", "devices", "wallet", "supplier", "decisions"),
  consoleFiles("files", "chat", "questions", "shell", "findings", "camera"),
  consoleFiles("other-browsers"),
  ["test/browser/sdk-*.test.ts"],
  ["test/browser/{ag-ui-copilotkit,axe,calls,calls-*}.test.ts"],
];

export const stages: readonly Stage[] = [
  { name: "files", runner: "node", files: ["api/files/**/*.test.ts"], together: true },
  { name: "contracts", runner: "mocha", files: ["test/contracts/**/!(*.d).ts"], inputs: ofContracts },
  { name: "fuzz", runner: "solidity", files: ["test/contracts/**/*.t.sol"], inputs: ofContracts },
  {
    name: "api",
    runner: "node",
    files: ["api/!(files|oracle)/**/*.test.ts", "api/*.test.ts"],
    together: true,
  },
  {
    name: "oracle",
    runner: "node",
    files: ["api/oracle/**/*.test.ts"],
    together: true,
  },
  { name: "connect", runner: "node", files: ["connect/**/*.test.ts"], together: true },
  {
    name: "browser",
    runner: "node",
    files: ["test/browser/**/*.test.ts"],
    together: true,
    groups: groupsOfPages,
    hasPages: true,
  },
  { name: "sdk", runner: "vitest", files: ["sdk/test/unit/**/*.test.{ts,tsx}"] },
  { name: "web", runner: "vitest", files: ["web/src/**/*.test.{ts,tsx}"] },
  {
    name: "e2e",
    runner: "node",
    files: ["test/e2e/**/*.test.ts", "test/wire/**/*.test.ts"],
    together: true,
  },
  { name: "indexer", runner: "node", files: ["test/indexer/**/*.test.ts"], together: true },
  { name: "second-opinion", runner: "node", files: ["test/second-opinion/**/*.test.ts"] },
  { name: "chaos", runner: "node", files: ["test/chaos/**/*.test.ts"] },
  { name: "drill", runner: "node", files: ["test/drill/**/*.test.ts"], isLong: true },
  { name: "crash", runner: "node", files: ["test/crash/**/*.test.ts"] },
  {
    name: "scripts",
    runner: "node",
    files: ["scripts/**/*.test.ts", "deployments/**/*.test.ts"],
    together: true,
  },
];

/** The files of a stage, in an order that is the same everywhere. */
export const filesOf = ({ files }: Stage, root = "."): string[] => globSync(files, { cwd: root }).sort();

/** Build the command of a stage whose runner takes its files together. `files`: only some of them. */
export function commandOf(
  { name, runner }: Stage,
  report: string,
  files: readonly string[] = [],
): { program: string; args: string[] } {
  // The contracts are compiled already; for Mocha, Hardhat would compile the Solidity tests too, which it does not use.
  if (runner === "mocha") return { program: "hardhat", args: ["test", runner, "--no-compile", ...files] };
  if (runner === "solidity") return { program: "hardhat", args: ["test", runner, ...files] };
  const manifest = createRequire(resolve(name, "package.json")).resolve("vitest/package.json");
  const args = [
    "run",
    "--root",
    name,
    ...files.map((file) => relative(name, file)),
    "--reporter=default",
    "--reporter=json",
  ];
  return {
    program: process.execPath,
    args: [join(dirname(manifest), "vitest.mjs"), ...args, `--outputFile.json=${report}`],
  };
}
