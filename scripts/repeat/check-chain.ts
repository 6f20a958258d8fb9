import { BaseError, createPublicClient, type Hex, http } from "viem";
import { createPartReader } from "../../api/platform/chain/past.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { encodeKptClaimId } from "../../wire/src/ids.ts";
import { readChainFacts } from "../draw/chain-facts.ts";
import { checkDraw } from "../draw/check-draw.ts";
import { UnavailableError } from "../verifier-command.ts";
import { differencesOf } from "./differences.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

/** Compare the draw, the terms, the claims' hashes and the result's hash with the reader's own node. */
export async function checkChain(data: RoomData, rpcUrl: string, contract: Hex): Promise<Step[]> {
  try {
    return await compare(data, rpcUrl, contract);
  } catch (error) {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new UnavailableError(`The chain could not be read from ${rpcUrl}: ${why}`);
  }
}

async function compare({ campaign, draw, claims }: RoomData, rpcUrl: string, contract: Hex): Promise<Step[]> {
  const number = campaign.campaign;
  const fromBlock = campaign.committed.blockNumber;
  const facts = await readChainFacts({ rpcUrl, contract, campaign: number, fromBlock });
  const findings = checkDraw(draw, facts).filter(({ holds }) => !holds);
  const inParts = createPartReader(
    createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) }),
    BigInt(fromBlock),
  );
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
  const base = { abi: campaignsAbi, address: contract, args: { campaign: number }, strict: true } as const;
  const [committed, amended, closed, recorded, revoked] = [
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "CampaignCommitted", fromBlock: from, toBlock: to }),
    ),
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "CampaignAmended", fromBlock: from, toBlock: to }),
    ),
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "CampaignClosed", fromBlock: from, toBlock: to }),
    ),
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "KptClaimRecorded", fromBlock: from, toBlock: to }),
    ),
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "KptClaimRevoked", fromBlock: from, toBlock: to }),
    ),
  ];
  const isRevoked = new Set(revoked.map(({ args }) => encodeKptClaimId(args.claim)));
  const onChain = recorded
    .map(({ args }) => {
      const id = encodeKptClaimId(args.claim);
      const { claimHash, credentialHash } = args;
      return { id, claimHash, credentialHash, status: isRevoked.has(id) ? "revoked" : "verified" };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const listed = claims.map(({ id, claimHash, credentialHash, status }) => ({ id, claimHash, credentialHash, status }));
  return [
    step(
      "Chain: the node has the same draw",
      findings.map(({ sentence }) => sentence),
    ),
    step(
      "Chain: the node has the same terms, claims and hash of the result",
      [],
      [
        ...differencesOf(campaign.terms, committed[0]?.args.registration.terms, "terms"),
        ...differencesOf(
          campaign.amendments.map(({ terms }) => terms),
          amended.map(({ args }) => args.terms),
          "amendments",
        ),
        ...differencesOf(campaign.closed.resultHash, closed[0]?.args.resultHash, "hash of the result"),
        ...differencesOf(listed, onChain, "claims"),
      ],
    ),
  ];
}
