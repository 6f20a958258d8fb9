import { projectFiles } from "./changed.ts";
import type { Unit } from "./queue.ts";
import { reachOf } from "./reach.ts";

/** What reads the compiled contracts, for everything that deploys them. */
const reader = "scripts/deploy/artifacts.ts";

/** Make the check whether a unit uses the compiled contracts; the other units may run while they compile. */
export function usesContracts(): (unit: Unit) => boolean {
  const reach = reachOf(process.cwd(), projectFiles(), [reader]);
  return ({ stage, files }) => {
    if (stage.compiles || stage.runner === "mocha" || stage.runner === "solidity") return true;
    // Vitest's configuration names what starts before all files of the stage.
    const setup = stage.runner === "vitest" ? [`${stage.name}/vitest.config.ts`] : [];
    return [...setup, ...files].some((file) => reach.has(file));
  };
}
