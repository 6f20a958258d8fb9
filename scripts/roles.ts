import { BaseError, createPublicClient, http, zeroAddress } from "viem";
import { type Deployment, requireDeployment } from "../deployments/deployment.ts";
import { readOptions } from "./command-options.ts";
import { type Power, powersOf, readCapsInForce } from "./deploy/powers.ts";
import { type RoleTable, readRoleTable, roleTableProblems } from "./deploy/role-table.ts";
import { defaultRpcUrl } from "./rpc-url.ts";

/** Print who holds which right, read from the chain. */
function printTable(table: RoleTable, { contracts }: Deployment): void {
  const rows: { contract: string; right: string; holders: string }[] = [];
  const add = (contract: string, right: string, holders: readonly string[]) =>
    rows.push({
      contract,
      right,
      holders: holders.map((address) => nameOf(address, contracts)).join(", ") || "nobody",
    });
  for (const [role, holders] of Object.entries(table.participants)) add("participants", role, holders);
  for (const [role, holders] of Object.entries(table.timelock)) add("timelock", role.toLowerCase(), holders);
  add("council", `owner, ${table.council.threshold} of ${table.council.owners.length} sign`, table.council.owners);
  add("council", "module", table.council.modules);
  add("council", "guard", table.council.guard === zeroAddress ? [] : [table.council.guard]);
  if (table.faucet !== undefined) add("stablecoin", "faucet", [table.faucet]);
  console.table(rows);
}

/** Print what each key can cost in a day, and who stops it. */
function printPowers(powers: Power[]): void {
  console.log("\nThe worst that one key of each role can do alone in a day, under the caps in force (docs/powers.md):");
  const width = Math.max(...powers.map(({ role }) => role.length));
  for (const { role, worstLossInADay, stoppedBy } of powers) {
    console.log(`${role.padEnd(width)}  ${worstLossInADay}\n${"".padEnd(width)}  stopped by ${stoppedBy}`);
  }
}

function nameOf(address: string, contracts: Deployment["contracts"]): string {
  if (address === zeroAddress) return "anyone";
  const name = Object.entries(contracts).find(([, target]) => target.toLowerCase() === address.toLowerCase())?.[0];
  return name === undefined ? address : `${address} (${name})`;
}

const help = `npm run roles [-- --rpc <url> --deployment <file>]     who holds which right, and what each key can cost in a day
--rpc URL          JSON-RPC of a node (RPC_URL, else http://127.0.0.1:CHAIN_PORT)
--deployment FILE  where the contracts are (DEPLOYMENT, else DATA_DIR/deployments/31337.json)
--help
Exit 0: the roles are as the deployment file says, and the deployment is sound.
Exit 1: they are not, or the chain could not be read; each difference and each broken rule is named.
Exit 2: this command is not understood.`;

const values = readOptions(help, {
  rpc: {
    type: "string",
    default: defaultRpcUrl(),
  },
  deployment: {
    type: "string",
    default: process.env.DEPLOYMENT ?? `${process.env.DATA_DIR ?? ".hearth"}/deployments/31337.json`,
  },
});
async function main(): Promise<number> {
  const deployment = await requireDeployment(values.deployment);
  const client = createPublicClient({ transport: http(values.rpc) });
  const table = await readRoleTable(client, deployment);
  printTable(table, deployment);
  printPowers(powersOf(await readCapsInForce(client, deployment)));
  const problems = roleTableProblems(table, deployment);
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(
    error instanceof BaseError
      ? `${values.rpc} could not be asked: ${error.shortMessage}`
      : error instanceof Error
        ? error.message
        : error,
  );
  return 1;
});
