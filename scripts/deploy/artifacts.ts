import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { auditsAbi } from "../../deployments/abi/audits.ts";
import { authorizationsAbi } from "../../deployments/abi/authorizations.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { carbonAbi } from "../../deployments/abi/carbon.ts";
import { certificatesAbi } from "../../deployments/abi/certificates.ts";
import { claimsAbi } from "../../deployments/abi/claims.ts";
import { directoryAbi } from "../../deployments/abi/directory.ts";
import { invalidationBufferAbi } from "../../deployments/abi/invalidationBuffer.ts";
import { itmoAbi } from "../../deployments/abi/itmo.ts";
import { oraclesAbi } from "../../deployments/abi/oracles.ts";
import { parametersAbi } from "../../deployments/abi/parameters.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { poolAbi } from "../../deployments/abi/pool.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { timelockAbi } from "../../deployments/abi/timelock.ts";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";
import { readCommittedCode } from "./committed-code.ts";

export type Artifact = { abi: Abi; bytecode: Hex };

const ROOT = join(import.meta.dirname, "../..");
const SAFE = "node_modules/@safe-global/safe-smart-account/build/artifacts/contracts";

function read(path: string): Artifact {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
  } catch (cause) {
    throw new Error(`${path} is missing: compile the contracts first (npm run build).`, { cause });
  }
}

const DID_REGISTRY =
  "node_modules/ethr-did-registry/artifacts/contracts/EthereumDIDRegistry.sol/EthereumDIDRegistry.json";

/** The committed code, which nobody has to compile, until the sources change; then what was compiled last. */
const ours = (noun: string, abi: Abi, folder: string, name: string) => (): Artifact => {
  const bytecode = readCommittedCode()?.[noun];
  return bytecode === undefined ? read(`artifacts/contracts/${folder}/${name}.sol/${name}.json`) : { abi, bytecode };
};
const safe = (path: string, name: string) => () => read(`${SAFE}/${path}${name}.sol/${name}.json`);

/** Compiled contracts by name; Safe's and the DID registry as their packages ship them. Each is read when asked for. */
export const artifacts = {
  participants: ours("participants", participantsAbi, "participants", "Participants"),
  certificates: ours("certificates", certificatesAbi, "certificates", "Certificates"),
  carbon: ours("carbon", carbonAbi, "carbon", "Carbon"),
  vouchers: ours("vouchers", vouchersAbi, "vouchers", "Vouchers"),
  claims: ours("claims", claimsAbi, "claims", "Claims"),
  pool: ours("pool", poolAbi, "pool", "Pool"),
  directory: ours("directory", directoryAbi, "governance", "Directory"),
  audits: ours("audits", auditsAbi, "audits", "Audits"),
  campaigns: ours("campaigns", campaignsAbi, "campaigns", "Campaigns"),
  itmo: ours("itmo", itmoAbi, "itmo", "Itmo"),
  oracles: ours("oracles", oraclesAbi, "oracles", "OracleRegistry"),
  parameters: ours("parameters", parametersAbi, "parameters", "Parameters"),
  authorizations: ours("authorizations", authorizationsAbi, "itmo", "Authorizations"),
  invalidationBuffer: ours("invalidationBuffer", invalidationBufferAbi, "itmo", "InvalidationBuffer"),
  stablecoin: ours("stablecoin", stablecoinAbi, "mocks", "TestStablecoin"),
  timelock: ours("timelock", timelockAbi, "governance", "CouncilTimelock"),
  didRegistry: () => read(DID_REGISTRY),
  safeSingleton: safe("", "Safe"),
  safeFactory: safe("proxies/", "SafeProxyFactory"),
  safeProxy: safe("proxies/", "SafeProxy"),
  safeMultiSend: safe("libraries/", "MultiSend"),
  safeGuard: safe("examples/guards/", "DelegateCallTransactionGuard"),
  safeHandler: safe("handler/", "CompatibilityFallbackHandler"),
} satisfies Record<string, () => Artifact>;
