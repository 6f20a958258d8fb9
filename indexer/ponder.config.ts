import { join } from "node:path";
import { createConfig } from "ponder";
import { auditsAbi } from "../deployments/abi/audits.ts";
import { authorizationsAbi } from "../deployments/abi/authorizations.ts";
import { campaignsAbi } from "../deployments/abi/campaigns.ts";
import { carbonAbi } from "../deployments/abi/carbon.ts";
import { certificatesAbi } from "../deployments/abi/certificates.ts";
import { claimsAbi } from "../deployments/abi/claims.ts";
import { directoryAbi } from "../deployments/abi/directory.ts";
import { invalidationBufferAbi } from "../deployments/abi/invalidationBuffer.ts";
import { itmoAbi } from "../deployments/abi/itmo.ts";
import { oraclesAbi } from "../deployments/abi/oracles.ts";
import { parametersAbi } from "../deployments/abi/parameters.ts";
import { participantsAbi } from "../deployments/abi/participants.ts";
import { poolAbi } from "../deployments/abi/pool.ts";
import { vouchersAbi } from "../deployments/abi/vouchers.ts";
import { requireDeployment } from "../deployments/deployment.ts";
import { lockFolder } from "./lib/folder-lock.ts";
import { watchHead } from "./lib/head-watch.ts";
import { nodesOf, settingsFrom, transportOf } from "./lib/settings.ts";
import { holdWriterLock } from "./lib/standby.ts";

const settings = settingsFrom(process.env);
const deployment = await requireDeployment(settings.deployment);
const { startBlock, contracts: addresses } = deployment;
const chain = "hearth";

if (settings.databaseUrl === undefined) {
  lockFolder(settings.folder);
  await watchHead(transportOf(settings), join(settings.folder, "blocks.log"));
} else if (process.env.INDEXER_READS_ONLY !== "1") {
  await holdWriterLock(settings.databaseUrl, String(process.env.DATABASE_SCHEMA));
}

// Ponder starts with 20 requests a second for each URL, and asks for every event of every contract by itself. A chain on this machine needs no such limit: listing its URL several times raises it.
const isLocal = (url: string) => ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
const rpc = nodesOf(settings).flatMap((url) => Array.from({ length: isLocal(url) ? 25 : 1 }, () => url));

export default createConfig({
  ordering: "omnichain",
  database:
    settings.databaseUrl === undefined
      ? { kind: "pglite", directory: join(settings.folder, "pglite") }
      : { kind: "postgres", connectionString: settings.databaseUrl },
  chains: {
    [chain]: {
      id: settings.chainId,
      rpc,
      ...(settings.rpcSocketUrl === undefined ? {} : { ws: settings.rpcSocketUrl }),
      pollingInterval: 200,
    },
  },
  blocks: {
    // Blocks that expire vouchers. Of past blocks, one about every five minutes is enough, because each has to be fetched.
    Days: { chain, startBlock, interval: settings.databaseUrl === undefined ? 20 : 150 },
    // From the start of this process on every block, so that a voucher expires with the first block of the next day.
    Today: { chain, startBlock: "latest", interval: 1 },
  },
  contracts: {
    Participants: { abi: participantsAbi, chain, address: addresses.participants, startBlock },
    Certificates: { abi: certificatesAbi, chain, address: addresses.certificates, startBlock },
    Carbon: { abi: carbonAbi, chain, address: addresses.carbon, startBlock },
    Vouchers: { abi: vouchersAbi, chain, address: addresses.vouchers, startBlock },
    Claims: { abi: claimsAbi, chain, address: addresses.claims, startBlock },
    Pool: { abi: poolAbi, chain, address: addresses.pool, startBlock },
    Directory: { abi: directoryAbi, chain, address: addresses.directory, startBlock },
    Audits: { abi: auditsAbi, chain, address: addresses.audits, startBlock },
    Itmo: { abi: itmoAbi, chain, address: addresses.itmo, startBlock },
    Oracles: { abi: oraclesAbi, chain, address: addresses.oracles, startBlock },
    Parameters: { abi: parametersAbi, chain, address: addresses.parameters, startBlock },
    Authorizations: { abi: authorizationsAbi, chain, address: addresses.authorizations, startBlock },
    InvalidationBuffer: { abi: invalidationBufferAbi, chain, address: addresses.invalidationBuffer, startBlock },
    Campaigns: { abi: campaignsAbi, chain, address: addresses.campaigns, startBlock },
    // Only its address is of use: which token the pool's events speak of.
    Stablecoin: { abi: carbonAbi, chain, address: addresses.stablecoin, startBlock },
  },
});
