import { type Abi, createPublicClient } from "viem";
import { authorizationsAbi } from "../../../../deployments/abi/authorizations.ts";
import { carbonAbi } from "../../../../deployments/abi/carbon.ts";
import { certificatesAbi } from "../../../../deployments/abi/certificates.ts";
import { claimsAbi } from "../../../../deployments/abi/claims.ts";
import { invalidationBufferAbi } from "../../../../deployments/abi/invalidationBuffer.ts";
import { itmoAbi } from "../../../../deployments/abi/itmo.ts";
import { poolAbi } from "../../../../deployments/abi/pool.ts";
import { vouchersAbi } from "../../../../deployments/abi/vouchers.ts";
import { requireDeployment } from "../../../../deployments/deployment.ts";
import { settingsFrom, transportOf } from "../../../lib/settings.ts";
import type { ChainState, ViewCall } from "../../../reports/chain-state.ts";

const abis: Record<ViewCall["contract"], Abi> = {
  certificates: certificatesAbi as Abi,
  carbon: carbonAbi as Abi,
  vouchers: vouchersAbi as Abi,
  claims: claimsAbi as Abi,
  pool: poolAbi as Abi,
  itmo: itmoAbi as Abi,
  authorizations: authorizationsAbi as Abi,
  invalidationBuffer: invalidationBufferAbi as Abi,
  stablecoin: carbonAbi as Abi,
};

/** Most views in one call to the chain; a node limits the gas of a call. */
const viewsPerCall = 400;

const settings = settingsFrom(process.env);
const { deployment: file } = settings;
const client = createPublicClient({ transport: transportOf(settings) });
const { contracts } = await requireDeployment(file);

const lowerCase = (name: ViewCall["contract"]) => [name, contracts[name].toLowerCase()] as const;
const names = Object.keys(abis) as ViewCall["contract"][];
const addresses = Object.fromEntries(names.map(lowerCase)) as ChainState["addresses"];

async function readViews(calls: readonly ViewCall[], block: bigint): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let at = 0; at < calls.length; at += viewsPerCall) {
    const some = calls.slice(at, at + viewsPerCall).map(({ contract, view, args }) => ({
      abi: abis[contract],
      address: contracts[contract],
      functionName: view,
      args,
    }));
    // This needs no contract on the chain: the call contains the code that collects the results.
    answers.push(
      ...(await client.multicall({
        contracts: some,
        allowFailure: false,
        blockNumber: block,
        deployless: true,
        batchSize: 0,
      })),
    );
  }
  return answers;
}

/** Read the contracts' views at a block, if the node still has its state. */
export function chainAt(block: bigint): ChainState {
  return {
    block,
    addresses,
    async read(calls) {
      try {
        return { answers: await readViews(calls, block) };
      } catch (error) {
        const why = (error as { shortMessage?: string }).shortMessage ?? (error as Error).message;
        return { answers: null, reason: `the node did not return its state at block ${block}: ${why}` };
      }
    },
  };
}

/** Find the last block before a time; null when the chain begins later. Needs about 20 requests to the node. */
export async function blockBefore(seconds: bigint, latest: bigint): Promise<bigint | null> {
  const timeOf = async (blockNumber: bigint) => (await client.getBlock({ blockNumber })).timestamp;
  if ((await timeOf(0n)) >= seconds) return null;
  let [low, high] = [0n, latest];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if ((await timeOf(middle)) < seconds) low = middle;
    else high = middle - 1n;
  }
  return low;
}
