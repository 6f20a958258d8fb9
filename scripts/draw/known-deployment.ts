import { join } from "node:path";
import type { Deployment } from "../../deployments/deployment.ts";
import { readDeployment, requireDeployment } from "../../deployments/deployment.ts";
import { pathOf, UnavailableError } from "../verifier-command.ts";
import { type KnownAccounts, knowsParties } from "./known-accounts.ts";

export const deploymentOption = { deployment: { type: "string" } } as const;

export const deploymentUsage = `--deployment FILE       the scheme's deployment file, as you know it from elsewhere: its contracts and the service's accounts.
                        Absent: that of this machine's own system (DEPLOYMENT, or DATA_DIR), if the document is of its scheme`;

/**
 * Read the deployment file that the reader gives, or that of the system on this machine if a document is of its scheme.
 * @throws UnavailableError when the given file cannot be read
 */
export async function readKnownDeployment(
  given: string | undefined,
  { chainId, contract }: { chainId: number; contract: string },
): Promise<Deployment | undefined> {
  if (given !== undefined) {
    return await requireDeployment(pathOf(given)).catch((error: Error) => {
      throw new UnavailableError(error.message);
    });
  }
  const { DEPLOYMENT, DATA_DIR = ".hearth" } = process.env;
  const own = await readDeployment(DEPLOYMENT ?? join(DATA_DIR, "deployments", `${chainId}.json`));
  return own?.contracts.campaigns.toLowerCase() === contract.toLowerCase() ? own : undefined;
}

/** Add the accounts that the service signs with, as a deployment states them, to what the reader knows. */
export function knownBy(deployment: Deployment | undefined, known: KnownAccounts): KnownAccounts {
  if (deployment === undefined || knowsParties(known)) return known;
  const { operator, registrar, evaluator } = deployment.roles;
  return { ...known, serviceAccounts: [operator, registrar, evaluator] };
}
