import { type Abi, type Address, createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { authorizationsAbi } from "../../deployments/abi/authorizations.ts";
import { certificatesAbi } from "../../deployments/abi/certificates.ts";
import type { TestWorld } from "./chain.ts";
import { createCouncil, GUARDIAN } from "./scheme.ts";

/** Veto a certificate's revocation by the deployer, which this makes a guardian. */
export async function vetoRevocation(world: TestWorld, certificate: number, reason = "Not agreed"): Promise<void> {
  await asGuardian(world, {
    abi: certificatesAbi,
    address: world.contracts.addresses.certificates,
    functionName: "vetoRevocation",
    args: [certificate, reason],
  });
}

/** Veto the reduction or revocation of an authorization by the deployer, which this makes a guardian. */
export async function vetoReduction(world: TestWorld, authorization: number, reason = "Not agreed"): Promise<void> {
  await asGuardian(world, {
    abi: authorizationsAbi,
    address: world.contracts.addresses.authorizations,
    functionName: "veto",
    args: [authorization, reason],
  });
}

type GuardianCall = { abi: Abi; address: Address; functionName: string; args: readonly unknown[] };

async function asGuardian(world: TestWorld, call: GuardianCall): Promise<void> {
  const account = privateKeyToAccount(world.contracts.keys.deployer);
  await createCouncil(world)("participants", "grantRole", [GUARDIAN, account.address, 0]);
  const wallet = createWalletClient({ account, transport: http(world.anvil.url), pollingInterval: 50 }).extend(
    publicActions,
  );
  const hash = await wallet.writeContract({ ...call, chain: null });
  const { status } = await wallet.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error("The veto was refused.");
}

/** Let so much chain time pass that every revocation so far is final. */
export async function makeRevocationsFinal({ anvil }: Pick<TestWorld, "anvil">): Promise<void> {
  await anvil.rpc("evm_increaseTime", [2 * 86_400]);
  await anvil.rpc("evm_mine", []);
}
