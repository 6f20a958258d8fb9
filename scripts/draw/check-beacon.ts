import type { Hex } from "viem";
import { beaconFault } from "../../api/scheme/campaigns/beacon/client.ts";
import { beaconRoundOf, beaconTimeOf, quicknet } from "../../api/scheme/campaigns/beacon/terms.ts";
import type { DrawDocument } from "../../api/scheme/campaigns/draw/document-schema.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { checkDraw, type Finding } from "./check-draw.ts";
import type { KnownAccounts } from "./known-accounts.ts";
import { beaconOfTerms } from "./sampling-terms.ts";

/** What is compared: the terms in force, and the time of the draw block as the reader knows it. */
type Committed = { terms?: string | undefined; drawBlockTime?: number | undefined };

/** Check a draw and its public beacon: everything that anyone who has the chain's facts can check. */
export async function checkDrawAndBeacon(
  document: DrawDocument,
  facts: ChainFacts,
  known: KnownAccounts,
): Promise<Finding[]> {
  return [...checkDraw(document, facts, known), ...(await checkBeacon(document, facts, known.beacon))];
}

const yes = (sentence: string): Finding => ({ holds: true, sentence });
const no = (sentence: string): Finding => ({ holds: false, sentence });

/**
 * Check a public beacon's part in a draw: it is the one that the terms commit and the reader knows, its round follows from the draw
 * block's time, and its signature is right.
 * @param publicKey of the beacon that the reader knows, hexadecimal digits
 */
export async function checkBeacon(
  { draw }: DrawDocument,
  { terms, drawBlockTime }: Committed,
  publicKey: string = quicknet.publicKey,
): Promise<Finding[]> {
  const committed = beaconOfTerms(terms);
  const said = draw?.beacon;
  if (committed === undefined) {
    return said === undefined ? [] : [no("The document has a public beacon; the terms commit none.")];
  }
  if (draw === null) return [];
  if (said === undefined) return [no(`The terms commit the beacon ${committed.chainHash}; the document has none.`)];
  const faults: Finding[] = [];
  if (committed.publicKey !== publicKey) {
    faults.push(
      no(`The beacon that the terms commit has the public key ${committed.publicKey}, not the one that you know.`),
    );
  }
  if (said.chainHash !== committed.chainHash) {
    faults.push(no(`The document's beacon is ${said.chainHash}; the terms commit ${committed.chainHash}.`));
  }
  if (drawBlockTime === undefined)
    faults.push(no("The time of the draw block is not known, so the beacon's round is not."));
  else if (said.drawBlockTime !== drawBlockTime) {
    faults.push(no(`The document's draw block is of ${said.drawBlockTime}; the chain's is of ${drawBlockTime}.`));
  }
  const round = beaconRoundOf(committed, drawBlockTime ?? said.drawBlockTime);
  if (said.round !== round)
    faults.push(no(`The document has round ${said.round} of the beacon; round ${round} counts.`));
  if (said.publishedAt !== beaconTimeOf(committed, said.round)) {
    faults.push(no(`Round ${said.round} of the beacon is published at ${beaconTimeOf(committed, said.round)}.`));
  }
  const fault =
    said.signature === null
      ? `Round ${round} of the beacon is not known to the service: there is no sample to verify.`
      : await beaconFault(committed, { round, signature: said.signature as Hex });
  if (fault !== null) faults.push(no(fault));
  if (faults.length > 0) return faults;
  return [
    yes(
      `The order needs round ${round} of the public beacon ${committed.chainHash}, which was published after the draw block.`,
    ),
  ];
}
