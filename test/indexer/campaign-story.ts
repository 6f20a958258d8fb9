import { encodeAbiParameters, keccak256, parseAbiParameters, stringToHex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type KptClaimParts, kptClaimIdOf } from "../../wire/src/ids.ts";
import { registration, today } from "./story.ts";
import type { World } from "./world.ts";

const HISTORY = "0x0000F90827F1C53a10cb7A02335B175320002935";
export const postponedId = "KPT-CAMPAIGN-1";
const hash = (seed: string) => keccak256(stringToHex(seed));

/** What the campaigns of the story leave behind, for the tests to look up. */
export type CampaignStory = {
  campaignId: string;
  certificateId: string;
  /** Claims of the campaign in the order of their records; the first is revoked, and the last takes its place. */
  claims: bigint[];
  lastBlock: bigint;
};

const claimOf = (claim: bigint) => ({
  claim,
  claimHash: hash(`claim ${claim}`),
  credentialHash: hash(`KPT credential ${claim}`),
});

const campaignOf = (campaignId: string, plan: number) => ({
  campaignId,
  plan,
  startDay: 19_754,
  endDay: 19_784,
  sampleSize: 10,
  referenceFrame: { root: hash(`${campaignId} reference`), size: 12 },
  interventionFrame: { root: hash(`${campaignId} intervention`), size: 15 },
  terms: '{"season":"dry"}',
});

async function mine(world: World, blocks: number): Promise<void> {
  for (let mined = 0; mined < blocks; mined++) await world.anvil.rpc("evm_mine");
}

const secretOf = (party: string) => hash(`${party}'s secret`);

async function commitSecret(world: World, party: "operator" | "evaluator", campaign: number): Promise<void> {
  const { address } = privateKeyToAccount(world.contracts.keys[party]);
  const types = parseAbiParameters("bytes32, address");
  const commitment = keccak256(encodeAbiParameters(types, [secretOf(party), address]));
  const name = party === "operator" ? "openDraw" : "joinDraw";
  await world.send(party, "campaigns", name, [campaign, commitment]);
}

/** Both parties commit and reveal. */
async function draw(world: World, campaign: number): Promise<void> {
  await commitSecret(world, "evaluator", campaign);
  await commitSecret(world, "operator", campaign);
  await mine(world, 3);
  await world.send("deployer", "campaigns", "reveal", [campaign, secretOf("operator")]);
  await world.send("deployer", "campaigns", "reveal", [campaign, secretOf("evaluator")]);
}

/** Campaign 2 from its commitment to the vouchers of its certificate; campaign 1, of `commitLongBefore`, is postponed. */
export async function tellCampaigns(world: World): Promise<CampaignStory> {
  const { send } = world;
  const story = { campaignId: "KPT-CAMPAIGN-2", certificateId: "CERT-KPT-1" };
  await send("operator", "campaigns", "commit", [campaignOf(story.campaignId, 1)]);
  await send("operator", "campaigns", "amend", [2, '{"season":"wet"}', "the rains came early"]);
  await draw(world, 2);
  await send("operator", "campaigns", "replace", [2, 0, 1, 2, hash("a photo")]);
  await send("operator", "campaigns", "replace", [2, 1, 2, 1, hash("evidence")]);
  await send("operator", "campaigns", "markMissing", [2, 1, 9, 3, zeroHash]);

  const id = (parts: Omit<KptClaimParts, "campaign" | "number">) => kptClaimIdOf({ campaign: 2, number: 1, ...parts });
  const claims = [
    id({ group: "reference", position: 0 }),
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((position) => id({ group: "reference", position })),
    ...[0, 1, 3, 4, 5, 6, 7, 8, 10].map((position) => id({ group: "intervention", position })),
  ];
  const [first = 0n, ...others] = claims;
  await send("operator", "campaigns", "record", Object.values(claimOf(first)));
  const unknown = kptClaimIdOf({ campaign: 0xffff_ffff, group: "intervention", position: 0x7fff_ffff, number: 1 });
  const dropped = id({ group: "reference", position: 1 });
  await send("operator", "campaigns", "recordMany", [[...others, first, dropped, unknown].map(claimOf)]);
  await send("evaluator", "campaigns", "revoke", [first, "wrong-household"]);
  const again = kptClaimIdOf({ campaign: 2, group: "reference", position: 0, number: 2 });
  await send("operator", "campaigns", "record", Object.values(claimOf(again)));
  await send("operator", "campaigns", "close", [2, hash("result")]);

  const certified = { ...registration(story.certificateId, 30_000_000n, 0, 9_000n), plan: 1 };
  await send("registrar", "certificates", "registerCertificate", [certified]);
  const certificate = await world.read("certificates", "certificateIndex", [hash(story.certificateId)]);
  await send("registrar", "campaigns", "certify", [2, certificate]);
  const startDay = await today(world);
  const order = { certificate, leaf: 0, household: 2, value: 30_000_000n, startDay, expiryDay: startDay + 60 };
  await send("operator", "vouchers", "issue", [{ ...order, batchId: "KPT-BATCH", proof: [] }]);
  return { ...story, claims: [...claims, again], lastBlock: await postpone(world) };
}

/** Campaign 1, long before the story: its draw is repeated once, and then its block is out of the BLOCKHASH opcode's reach. */
export async function commitLongBefore(world: World): Promise<void> {
  const { anvil, send } = world;
  await send("operator", "campaigns", "commit", [campaignOf(postponedId, 0)]);
  await commitSecret(world, "operator", 1);
  await anvil.rpc("evm_increaseTime", [86_401]);
  await anvil.rpc("evm_mine");
  await send("deployer", "campaigns", "repeatDraw", [1]);
  await commitSecret(world, "operator", 1);
  await anvil.rpc("anvil_mine", ["0x110"]);
}

/** Postpones the draw of campaign 1 while the chain has no history of EIP-2935, so that nobody knows its block's hash any more. */
async function postpone({ anvil, send }: World): Promise<bigint> {
  const history = await anvil.rpc("eth_getCode", [HISTORY, "latest"]);
  await anvil.rpc("anvil_setCode", [HISTORY, "0x"]);
  const { blockNumber } = await send("deployer", "campaigns", "postponeDraw", [1]);
  await anvil.rpc("anvil_setCode", [HISTORY, history]);
  return blockNumber;
}
