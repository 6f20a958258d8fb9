import { access } from "node:fs/promises";
import { createPublicClient, http, type PublicClient } from "viem";
import { type ContextJson, contextFromJson } from "../../api/scheme/governance/context-json.ts";
import { type CouncilContext, readCouncilState } from "../../api/scheme/governance/council-state.ts";
import { HistoryReader } from "../../api/scheme/governance/history.ts";
import { type Deployment, requireDeployment } from "../../deployments/deployment.ts";
import { configuredRpcUrl } from "../rpc-url.ts";
import { RefusedError, type Values } from "./usage.ts";

/** A node that the signer trusts, and the contracts as the signer knows them. */
export type TrustedNode = { url: string; client: PublicClient; deployment: Deployment };

/** The node of --rpc or RPC_URL; undefined when neither is given. @throws RefusedError */
export async function openNode(values: Values): Promise<TrustedNode | undefined> {
  const url = values.rpc ?? configuredRpcUrl();
  if (url === undefined) return undefined;
  const path =
    values.deployment ?? process.env.DEPLOYMENT ?? `${process.env.DATA_DIR ?? ".hearth"}/deployments/31337.json`;
  await access(path).catch(() => {
    throw new RefusedError(
      `--rpc needs the file that names the contracts; there is no ${path}. --deployment names another.`,
    );
  });
  const deployment = await requireDeployment(path);
  const client = createPublicClient({ transport: http(url), cacheTime: 0, pollingInterval: 200 });
  const chainId = await client.getChainId().catch((cause: Error) => {
    throw new RefusedError(`The node ${url} does not answer: ${cause.message.split("\n")[0]}`);
  });
  if (chainId !== deployment.chainId)
    throw new RefusedError(`${url} is chain ${chainId}; ${path} is of chain ${deployment.chainId}.`);
  return { url, client, deployment };
}

export async function readHistory({ client, deployment }: TrustedNode) {
  const { contracts, startBlock } = deployment;
  return await new HistoryReader({ client, contracts, startBlock: BigInt(startBlock) }).read();
}

/** The data for descriptions: from the signer's own node, otherwise from the service. */
export async function contextOf(node: TrustedNode | undefined, told: ContextJson): Promise<CouncilContext> {
  if (node === undefined) return contextFromJson(told);
  const { client, deployment } = node;
  const [state, history] = await Promise.all([readCouncilState(client, deployment.contracts), readHistory(node)]);
  const operations = Object.fromEntries([...history.operations].map(([id, past]) => [id, past.operation]));
  return { chainId: deployment.chainId, contracts: deployment.contracts, state, operations };
}
