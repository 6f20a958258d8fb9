import { zeroAddress, zeroHash } from "viem";
import { encodeKptClaimId, partsOfKptClaim } from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import type { Described, EventType } from "../../platform/events/index.ts";
import { discardReasons, dropReasons, groupOf } from "../campaigns/index.ts";
import { type Describer, nobody, on } from "./describer.ts";
import type { EventLookup } from "./lookup.ts";

/**
 * Events name households by their position in the draw. Only the household of a claim appears by DID, as a recipient.
 */
export const campaignDescribers: [string, Describer][] = [
  on("campaigns", "CampaignCommitted", ({ campaign }, look) => ofCampaign("campaign.committed", campaign, look, {})),
  on("campaigns", "DrawJoined", ({ campaign, round, party, commitment }, look) =>
    ofCampaign("campaign.draw_joined", campaign, look, { round, account: party, commitment }),
  ),
  on("campaigns", "DrawOpened", ({ campaign, round, operator, party, commitment, drawBlock, deadline }, look) =>
    ofCampaign("campaign.draw_opened", campaign, look, {
      round,
      account: operator,
      commitment,
      secondParty: party === zeroAddress ? null : party,
      drawBlock: Number(drawBlock),
      deadline: isoTime(deadline),
    }),
  ),
  on("campaigns", "DrawPostponed", ({ campaign, drawBlock, deadline }, look) =>
    ofCampaign("campaign.draw_postponed", campaign, look, {
      drawBlock: Number(drawBlock),
      deadline: isoTime(deadline),
    }),
  ),
  on("campaigns", "SecretRevealed", ({ campaign, round, party, secret }, look) =>
    ofCampaign("campaign.secret_revealed", campaign, look, { round, account: party, secret }),
  ),
  on("campaigns", "SecretWithheld", ({ campaign, round, party }, look) =>
    ofCampaign("campaign.secret_withheld", campaign, look, { round, account: party }),
  ),
  on("campaigns", "DrawDiscarded", ({ campaign, round, reason, operator, party, drawBlock, seed }, look) =>
    ofCampaign("campaign.draw_discarded", campaign, look, {
      round,
      reason: discardReasons[reason],
      account: operator,
      secondParty: party === zeroAddress ? null : party,
      drawBlock: Number(drawBlock),
      seed: seed === zeroHash ? null : seed,
    }),
  ),
  on("campaigns", "CampaignDrawn", ({ campaign, drawBlock, blockHash, seed, twoParties }, look) =>
    ofCampaign("campaign.drawn", campaign, look, { drawBlock: Number(drawBlock), blockHash, seed, twoParties }),
  ),
  on("campaigns", "HouseholdReplaced", ({ campaign, group, dropped, replacement, reason }, look) =>
    ofCampaign("campaign.household_replaced", campaign, look, {
      testGroup: groupOf(group),
      dropped,
      replacement,
      reason: dropReasons[reason],
    }),
  ),
  on("campaigns", "PositionMissing", ({ campaign, group, position, reason }, look) =>
    ofCampaign("campaign.household_missing", campaign, look, {
      testGroup: groupOf(group),
      position,
      reason: dropReasons[reason],
    }),
  ),
  on("campaigns", "CampaignAmended", ({ campaign, version, reason }, look) =>
    ofCampaign("campaign.amended", campaign, look, { version, reason }),
  ),
  on("campaigns", "CampaignAbandoned", ({ campaign, reason }, look) =>
    ofCampaign("campaign.abandoned", campaign, look, { reason }),
  ),
  on("campaigns", "CampaignClosed", ({ campaign, resultHash }, look) =>
    ofCampaign("campaign.closed", campaign, look, { resultHash }),
  ),
  on("campaigns", "CampaignCertified", async ({ campaign, certificate }, look) => {
    const { emissionCertificateId } = await look.certificate(certificate);
    return ofCampaign("campaign.certified", campaign, look, { emissionCertificateId });
  }),
  on("campaigns", "KptClaimRecorded", ({ claim, claimHash, credentialHash }, look) =>
    ofKptClaim("kpt_claim.verified", claim, look, { claimHash, credentialHash }),
  ),
  on("campaigns", "KptClaimRevoked", ({ claim, reason }, look) =>
    ofKptClaim("kpt_claim.revoked", claim, look, { reason }),
  ),
];

async function ofCampaign(type: EventType, index: number, look: EventLookup, facts: object): Promise<Described[]> {
  const { campaignId, implementerDid } = await look.campaign(index);
  return [{ type, parties: { ...nobody, implementerDid }, data: { campaignId, ...facts } }];
}

async function ofKptClaim(type: EventType, claim: bigint, look: EventLookup, facts: object): Promise<Described[]> {
  const { campaign, group, position } = partsOfKptClaim(claim);
  const { campaignId, implementerDid } = await look.campaign(campaign);
  const householdDid = await look.sampledDid(campaign, group, position);
  const data = { claimId: encodeKptClaimId(claim), campaignId, testGroup: group, ...facts };
  return [{ type, parties: { supplierDid: null, implementerDid, householdDid }, data }];
}
