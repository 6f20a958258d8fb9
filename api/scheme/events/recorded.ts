import type { Database } from "../../platform/db/index.ts";
import type { Described, ReadRecorded, RecordedEvent } from "../../platform/events/index.ts";
import { actsAtBlocks, type VerificationAct } from "../campaigns/index.ts";
import { nobody } from "./describer.ts";
import { EventLookup, type LookupSource } from "./lookup.ts";

/** Open the events that are recorded in the database instead of the chain: acts of a campaign's verification. */
export function openRecordedEvents(sources: LookupSource & { db: Database }): ReadRecorded {
  const look = new EventLookup(sources);
  return async (fromBlock, toBlock) => {
    const acts = await actsAtBlocks(sources.db, fromBlock, toBlock);
    return Promise.all(
      acts.map(async (act): Promise<RecordedEvent> => {
        const { campaignId, implementerDid } = await look.campaign(act.campaign);
        const { type, facts } = describeAct(act);
        return {
          id: `evt_${act.hash.slice(2)}_0_0`,
          block: act.block ?? 0n,
          occurredAt: act.at,
          type,
          parties: { ...nobody, implementerDid },
          data: { campaignId, ...facts },
        };
      }),
    );
  };
}

/** Texts and references of findings are left out: not everyone who receives the event may read them. */
function describeAct({ finding, content }: VerificationAct): { type: Described["type"]; facts: object } {
  switch (content.act) {
    case "opened":
      return { type: "finding.opened", facts: { number: finding, kind: content.kind } };
    case "verified":
      return {
        type: "data_room.signed",
        facts: {
          issuerDid: content.issuer,
          dataRoomHash: content.dataRoomHash,
          credentialHash: content.credentialHash,
        },
      };
    default:
      return { type: `finding.${content.act}`, facts: { number: finding } };
  }
}
