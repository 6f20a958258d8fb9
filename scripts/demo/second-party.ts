import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { drawParty } from "../../wire/src/typed-data.ts";
import type { Caller, Narrator } from "./narrator.ts";

/** A party that joined the draw of a campaign, with its secret. */
type Joined = { secret: Hex };

/**
 * The scheme's guardian, whose key the API does not load.
 * @returns undefined where that key is not in this folder
 */
export async function readGuardian(dataDir: string): Promise<PrivateKeyAccount | undefined> {
  const key = await readFile(join(dataDir, "keys", "guardian.key"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return key === undefined ? undefined : privateKeyToAccount(`0x${key.trim().replace(/^0x/, "")}`);
}

/** Commit the account to a new secret for the draw of a campaign. */
export async function joinDraw(
  tell: Narrator,
  as: Caller,
  account: PrivateKeyAccount,
  campaignId: string,
): Promise<Joined> {
  const path = `/v1/campaigns/${campaignId}`;
  const { body } = await tell.call("GET", path, { as, quiet: true });
  const document = await tell.call("GET", `${path}/draw`, { as, quiet: true });
  const { chainId, contract } = document.body as { chainId: number; contract: Hex };
  const { index, drawParties } = body as { index: number; drawParties: { round: number } };
  const secret = generatePrivateKey();
  const types = parseAbiParameters("bytes32, address");
  const commitment = keccak256(encodeAbiParameters(types, [secret, account.address]));
  const deadline = Math.floor(Date.now() / 1_000) + 3_600;
  const typedData = drawParty(
    { chainId, verifyingContract: contract },
    { campaign: index, round: drawParties.round, commitment, deadline },
  );
  const signature = await account.signTypedData(typedData as never);
  await tell.call("POST", `${path}/draw/party`, {
    as,
    body: { account: account.address, commitment, deadline, signature },
  });
  return { secret };
}
