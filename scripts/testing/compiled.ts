import { existsSync, readFileSync } from "node:fs";
import { readCommittedCode } from "../deploy/committed-code.ts";
import { projectFiles } from "./changed.ts";
import type { Unit } from "./queue.ts";
import { reachOf } from "./reach.ts";

/** Deploys the committed code, or what was compiled when the sources have changed since. */
const deployer = "scripts/deploy/artifacts.ts";
/** Compares the compiler's input with what it made, of every contract. */
const verifier = "scripts/deploy/verification.test.ts";

/**
 * Make the check whether a unit uses the compiled contracts; the other units may run while they compile.
 * @param isCommitted whether the committed code is that of the sources, so that nothing is compiled to deploy it
 */
export function usesContracts(isCommitted = readCommittedCode() !== undefined): (unit: Unit) => boolean {
  const project = projectFiles();
  const readers = [...project.filter(readsArtifacts), verifier, ...(isCommitted ? [] : [deployer])];
  const reach = reachOf(process.cwd(), project, readers);
  return ({ stage, files }) => {
    if (stage.runner === "mocha" || stage.runner === "solidity") return true;
    // Vitest's configuration names what starts before all files of the stage.
    const setup = stage.runner === "vitest" ? [`${stage.name}/vitest.config.ts`] : [];
    return [...setup, ...files].some((file) => reach.has(file));
  };
}

/** Whether it is a test that reads the compiler's files itself. It may be deleted and still tracked. */
const readsArtifacts = (file: string): boolean =>
  file.endsWith(".test.ts") && existsSync(file) && readFileSync(file, "utf8").includes("artifacts/contracts/");
