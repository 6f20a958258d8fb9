import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  createPublicClient,
  type PublicClient,
  parseGwei,
} from "viem";
import { describeLacking, inspectCode } from "../../../deployments/code.ts";
import { type DeployedContracts, requireDeployment } from "../../../deployments/deployment.ts";
import { finalityOf } from "../chain-finality.ts";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import type { Log } from "../log.ts";
import type { Workers } from "../workers/index.ts";
import { type Abis, type Addresses, abis, type ContractName } from "./contracts.ts";
import { type Head, HeadWatcher } from "./node/head.ts";
import { createPartReader, createPastReader, type PartReader, type PastReader } from "./node/past.ts";
import { rpcTransport } from "./node/rpc.ts";
import { NewestBlock, steadyTransport } from "./node/steady-transport.ts";
import { FeePolicy } from "./outbox/fees.ts";
import { GasBudget } from "./outbox/gas-budget.ts";
import { Outbox } from "./outbox/outbox.ts";
import { ReceiptWatcher } from "./outbox/receipts.ts";
import { Reconciler, type ReconcilerPace } from "./outbox/reconciler.ts";
import { bindToChain, ensureSender } from "./outbox/store.ts";
import { restrictToRoles } from "./signers/role-calls.ts";
import { loadSenders, type SenderName, type Senders } from "./signers/senders.ts";
import type { Signer } from "./signers/signer.ts";

type ViewName<C extends ContractName> = ContractFunctionName<Abis[C], "view" | "pure">;
type ViewArgs<C extends ContractName, F extends ViewName<C>> = ContractFunctionArgs<Abis[C], "view" | "pure", F>;

/** Access to the chain for all features. */
export type Chain = {
  id: number;
  client: PublicClient;
  addresses: Addresses;
  /** Every contract in the deployment file, including the council's Safe and the timelock. */
  contracts: DeployedContracts;
  /** First block that can hold an event of these contracts. */
  startBlock: bigint;
  /** The ERC-1056 registry of did:ethr, where the deployment has one. */
  didRegistry: Address | undefined;
  senders: Senders;
  outbox: Outbox;
  fees: FeePolicy;
  head: HeadWatcher;
  /** The latest block's timestamp in seconds: the current time for every rule of the scheme. */
  now: () => Promise<bigint>;
  latest: () => Promise<Head>;
  read: <C extends ContractName, F extends ViewName<C>>(
    contract: C,
    functionName: F,
    args: ViewArgs<C, F>,
  ) => Promise<ContractFunctionReturnType<Abis[C], "view" | "pure", F>>;
  /** Find past events by indexed arguments, oldest first. */
  past: PastReader;
  /** Query all blocks since the deployment, in ranges that the node accepts. */
  pastParts: PartReader;
  /** Throw unless the chain answers. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

export type ChainOptions = {
  config: Pick<PlatformConfig, "chain" | "dataDir">;
  db: Database;
  log: Log;
  workers: Workers;
  /** Other times than usual. */
  pace?: Partial<ChainPace>;
};

/** Times of the work on a chain, in milliseconds. */
export type ChainPace = ReconcilerPace & {
  /** Polling interval for new blocks when the node sends no notices. */
  pollMs: number;
};

const usualPollMs = { embedded: 40, outside: 1_000 };

/** Connect, check that deployment, database and chain belong together, and settle what the outbox holds. */
export async function openChain({ config, db, log, workers, pace = {} }: ChainOptions): Promise<Chain> {
  const { rpcUrl, rpcUrls, chainId, embedded, txWaitMs, confirmations } = config.chain;
  const deployment = await requireDeployment(config.chain.deployment);
  const newest = new NewestBlock();
  const nodes = rpcTransport(rpcUrls, chainId);
  const transport = embedded ? nodes : steadyTransport(nodes, newest);
  const client = createPublicClient({ transport, cacheTime: 0 });
  await requireSameChain(client, db, { chainId, deployment: deployment.chainId });
  await requirePresentCode(client, deployment.contracts, { path: config.chain.deployment, log });
  const senders = restrictToRoles(await loadSenders(config.dataDir, config.chain), deployment.contracts, {
    isEmbedded: embedded,
  });
  const head = new HeadWatcher(client, {
    pollMs: pace.pollMs ?? (embedded ? usualPollMs.embedded : usualPollMs.outside),
    noticesFrom: embedded ? rpcUrl : undefined,
    pollsBeforeRewind: embedded ? 1 : 3,
    workers,
  });
  head.subscribe(({ number }, _previous, isRewind) => {
    if (isRewind) newest.goBackTo(number);
  });
  const receipts = new ReceiptWatcher(client, head, confirmations);
  const caps = {
    maxFeePerGas: parseGwei(config.chain.maxFeeGwei),
    maxPriorityFeePerGas: parseGwei(config.chain.maxPriorityFeeGwei),
  };
  const fees = new FeePolicy({ head, caps, suggesting: embedded ? undefined : client });
  const addressesOfSenders = Object.values(senders).map(({ address }) => address);
  const budget = new GasBudget({ db, senders: addressesOfSenders, etherPerDay: config.chain.gasBudgetEther });
  const outbox = new Outbox({ db, client, chainId, head, receipts, fees, budget, log, txWaitMs });
  const reconciler = new Reconciler({
    outbox,
    senders,
    pace,
    raiseFeeAfterMs: embedded ? undefined : config.chain.raiseFeeAfterMs,
    finalityBlocks: finalityOf(chainId),
    startBlock: BigInt(deployment.startBlock),
    workers,
  });
  await registerSenders(db, client, senders);
  head.start();
  await reconciler.start();
  const addresses = addressesIn(deployment.contracts);
  const pastParts = createPartReader(client, BigInt(deployment.startBlock));
  const read = createReader(client, addresses);
  return {
    id: chainId,
    client,
    addresses,
    contracts: deployment.contracts,
    startBlock: BigInt(deployment.startBlock),
    didRegistry: deployment.contracts.didRegistry,
    senders,
    outbox,
    fees,
    head,
    now: async () => (await head.fetch()).timestamp,
    latest: () => head.fetch(),
    read,
    past: createPastReader(client, addresses, pastParts),
    pastParts,
    check: async () => void (await client.getBlockNumber()),
    close: async () => {
      await reconciler.close();
      await head.close();
    },
  };
}

/** Pick the contracts that the API calls and listens to. */
function addressesIn(contracts: DeployedContracts): Addresses {
  const names = Object.keys(abis) as ContractName[];
  return Object.fromEntries(names.map((name) => [name, contracts[name]])) as Addresses;
}

/** Throw unless the contracts have every function that the API calls. Their version may differ. */
async function requirePresentCode(
  client: PublicClient,
  contracts: DeployedContracts,
  { path, log }: { path: string; log: Log },
): Promise<void> {
  const report = await inspectCode((address) => client.getCode({ address }), contracts);
  const lacking = describeLacking(report);
  if (lacking !== undefined) {
    throw new Error(
      `The contracts that ${path} names lack what this version needs: ${lacking}. Name a deployment of this version ` +
        "(DEPLOYMENT), or start the version that deployed these.",
    );
  }
  if (report.differing.length > 0) log.warn({ contracts: report.differing }, "contracts of another version");
}

async function requireSameChain(
  client: PublicClient,
  db: Database,
  expected: { chainId: number; deployment: number },
): Promise<void> {
  const chainId = await client.getChainId();
  if (chainId !== expected.chainId || chainId !== expected.deployment) {
    const { chainId: configured, deployment } = expected;
    throw new Error(
      `The chain is ${chainId}, the configuration says ${configured}, the deployment file ${deployment}.`,
    );
  }
  const genesis = await client.getBlock({ blockNumber: 0n });
  const other = await bindToChain(db, chainId, genesis.hash);
  if (other !== undefined) {
    throw new Error(
      `The database holds the transactions of another chain (genesis ${other}, this one ${genesis.hash}). ` +
        "Use a fresh database with a fresh chain.",
    );
  }
}

async function registerSenders(db: Database, client: PublicClient, senders: Senders): Promise<void> {
  const accounts = new Map<string, Signer>(Object.values(senders).map((each) => [each.address, each]));
  for (const { address } of accounts.values()) {
    await ensureSender(db, address, await client.getTransactionCount({ address, blockTag: "latest" }));
  }
}

export function createReader(client: PublicClient, addresses: Addresses): Chain["read"] {
  return async (contract, functionName, args) =>
    (await client.readContract({
      abi: abis[contract] as Abi,
      address: addresses[contract],
      functionName: functionName as string,
      args: args as readonly unknown[],
    })) as never;
}

export function senderOf(chain: Chain, name: SenderName): Signer {
  return chain.senders[name];
}
