import { type Address, getContract, type Hex, zeroAddress, zeroHash } from "viem";
import { campaignsAbi } from "../../../deployments/abi/campaigns.ts";
import { type Chain, dateOf } from "../../platform/chain/index.ts";
import { idHash, type Registry } from "../registry/index.ts";
import { campaignStatuses, type DiscardReason, discardReasons, dropReasons, groupOf } from "./groups.ts";
import type { CampaignState, CampaignStatus, DrawRound } from "./model.ts";
import type { MissingRow, ReplacementRow, StoredCampaign } from "./tables.ts";
import { type CampaignTerms, readTerms } from "./terms/terms.ts";

export type CampaignChain = Pick<Chain, "client" | "addresses" | "past" | "head">;

const statuses: (CampaignStatus | null)[] = [null, ...campaignStatuses];

/** A draw as its event tells it. `blockNumber` and `transactionHash` are the drawing transaction's. */
export type Draw = {
  campaign: number;
  drawBlock: number;
  blockHash: Hex;
  seed: Hex;
  /** Whether neither party alone could have chosen the draw. */
  twoParties: boolean;
  blockNumber: number;
  transactionHash: Hex;
};

type PartyAct = { round: number; account: Address; blockNumber: number; transactionHash: Hex };

/** The acts of all parties in all rounds of a draw. */
export type DrawHistory = {
  committed: (PartyAct & { commitment: Hex })[];
  revealed: (PartyAct & { secret: Hex })[];
  withheld: PartyAct[];
};

/** A draw that was discarded after it was open. `seed` is null where the draw was not complete. */
export type DiscardedDraw = {
  round: number;
  reason: DiscardReason;
  operator: Address;
  secondParty: Address | null;
  drawBlock: number;
  seed: Hex | null;
  blockNumber: number;
  transactionHash: Hex;
};

/** Terms that took the place of earlier ones before the draw. */
export type Amendment = {
  version: number;
  reason: string;
  terms: CampaignTerms;
  transactionHash: Hex;
  blockNumber: number;
};

/** The close of a campaign, with its transaction. */
export type Close = { resultHash: Hex; transactionHash: Hex; blockNumber: number };

/** `discardedBy`: the operator's account of a draw that was or could be known before the campaign was abandoned; null without one. */
export type Abandonment = { reason: string; transactionHash: Hex; discardedBy: Address | null };

const commitmentOf = ({ round, commitment }: { round: number; commitment: Hex }) => ({ round, commitment });

/** What the chain has of campaigns: their contract's state and events. */
export function openCampaignLedger(chain: CampaignChain, registry: Registry) {
  const contract = getContract({ abi: campaignsAbi, address: chain.addresses.campaigns, client: chain.client });
  return {
    indexOf: (campaignId: string): Promise<number> => contract.read.campaignIndex([idHash(campaignId)]),
    isTaken: async (campaign: number): Promise<boolean> => (await contract.read.campaignCount()) >= campaign,
    /** @throws Error for an index that no campaign has */
    async stateOf(campaign: number): Promise<CampaignState> {
      const found = await contract.read.campaignOf([campaign]);
      const status = statuses[found.status];
      if (!status) throw new Error(`The chain knows no campaign ${campaign}.`);
      return {
        status,
        drawBlock: found.drawBlock === 0n ? null : Number(found.drawBlock),
        twoParties: found.twoParties,
        seed: found.seed === zeroHash ? null : found.seed,
        drawnTo: { reference: found.drawnTo[0], intervention: found.drawnTo[1] },
        claims: { reference: found.referenceClaims, intervention: found.interventionClaims },
        openPositions: found.openPositions,
        missing: { reference: found.missing[0], intervention: found.missing[1] },
        termsVersion: found.termsVersion,
        resultHash: status === "closed" ? found.resultHash : null,
        certificate: found.certificate === 0 ? null : found.certificate,
      };
    },
    async drawRoundOf(campaign: number): Promise<DrawRound> {
      const found = await contract.read.drawOf([campaign]);
      const partyOf = (account: Address, commitment: Hex, secret: Hex) =>
        commitment === zeroHash ? null : { account, commitment, secret: secret === zeroHash ? null : secret };
      return {
        round: found.round,
        operator: partyOf(found.operator, found.operatorCommitment, found.operatorSecret),
        secondParty: partyOf(found.party, found.partyCommitment, found.partySecret),
        deadline: found.deadline === 0n ? null : Number(found.deadline),
      };
    },
    /** Everything that parties did in all rounds of a draw. */
    async drawHistoryOf(campaign: number): Promise<DrawHistory> {
      const [joined, opened, revealed, withheld] = await Promise.all([
        chain.past("campaigns", "DrawJoined", { campaign }),
        chain.past("campaigns", "DrawOpened", { campaign }),
        chain.past("campaigns", "SecretRevealed", { campaign }),
        chain.past("campaigns", "SecretWithheld", { campaign }),
      ]);
      const placed = <T>(event: { transactionHash: Hex; blockNumber: bigint }, facts: T) => ({
        ...facts,
        blockNumber: Number(event.blockNumber),
        transactionHash: event.transactionHash,
      });
      return {
        committed: [
          ...opened.map((event) => placed(event, { ...commitmentOf(event.args), account: event.args.operator })),
          ...joined.map((event) => placed(event, { ...commitmentOf(event.args), account: event.args.party })),
        ],
        revealed: revealed.map((event) => {
          const { round, party: account, secret } = event.args;
          return placed(event, { round, account, secret });
        }),
        withheld: withheld.map((event) => {
          const { round, party: account } = event.args;
          return placed(event, { round, account });
        }),
      };
    },
    /** Every draw of a campaign that was discarded after it was open, in their order. */
    async discardedDrawsOf(campaign: number): Promise<DiscardedDraw[]> {
      const events = await chain.past("campaigns", "DrawDiscarded", { campaign });
      return events.map(({ args, transactionHash, blockNumber }) => ({
        round: args.round,
        reason: discardReasons[args.reason] ?? "campaign-abandoned",
        operator: args.operator,
        secondParty: args.party === zeroAddress ? null : args.party,
        drawBlock: Number(args.drawBlock),
        seed: args.seed === zeroHash ? null : args.seed,
        blockNumber: Number(blockNumber),
        transactionHash,
      }));
    },
    /** A campaign as its commit's event tells it; null when there is none. */
    async registrationOf(campaign: number): Promise<StoredCampaign | null> {
      const [event] = await chain.past("campaigns", "CampaignCommitted", { campaign });
      if (!event) return null;
      const { registration } = event.args;
      return {
        campaignId: registration.campaignId,
        campaign,
        plan: registration.plan,
        implementer: (await registry.plans.termsOf(registration.plan)).implementer,
        startDate: dateOf(registration.startDay),
        endDate: dateOf(registration.endDay),
        sampleSize: registration.sampleSize,
        referenceRoot: registration.referenceFrame.root,
        referenceSize: registration.referenceFrame.size,
        interventionRoot: registration.interventionFrame.root,
        interventionSize: registration.interventionFrame.size,
        terms: readTerms(registration.terms),
        transactionHash: event.transactionHash,
        blockNumber: Number(event.blockNumber),
        committedAt: await registry.ledger.timeOf(event.blockNumber),
      };
    },
    /** Every amendment of the terms, in their order. */
    async amendmentsOf(campaign: number): Promise<Amendment[]> {
      const events = await chain.past("campaigns", "CampaignAmended", { campaign });
      return events.map(({ args, transactionHash, blockNumber }) => ({
        version: args.version,
        reason: args.reason,
        terms: readTerms(args.terms),
        transactionHash,
        blockNumber: Number(blockNumber),
      }));
    },
    /** The close; null before it. */
    async closeOf(campaign: number): Promise<Close | null> {
      const [event] = await chain.past("campaigns", "CampaignClosed", { campaign });
      if (!event) return null;
      const { args, transactionHash, blockNumber } = event;
      return { resultHash: args.resultHash, transactionHash, blockNumber: Number(blockNumber) };
    },
    /** Why a campaign was abandoned; null when it was not. */
    async abandonmentOf(campaign: number): Promise<Abandonment | null> {
      const [event] = await chain.past("campaigns", "CampaignAbandoned", { campaign });
      if (!event) return null;
      const discardedBy = await knownDrawBy(chain, campaign, event.blockNumber);
      return { reason: event.args.reason, transactionHash: event.transactionHash, discardedBy };
    },
    /** The draw; null before it. */
    async drawOf(campaign: number): Promise<Draw | null> {
      const [event] = await chain.past("campaigns", "CampaignDrawn", { campaign });
      if (!event) return null;
      const { drawBlock, blockHash, seed, twoParties } = event.args;
      const { transactionHash, blockNumber } = event;
      const place = { blockNumber: Number(blockNumber), transactionHash };
      return { campaign, drawBlock: Number(drawBlock), blockHash, seed, twoParties, ...place };
    },
    /** The draw blocks whose hash went out of reach unused, each with the block that took its place. */
    async postponementsOf(campaign: number): Promise<{ blockNumber: number; drawBlock: number }[]> {
      const events = await chain.past("campaigns", "DrawPostponed", { campaign });
      return events.map(({ args, blockNumber }) => ({
        blockNumber: Number(blockNumber),
        drawBlock: Number(args.drawBlock),
      }));
    },
    /** Every replacement, in their order. */
    async replacementsOf(campaign: number): Promise<ReplacementRow[]> {
      const events = await chain.past("campaigns", "HouseholdReplaced", { campaign });
      return events.map(({ args, transactionHash, blockNumber }) => ({
        campaign,
        group: groupOf(args.group),
        dropped: args.dropped,
        replacement: args.replacement,
        reason: dropReasons[args.reason] ?? "other",
        note: null,
        evidence: null,
        transactionHash,
        blockNumber: Number(blockNumber),
      }));
    },
    /** Every position that ended as missing, in their order. */
    async missingOf(campaign: number): Promise<MissingRow[]> {
      const events = await chain.past("campaigns", "PositionMissing", { campaign });
      return events.map(({ args, transactionHash, blockNumber }) => ({
        campaign,
        group: groupOf(args.group),
        position: args.position,
        reason: dropReasons[args.reason] ?? "other",
        note: null,
        evidence: null,
        transactionHash,
        blockNumber: Number(blockNumber),
      }));
    },
  };
}
export type CampaignLedger = ReturnType<typeof openCampaignLedger>;

/**
 * Find the operator that could know a draw of a campaign at a block: the hash of the draw block was known, or the operator had withheld
 * its secret so that the draw was repeated. Null when there is none.
 */
async function knownDrawBy(chain: CampaignChain, campaign: number, block: bigint): Promise<Address | null> {
  const [opened, withheld] = await Promise.all([
    chain.past("campaigns", "DrawOpened", { campaign }),
    chain.past("campaigns", "SecretWithheld", { campaign }),
  ]);
  const rounds = opened.map(({ args: { round, operator, drawBlock } }) => {
    const ofRound = withheld.filter(({ args }) => args.round === round);
    const hasWithheld = ofRound.some(({ args }) => args.party === operator);
    // A round that ended because only the second party withheld was not the operator's choice.
    return { operator, isKnown: ofRound.length > 0 ? hasWithheld : drawBlock < block };
  });
  return rounds.findLast(({ isKnown }) => isKnown)?.operator ?? null;
}
