import { implementerDidOf } from "../../access.ts";
import { requireClose } from "../close.ts";
import type { DataRoomPart } from "../part.ts";
import { jsonFile } from "../room-file.ts";

/** What the campaign committed before its draw, each amendment, and the close, with their transactions. */
export const commitmentPart: DataRoomPart = async (deps, { row }) => {
  const { chain, registry } = deps;
  const { campaign } = row;
  const [committed, amended, close] = await Promise.all([
    chain.past("campaigns", "CampaignCommitted", { campaign }),
    chain.past("campaigns", "CampaignAmended", { campaign }),
    requireClose(deps, row),
  ]);
  const [commit] = committed;
  if (commit === undefined) throw new Error(`The chain lacks the commitment of ${row.campaignId}.`);
  const { planId } = await registry.plans.termsOf(row.plan);
  const { referenceFrame, interventionFrame, terms } = commit.args.registration;
  return [
    jsonFile("campaign.json", {
      campaignId: row.campaignId,
      campaign,
      planId,
      implementerDid: await implementerDidOf(deps, row.implementer),
      chainId: chain.id,
      contract: chain.addresses.campaigns,
      testPeriod: { startDate: row.startDate, endDate: row.endDate },
      sampleSize: row.sampleSize,
      frames: { reference: referenceFrame, intervention: interventionFrame },
      // The exact text of the terms on chain.
      terms,
      committed: placeOf(commit),
      amendments: amended.map((event) => {
        const { version, reason, terms: amendedTerms } = event.args;
        return { version, reason, terms: amendedTerms, ...placeOf(event) };
      }),
      closed: { ...close, at: close.at.toISOString() },
    }),
  ];
};

function placeOf({ blockNumber, transactionHash }: { blockNumber: bigint; transactionHash: string }) {
  return { blockNumber: Number(blockNumber), transactionHash };
}
