import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

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

const ours = (folder: string, name: string) => () => read(`artifacts/contracts/${folder}/${name}.sol/${name}.json`);
const safe = (path: string, name: string) => () => read(`${SAFE}/${path}${name}.sol/${name}.json`);

/** Compiled contracts by name; Safe's and the DID registry as their packages ship them. Each is read when asked for. */
export const artifacts = {
  participants: ours("participants", "Participants"),
  certificates: ours("certificates", "Certificates"),
  carbon: ours("carbon", "Carbon"),
  vouchers: ours("vouchers", "Vouchers"),
  claims: ours("claims", "Claims"),
  pool: ours("pool", "Pool"),
  directory: ours("governance", "Directory"),
  audits: ours("audits", "Audits"),
  campaigns: ours("campaigns", "Campaigns"),
  itmo: ours("itmo", "Itmo"),
  oracles: ours("oracles", "OracleRegistry"),
  parameters: ours("parameters", "Parameters"),
  stablecoin: ours("mocks", "TestStablecoin"),
  timelock: ours("governance", "CouncilTimelock"),
  didRegistry: () => read(DID_REGISTRY),
  safeSingleton: safe("", "Safe"),
  safeFactory: safe("proxies/", "SafeProxyFactory"),
  safeProxy: safe("proxies/", "SafeProxy"),
  safeMultiSend: safe("libraries/", "MultiSend"),
  safeGuard: safe("examples/guards/", "DelegateCallTransactionGuard"),
  safeHandler: safe("handler/", "CompatibilityFallbackHandler"),
} satisfies Record<string, () => Artifact>;
