import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, createWalletClient, type Hex, http, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Deployment } from "../../deployments/deployment.ts";
import { deploy } from "../../scripts/deploy.ts";
import { startAnvil } from "./anvil.ts";

export const keyNames = [
  "deployer",
  "operator",
  "registrar",
  "evaluator",
  "guardian",
  "council-1",
  "council-2",
  "council-3",
] as const;
export type CouncilKeys = Record<(typeof keyNames)[number], Hex>;

/** A chain with the scheme as it is deployed everywhere, every key of it known, and a DATA_DIR that names it. */
export async function openCouncilChain() {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-council-"));
  const anvil = await startAnvil({ blockSeconds: 0.05 });
  const keys = Object.fromEntries(keyNames.map((name) => [name, generatePrivateKey()])) as CouncilKeys;
  const address = (name: keyof CouncilKeys): Address => privateKeyToAccount(keys[name]).address;
  await anvil.rpc("anvil_setBalance", [address("deployer"), toHex(10n ** 24n)]);
  const out = join(dataDir, "deployments", "31337.json");
  await mkdir(join(dataDir, "deployments"));
  const deployment: Deployment = await deploy({
    rpcUrl: anvil.url,
    out,
    roles: {
      operator: address("operator"),
      registrar: address("registrar"),
      evaluator: address("evaluator"),
      guardian: address("guardian"),
      council: [address("council-1"), address("council-2"), address("council-3")],
    },
    deployerKey: keys.deployer,
  });
  for (const name of keyNames) await anvil.rpc("anvil_setBalance", [address(name), toHex(10n ** 24n)]);
  await mkdir(join(dataDir, "keys"), { mode: 0o700 });
  for (const name of keyNames) await writeFile(join(dataDir, "keys", `${name}.key`), keys[name], { mode: 0o600 });
  const close = async () => {
    await anvil.stop("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  };
  const sendAs = (name: keyof CouncilKeys, to: Address, data: Hex): Promise<Hex> =>
    createWalletClient({ account: privateKeyToAccount(keys[name]), transport: http(anvil.url) }).sendTransaction({
      chain: null,
      to,
      data,
      gas: 2_000_000n,
    });
  return { dataDir, anvil, keys, address, deployment, out, sendAs, close };
}
export type CouncilChain = Awaited<ReturnType<typeof openCouncilChain>>;

/** Let chain time pass. */
export async function passTime({ anvil }: Pick<CouncilChain, "anvil">, seconds: number): Promise<void> {
  await anvil.rpc("evm_increaseTime", [toHex(seconds)]);
  await anvil.rpc("evm_mine", []);
}
