import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Config } from "../../api/config.ts";
import { openSigner } from "../../api/platform/chain/signers/signer.ts";
import { loadOrCreateSecret } from "../../api/platform/secrets.ts";
import type { DeployOptions } from "../deploy.ts";

const councilSize = 3;

/**
 * The accounts that hold the scheme's roles on the embedded chain: those of the given keys and signers. The others are created on the first
 * start and kept in DATA_DIR/keys, readable by the owner of the folder alone.
 */
export async function loadRoleAccounts(
  dataDir: string,
  { roleKeys, roleSigners }: Pick<Config["chain"], "roleKeys" | "roleSigners">,
): Promise<DeployOptions["roles"]> {
  const signers: Record<string, string | undefined> = roleSigners;
  const keys: Record<string, Hex | undefined> = roleKeys;
  const address = async (name: string) => {
    if (signers[name] !== undefined) return (await openSigner(signers[name])).address;
    const key = keys[name] ?? `0x${(await loadOrCreateSecret(dataDir, name)).replace(/^0x/, "")}`;
    return privateKeyToAccount(key as Hex).address;
  };
  const council = await Promise.all(Array.from({ length: councilSize }, (_, index) => address(`council-${index + 1}`)));
  const [operator, registrar, evaluator, guardian] = [
    await address("operator"),
    await address("registrar"),
    await address("evaluator"),
    await address("guardian"),
  ];
  return { operator, registrar, evaluator, guardian, council, threshold: 2 };
}
