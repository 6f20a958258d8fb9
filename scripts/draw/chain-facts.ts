import { type Address, createPublicClient, type Hex, http, type PublicClient, zeroAddress, zeroHash } from "viem";
import { z } from "zod";
import { createPartReader } from "../../api/platform/chain/node/past.ts";
import { campaignStatuses, discardReasons } from "../../api/scheme/campaigns/groups.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { partsOfKptClaim } from "../../wire/src/ids.ts";

const hash = z.custom<Hex>(
  (value) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value),
  "A hash is expected.",
);
const number = z.number().int().min(0);
const groupName = z.enum(["reference", "intervention"]);
const place = { blockNumber: number, logIndex: number, transactionHash: hash };
const account = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const partyAct = { ...place, round: number, account };
const frame = z.object({ root: hash, size: number });

/** The chain's data about a campaign's draw. As JSON it can be stored and compared without a chain. */
export const chainFacts = z.object({
  format: z.literal("hearth-draw-facts-2"),
  chainId: number,
  contract: z.string(),
  campaign: number,
  /** The latest block when it was read. */
  readAt: z.object({ blockNumber: number, blockHash: hash }),
  committed: z.object({
    ...place,
    campaignId: z.string(),
    sampleSize: number,
    frames: z.object({ reference: frame, intervention: frame }),
  }),
  /** Terms in force, as JSON: those of the last amendment, else of the commit; absent from facts that were stored earlier. */
  terms: z.string().optional(),
  status: z.enum(campaignStatuses),
  /** Second parties that have the operator's role now; absent from facts that were stored earlier. */
  operators: z.array(account).optional(),
  /** Commitments of second parties. */
  joined: z.array(z.object({ ...partyAct, commitment: hash })),
  /** Commitments of operators, each of which fixed a draw block. `party` is the second party, null without one. */
  opened: z.array(z.object({ ...partyAct, commitment: hash, party: account.nullable(), drawBlock: number })),
  revealed: z.array(z.object({ ...partyAct, secret: hash })),
  withheld: z.array(z.object(partyAct)),
  /** Draws whose block's hash was no longer available, each with the block that replaced it. */
  postponed: z.array(z.object({ ...place, drawBlock: number })),
  /** Draws that were discarded after they were open; absent from facts that were stored earlier. */
  discarded: z
    .array(
      z.object({
        ...place,
        round: number,
        reason: z.enum(discardReasons),
        operator: account,
        secondParty: account.nullable(),
        drawBlock: number,
        seed: hash.nullable(),
      }),
    )
    .optional(),
  /** Other campaigns with one of this one's frames that were opened to be drawn; absent from facts that were stored earlier. */
  sameFrame: z
    .array(z.object({ campaign: number, group: groupName, status: z.enum(campaignStatuses), drawBlock: number }))
    .optional(),
  drawn: z.object({ ...place, drawBlock: number, blockHash: hash, seed: hash, twoParties: z.boolean() }).nullable(),
  /** The draw block's hash, read from the chain. */
  drawBlockHash: hash.nullable(),
  /** The same block's time, unix seconds; absent from facts that were stored earlier. */
  drawBlockTime: number.optional(),
  replaced: z.array(z.object({ ...place, group: groupName, dropped: number, replacement: number, reason: number })),
  claims: z.array(z.object({ ...place, claim: z.string().regex(/^\d+$/), group: groupName, position: number })),
  /** The contract's count of positions, which detects a node that omits events. */
  drawnTo: z.object({ reference: number, intervention: number }),
});
export type ChainFacts = z.infer<typeof chainFacts>;

type Source = { rpcUrl: string; contract: Address; campaign: number; fromBlock: number };
type PlacedLog = { blockNumber: bigint; logIndex: number; transactionHash: Hex };
const placeOf = (log: PlacedLog) => ({
  blockNumber: Number(log.blockNumber),
  logIndex: log.logIndex,
  transactionHash: log.transactionHash,
});
const groupOf = (group: number) => (group === 0 ? ("reference" as const) : ("intervention" as const));

/** @param status as the contract numbers it: 0 for an unknown campaign */
function requireStatus(status: number): (typeof campaignStatuses)[number] {
  const name = campaignStatuses[status - 1];
  if (name === undefined) throw new Error(`The contract has no campaign of that number: status ${status}.`);
  return name;
}

/** Which accounts have the operator's role now. The contract lets no operator join, but a role can be granted later. */
async function operatorsAmong(
  client: PublicClient,
  contract: Address,
  accounts: readonly Address[],
): Promise<Address[]> {
  if (accounts.length === 0) return [];
  const address = await client.readContract({ abi: campaignsAbi, address: contract, functionName: "PARTICIPANTS" });
  const found: Address[] = [];
  for (const account of new Set(accounts)) {
    const args = [roleNumbers.operator, account] as const;
    const [isMember] = await client.readContract({ abi: participantsAbi, address, functionName: "hasRole", args });
    if (isMember) found.push(account);
  }
  return found;
}

/**
 * Find other campaigns with one of these frames whose draw was opened. Somebody who commits a frame several times can continue the
 * campaign whose draw suits it. The state shows this without a search through all events.
 */
async function campaignsOfFrames(
  client: PublicClient,
  { contract, campaign }: Pick<Source, "contract" | "campaign">,
  roots: Record<z.infer<typeof groupName>, Hex>,
): Promise<NonNullable<ChainFacts["sameFrame"]>> {
  const base = { abi: campaignsAbi, address: contract } as const;
  const count = await client.readContract({ ...base, functionName: "campaignCount" });
  const found: NonNullable<ChainFacts["sameFrame"]> = [];
  for (let other = 1; other <= count; other++) {
    if (other === campaign) continue;
    const state = await client.readContract({ ...base, functionName: "campaignOf", args: [other] });
    const frames = [state.referenceFrame.root, state.interventionFrame.root];
    const group = groupName.options.find((each) => frames.includes(roots[each]));
    if (group === undefined || state.drawBlock === 0n) continue;
    found.push({ campaign: other, group, status: requireStatus(state.status), drawBlock: Number(state.drawBlock) });
  }
  return found;
}

/** Reads the facts by JSON-RPC. @throws Error with a sentence when the chain has no such campaign */
export async function readChainFacts({ rpcUrl, contract, campaign, fromBlock }: Source): Promise<ChainFacts> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
  const inParts = createPartReader(client, BigInt(fromBlock));
  const base = { abi: campaignsAbi, address: contract, args: { campaign }, strict: true } as const;
  const head = await client.getBlock();
  const [committed] = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "CampaignCommitted", fromBlock: from, toBlock: to }),
  );
  if (!committed) throw new Error(`From block ${fromBlock} on, the chain has no commit of campaign ${campaign}.`);
  const amended = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "CampaignAmended", fromBlock: from, toBlock: to }),
  );
  const joined = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "DrawJoined", fromBlock: from, toBlock: to }),
  );
  const opened = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "DrawOpened", fromBlock: from, toBlock: to }),
  );
  const revealed = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "SecretRevealed", fromBlock: from, toBlock: to }),
  );
  const withheld = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "SecretWithheld", fromBlock: from, toBlock: to }),
  );
  const postponed = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "DrawPostponed", fromBlock: from, toBlock: to }),
  );
  const discarded = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "DrawDiscarded", fromBlock: from, toBlock: to }),
  );
  const [drawn] = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "CampaignDrawn", fromBlock: from, toBlock: to }),
  );
  const replaced = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "HouseholdReplaced", fromBlock: from, toBlock: to }),
  );
  const recorded = await inParts((from, to) =>
    client.getContractEvents({ ...base, eventName: "KptClaimRecorded", fromBlock: from, toBlock: to }),
  );
  const state = await client.readContract({
    abi: campaignsAbi,
    address: contract,
    functionName: "campaignOf",
    args: [campaign],
  });
  const drawBlock = drawn && (await client.getBlock({ blockNumber: drawn.args.drawBlock }));
  const { registration } = committed.args;
  return {
    format: "hearth-draw-facts-2",
    chainId: await client.getChainId(),
    contract,
    campaign,
    readAt: { blockNumber: Number(head.number), blockHash: head.hash },
    committed: {
      ...placeOf(committed),
      campaignId: registration.campaignId,
      sampleSize: registration.sampleSize,
      frames: { reference: registration.referenceFrame, intervention: registration.interventionFrame },
    },
    terms: amended.at(-1)?.args.terms ?? registration.terms,
    status: requireStatus(state.status),
    operators: await operatorsAmong(
      client,
      contract,
      joined.map(({ args }) => args.party),
    ),
    joined: joined.map((log) => {
      const { round, party, commitment } = log.args;
      return { ...placeOf(log), round, account: party, commitment };
    }),
    opened: opened.map((log) => {
      const { round, operator, commitment, party, drawBlock } = log.args;
      return {
        ...placeOf(log),
        round,
        account: operator,
        commitment,
        party: party === zeroAddress ? null : party,
        drawBlock: Number(drawBlock),
      };
    }),
    revealed: revealed.map((log) => {
      const { round, party, secret } = log.args;
      return { ...placeOf(log), round, account: party, secret };
    }),
    withheld: withheld.map((log) => ({ ...placeOf(log), round: log.args.round, account: log.args.party })),
    postponed: postponed.map((log) => ({ ...placeOf(log), drawBlock: Number(log.args.drawBlock) })),
    discarded: discarded.map((log) => {
      const { round, reason, operator, party, drawBlock, seed } = log.args;
      const name = discardReasons[reason];
      if (name === undefined) throw new Error(`The contract knows no reason ${reason} of a discarded draw.`);
      return {
        ...placeOf(log),
        round,
        reason: name,
        operator,
        secondParty: party === zeroAddress ? null : party,
        drawBlock: Number(drawBlock),
        seed: seed === zeroHash ? null : seed,
      };
    }),
    sameFrame: await campaignsOfFrames(
      client,
      { contract, campaign },
      { reference: registration.referenceFrame.root, intervention: registration.interventionFrame.root },
    ),
    drawn: drawn
      ? {
          ...placeOf(drawn),
          drawBlock: Number(drawn.args.drawBlock),
          blockHash: drawn.args.blockHash,
          seed: drawn.args.seed,
          twoParties: drawn.args.twoParties,
        }
      : null,
    drawBlockHash: drawBlock?.hash ?? null,
    ...(drawBlock === undefined ? {} : { drawBlockTime: Number(drawBlock.timestamp) }),
    replaced: replaced.map((log) => {
      const { group, dropped, replacement, reason } = log.args;
      return { ...placeOf(log), group: groupOf(group), dropped, replacement, reason };
    }),
    claims: recorded.map((log) => {
      const { group, position } = partsOfKptClaim(log.args.claim);
      return { ...placeOf(log), claim: String(log.args.claim), group, position };
    }),
    drawnTo: { reference: state.drawnTo[0], intervention: state.drawnTo[1] },
  };
}
