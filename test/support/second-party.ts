import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, type TypedDataDefinition } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { submitCall } from "../../api/platform/chain/index.ts";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { drawParty } from "../../wire/src/typed-data.ts";
import type { TestWorld } from "./chain.ts";
import { type Caller, type RegistryTest, requireStatus } from "./registry.ts";
import { createCouncil, EVALUATOR } from "./scheme.ts";

/** A second party of draws: an evaluator whose key this service does not have. */
export type SecondParty = {
  account: Hex;
  /** Commit to a new secret for the campaign's draw. */
  join: (call: Caller, campaignId: string) => Promise<CampaignResponse>;
  /** Reveal the secret of a campaign's draw. */
  reveal: (call: Caller, campaignId: string) => Promise<CampaignResponse>;
  /** The secret that it committed to. */
  secretOf: (campaignId: string) => Hex;
};

/** For tests: grant an account the evaluator's role, to be the second party of draws. */
export async function openSecondParty(world: TestWorld): Promise<SecondParty> {
  const account = privateKeyToAccount(generatePrivateKey());
  await createCouncil(world)("participants", "grantRole", [EVALUATOR, account.address, 0]);
  const secrets = new Map<string, Hex>();
  const secretOf = (campaignId: string) => {
    const secret = secrets.get(campaignId);
    if (secret === undefined) throw new Error(`The second party did not join the draw of ${campaignId}.`);
    return secret;
  };
  return {
    account: account.address,
    secretOf,
    join: async (call, campaignId) => {
      const secret = generatePrivateKey();
      const read = requireStatus(await call("GET", `/campaigns/${encodeURIComponent(campaignId)}`), 200);
      const { index, drawParties } = read.body as CampaignResponse;
      const body = await signedParty(world, account, { campaign: index, round: drawParties.round, secret });
      const joined = await call("POST", `/campaigns/${encodeURIComponent(campaignId)}/draw/party`, body);
      secrets.set(campaignId, secret);
      return requireStatus(joined, 201).body as CampaignResponse;
    },
    reveal: async (call, campaignId) => {
      const body = { secret: secretOf(campaignId) };
      const revealed = await call("POST", `/campaigns/${encodeURIComponent(campaignId)}/draw/secret`, body);
      return requireStatus(revealed, 200).body as CampaignResponse;
    },
  };
}

/** The service itself as second party: its registrar's account joins by the contract, not by the route that refuses it. */
export function serviceAsParty({ deps, world }: Pick<RegistryTest, "deps" | "world">): SecondParty {
  const account = privateKeyToAccount(world.contracts.keys.registrar);
  const secret = generatePrivateKey();
  return {
    account: account.address,
    secretOf: () => secret,
    join: async (call, campaignId) => {
      const { campaign = 0 } = (await deps.campaigns.byId(campaignId)) ?? {};
      const { commitment, deadline, signature } = await signedParty(world, account, { campaign, round: 0, secret });
      await submitCall(
        deps,
        {},
        {
          sender: "operator",
          contract: "campaigns",
          functionName: "joinDrawFor",
          args: [campaign, account.address, commitment, BigInt(deadline), signature],
          purpose: "test",
        },
      );
      deps.campaigns.noteChange(campaign);
      return requireStatus(await call("GET", `/campaigns/${campaignId}`), 200).body as CampaignResponse;
    },
    reveal: async (call, campaignId) =>
      requireStatus(await call("POST", `/campaigns/${campaignId}/draw/secret`, { secret }), 200)
        .body as CampaignResponse,
  };
}

/** The signed commitment of an account to a secret. */
export async function signedParty(world: TestWorld, account: PrivateKeyAccount, order: PartyOrder) {
  const chainId = Number(await world.anvil.rpc("eth_chainId"));
  return signCommitment({ chainId, campaigns: world.contracts.addresses.campaigns }, account, order);
}

type PartyOrder = { campaign: number; round: number; secret: Hex };

/** The same on any chain. */
export async function signCommitment(
  { chainId, campaigns }: { chainId: number; campaigns: Hex },
  account: PrivateKeyAccount,
  { campaign, round, secret }: PartyOrder,
) {
  const types = parseAbiParameters("bytes32, address");
  const commitment = keccak256(encodeAbiParameters(types, [secret, account.address]));
  // Tests move the chain's clock ahead of this machine's.
  const deadline = Math.floor(Date.now() / 1_000) + 365 * 86_400;
  const typedData = drawParty({ chainId, verifyingContract: campaigns }, { campaign, round, commitment, deadline });
  const signature = await account.signTypedData(typedData as unknown as TypedDataDefinition);
  return { account: account.address, commitment, deadline, signature };
}

/** Draw a committed campaign by two parties. */
export async function drawByTwoParties(
  party: SecondParty,
  call: Caller,
  campaignId: string,
): Promise<CampaignResponse> {
  await party.join(call, campaignId);
  const path = `/campaigns/${encodeURIComponent(campaignId)}/draw`;
  requireStatus(await call("POST", path), 200);
  return party.reveal(call, campaignId);
}
