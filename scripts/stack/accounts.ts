import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { loadOrCreateSecret } from "../../api/platform/secrets.ts";
import type { DeployOptions } from "../deploy.ts";

const councilSize = 3;

/**
 * The accounts that hold the scheme's roles on the embedded chain: those of the given keys. The others are created on the first
 * start and kept in DATA_DIR/keys, readable by the owner of the folder alone.
 */
export async function loadRoleAccounts(
  dataDir: string,
  given: Record<string, Hex | undefined>,
): Promise<DeployOptions["roles"]> {
  const address = async (name: string) => {
    const key = given[name] ?? `0x${(await loadOrCreateSecret(dataDir, name)).replace(/^0x/, "")}`;
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
