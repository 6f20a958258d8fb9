import { join } from "node:path";
import { createConfig } from "ponder";
import { carbonAbi } from "../deployments/abi/carbon.ts";
import { certificatesAbi } from "../deployments/abi/certificates.ts";
import { claimsAbi } from "../deployments/abi/claims.ts";
import { directoryAbi } from "../deployments/abi/directory.ts";
import { participantsAbi } from "../deployments/abi/participants.ts";
import { poolAbi } from "../deployments/abi/pool.ts";
import { vouchersAbi } from "../deployments/abi/vouchers.ts";
import { readDeployment } from "../deployments/deployment.ts";
import { lockFolder } from "./lib/folder-lock.ts";
import { observedTransport } from "./lib/observed-transport.ts";
import { settingsFrom } from "./lib/settings.ts";

const settings = settingsFrom(process.env);
const deployment = await readDeployment(settings.deployment);
if (deployment === undefined) throw new Error(`There is no deployment file ${settings.deployment}`);
const { startBlock, contracts: addresses } = deployment;
const chain = "hearth";
if (settings.databaseUrl === undefined) lockFolder(settings.folder);

export default createConfig({
  ordering: "omnichain",
  database:
    settings.databaseUrl === undefined
      ? { kind: "pglite", directory: join(settings.folder, "pglite") }
      : { kind: "postgres", connectionString: settings.databaseUrl },
  chains: {
    [chain]: {
      id: settings.chainId,
      rpc: observedTransport(settings.rpcUrl, join(settings.folder, "blocks.log")),
      pollingInterval: 200,
    },
  },
  contracts: {
    Participants: { abi: participantsAbi, chain, address: addresses.participants, startBlock },
    Certificates: { abi: certificatesAbi, chain, address: addresses.certificates, startBlock },
    Carbon: { abi: carbonAbi, chain, address: addresses.carbon, startBlock },
    Vouchers: { abi: vouchersAbi, chain, address: addresses.vouchers, startBlock },
    Claims: { abi: claimsAbi, chain, address: addresses.claims, startBlock },
    Pool: { abi: poolAbi, chain, address: addresses.pool, startBlock },
    Directory: { abi: directoryAbi, chain, address: addresses.directory, startBlock },
    // Only its address is of use: which token the pool's events speak of.
    Stablecoin: { abi: carbonAbi, chain, address: addresses.stablecoin, startBlock },
  },
});
