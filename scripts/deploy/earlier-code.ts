import { createPublicClient, http } from "viem";
import { describeLacking, inspectCode } from "../../deployments/code.ts";
import { type Deployment, readDeployment } from "../../deployments/deployment.ts";

/**
 * Compare the contracts that a deployment file names with this version's.
 * @returns a sentence about contracts with other code that have all that this version calls; undefined when none has
 * @throws a sentence that names the contracts which lack something of this version's interface, and what to do
 */
export async function compareDeployed({ rpcUrl, out }: { rpcUrl: string; out: string }): Promise<string | undefined> {
  const deployment = await readDeployment(out);
  return deployment === undefined ? undefined : compareCode(rpcUrl, deployment, out);
}

async function compareCode(rpcUrl: string, { contracts }: Deployment, out: string): Promise<string | undefined> {
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  const report = await inspectCode((address) => client.getCode({ address }), contracts);
  const lacking = describeLacking(report);
  if (lacking !== undefined) {
    throw new Error(
      `The contracts of ${out} are of another version and lack what this one needs: ${lacking}. Contracts are never ` +
        "changed in place: use a new data folder (DATA_DIR), or continue with the version that deployed these.",
    );
  }
  if (report.differing.length === 0) return undefined;
  return `of another version, with all that this one calls: ${report.differing.join(", ")}; a new DATA_DIR has the present ones`;
}
