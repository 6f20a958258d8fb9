import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { loadOrCreateSecret } from "../../api/platform/secrets.ts";
import type { DeployOptions } from "../deploy.ts";

const councilSize = 3;

/**
 * The accounts that hold the scheme's roles on the embedded chain: made on first start, kept in DATA_DIR/keys, each
 * readable by the owner of the folder only.
 */
export async function loadRoleAccounts(dataDir: string, relayerKey: Hex | undefined): Promise<DeployOptions["roles"]> {
  const address = async (name: string) =>
    privateKeyToAccount(`0x${(await loadOrCreateSecret(dataDir, name)).replace(/^0x/, "")}`).address;
  const operator = relayerKey === undefined ? await address("operator") : privateKeyToAccount(relayerKey).address;
  const council = await Promise.all(Array.from({ length: councilSize }, (_, index) => address(`council-${index + 1}`)));
  const [registrar, evaluator, guardian] = [
    await address("registrar"),
    await address("evaluator"),
    await address("guardian"),
  ];
  return { operator, registrar, evaluator, guardian, council, threshold: 2 };
}
