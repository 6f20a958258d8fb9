import type { Hex } from "viem";
import { checkBeacon } from "../draw/check-beacon.ts";
import { isOfService, isOtherParty, type KnownAccounts } from "../draw/known-accounts.ts";
import {
  commitmentFrom,
  drawnFromStrata,
  drawnInOrder,
  type GroupName,
  groupNames,
  orderSeedFrom,
  seedFrom,
} from "../draw/recompute.ts";
import {
  beaconOfTerms,
  committedRootOf,
  orderGroupOf,
  type SamplingOfTerms,
  samplingOfTerms,
  strataFaults,
} from "../draw/sampling-terms.ts";
import { differencesOf } from "./differences.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

/** Repeat the draw from the frames, the secrets and the block's hash. */
export async function repeatDraw(data: RoomData, known: KnownAccounts): Promise<Step[]> {
  return [
    repeatFrames(data),
    repeatParties(data, known),
    ...discardedDraws(data),
    repeatSeed(data),
    ...(await repeatBeacon(data, known)),
    ...groupNames.map((group) => repeatSample(data, group)),
  ];
}

/** The sampling terms in force at the draw. */
export function samplingOf(campaign: RoomData["campaign"]): SamplingOfTerms | undefined {
  return samplingOfTerms(termsInForce(campaign));
}

function termsInForce({ amendments, terms }: RoomData["campaign"]): string {
  return amendments.at(-1)?.terms ?? terms;
}

function repeatFrames({ campaign, draw }: RoomData): Step {
  const faults: string[] = [];
  const differences = groupNames.flatMap((group) => {
    const { leaves } = draw.groups[group];
    if (new Set(leaves).size !== leaves.length) faults.push(`The ${group} frame names a household twice.`);
    const repeated = {
      root: leaves.length === 0 ? null : committedRootOf(leaves as Hex[], group, samplingOf(campaign)),
      size: leaves.length,
    };
    const { strata } = samplingOf(campaign) ?? {};
    if (strata !== undefined)
      faults.push(...strataFaults({ leaves, indexes: draw.groups[group].strata }, strata, group));
    const total = strata?.reduce((sum, { sampleSize }) => sum + sampleSize, 0) ?? campaign.sampleSize;
    if (total !== campaign.sampleSize)
      faults.push(`The samples of the strata add up to ${total}, not ${campaign.sampleSize}.`);
    return differencesOf(campaign.frames[group], repeated, `frame of the ${group} group`);
  });
  const inReference = new Set(draw.groups.reference.leaves);
  const inBoth = draw.groups.intervention.leaves.filter((leaf) => inReference.has(leaf)).length;
  if (samplingOf(campaign)?.paired !== undefined) {
    differences.push(...differencesOf(draw.groups.reference.leaves, draw.groups.intervention.leaves, "paired frames"));
  } else if (inBoth > 0) faults.push(`${inBoth} households are in both frames.`);
  const stated = [campaign.campaignId, campaign.campaign, campaign.contract.toLowerCase(), campaign.chainId];
  const drawn = [draw.campaignId, draw.campaign, draw.contract.toLowerCase(), draw.chainId];
  differences.push(...differencesOf(stated, drawn, "campaign of the draw"));
  return step("Frames: the households' hashes make the committed Merkle roots", faults, differences);
}

/** The commitments and secrets of the last round, which is the one that was drawn. */
function lastRound({ draw: { parties } }: RoomData) {
  const round = Math.max(0, ...parties.committed.map((each) => each.round));
  const of = <T extends { round: number }>(acts: T[]) => acts.filter((each) => each.round === round);
  return { committed: of(parties.committed), revealed: of(parties.revealed) };
}

function repeatParties(data: RoomData, known: KnownAccounts): Step {
  const { campaign, draw } = data;
  const title = "Parties: secrets as committed before the draw block, revealed after it";
  if (draw.draw === null) return step(title, ["The campaign was not drawn."]);
  const { drawBlock, secrets, twoParties } = draw.draw;
  const faults: string[] = [];
  const { committed, revealed } = lastRound(data);
  for (const { account, commitment, blockNumber } of committed) {
    const secret = revealed.find((each) => each.account === account);
    if (secret === undefined) {
      faults.push(`${account} revealed no secret in the last round.`);
      continue;
    }
    if (commitmentFrom(secret.secret as Hex, account as Hex) !== commitment) {
      faults.push(`The secret of ${account} is not the one that it had committed to.`);
    }
    if (blockNumber >= drawBlock)
      faults.push(`${account} committed in block ${blockNumber}, not before the draw block.`);
    if (secret.blockNumber <= drawBlock) faults.push(`${account} revealed its secret before the draw block was over.`);
  }
  if (campaign.committed.blockNumber >= drawBlock) faults.push("The frames were not committed before the draw block.");
  const revealedSecrets = new Set(revealed.map(({ secret }) => secret));
  for (const secret of [secrets.operator, secrets.secondParty]) {
    if (secret !== null && !revealedSecrets.has(secret))
      faults.push(`The secret ${secret} of the seed was not revealed.`);
  }
  const wanted = samplingOf(campaign)?.secondParty;
  const second = secondPartyOf(data);
  if (wanted !== undefined && second !== wanted.toLowerCase()) {
    faults.push(`The terms commit ${wanted} as the second party; the draw has ${second ?? "none"}.`);
  }
  if (second !== undefined && isOtherParty(second, known)) {
    faults.push(`The second party that you know is ${known.secondParty}; ${second} took part in the draw.`);
  }
  return step(title, faults, differencesOf(twoParties, isByTwoParties(data, known), "draw by two parties"));
}

/** Name each draw that was discarded: somebody may have got another one by it. */
function discardedDraws({ draw: { discarded = [], parties } }: RoomData): Step[] {
  if (discarded.length === 0) return [];
  const withheld = new Set(parties.withheld.map(({ round }) => round));
  const faults = discarded
    .filter(({ round, reason }) => reason === "secret-withheld" && !withheld.has(round))
    .map(({ round }) => `Round ${round} was repeated for a secret that no party withheld.`);
  const notes = discarded.map(
    ({ round, reason, operator, drawBlock, transactionHash }) =>
      `Round ${round}, block ${drawBlock}, opened by ${operator}: ${reason}, in transaction ${transactionHash}.`,
  );
  return [{ ...step(`Discarded draws: ${discarded.length}`, faults), notes }];
}

function secondPartyOf(data: RoomData): string | undefined {
  const secret = data.draw.draw?.secrets.secondParty;
  return lastRound(data)
    .revealed.find((each) => each.secret === secret)
    ?.account.toLowerCase();
}

/** Whether neither party alone could have chosen the draw. */
export function isByTwoParties(data: RoomData, known: KnownAccounts): boolean {
  const { draw } = data;
  const { committed, revealed } = lastRound(data);
  const operator = draw.draw?.secrets.operator;
  const second = secondPartyOf(data);
  if (second === undefined) return false;
  const first = revealed.find(({ secret }) => secret === operator)?.account;
  const isService = isOfService(second, draw.serviceAccounts, known);
  // An operator that withheld its secret in an earlier round had a second draw.
  const gotAnother = draw.parties.withheld.some(({ account }) => account === first);
  return committed.length === 2 && !isService && !gotAnother;
}

function repeatSeed({ campaign, draw }: RoomData): Step {
  const title = "Seed: from the block's hash, the campaign, both roots and the secrets";
  if (draw.draw === null) return step(title, ["The campaign was not drawn."]);
  const { blockHash, secrets, seed } = draw.draw;
  const { reference, intervention } = campaign.frames;
  const repeated = seedFrom({
    blockHash: blockHash as Hex,
    campaign: campaign.campaign,
    roots: { reference: reference.root as Hex, intervention: intervention.root as Hex },
    secrets: { operator: secrets.operator as Hex, secondParty: secrets.secondParty as Hex | null },
  });
  return step(title, [], differencesOf(seed, repeated, "seed"));
}

/** A public beacon's part in the draw; without the chain, the draw block's time is the stated one. */
async function repeatBeacon({ campaign, draw }: RoomData, { beacon }: KnownAccounts): Promise<Step[]> {
  const terms = termsInForce(campaign);
  if (beaconOfTerms(terms) === undefined && draw.draw?.beacon === undefined) return [];
  const found = await checkBeacon(draw, { terms, drawBlockTime: draw.draw?.beacon?.drawBlockTime }, beacon);
  const faults = found.filter(({ holds }) => !holds).map(({ sentence }) => sentence);
  return [step("Beacon: the round after the draw block, with the signature of the committed beacon", faults)];
}

function repeatSample({ campaign, draw, positions }: RoomData, group: GroupName): Step {
  const { leaves, sample, replacements } = draw.groups[group];
  const title = `Sample of the ${group} group: ${sample.length} positions in the order of the draw`;
  const faults: string[] = [];
  const seed = draw.draw && orderSeedFrom(draw.draw.seed as Hex, draw.draw.beacon);
  if (seed === null) return step(title, ["The campaign was not drawn."]);
  const sampling = samplingOf(campaign);
  const order = drawnInOrder(seed, orderGroupOf(group, sampling), leaves as Hex[]);
  const wanted = campaign.sampleSize + replacements.length;
  const dropped = replacements.toSorted((a, b) => a.replacement - b.replacement).map((each) => each.dropped);
  const replaced = new Set(dropped);
  const drawn =
    sampling?.strata === undefined
      ? order
      : drawnFromStrata(order, {
          sizes: sampling.strata.map(({ sampleSize }) => sampleSize),
          stratumOf: new Map(leaves.map((leaf, i) => [leaf, draw.groups[group].strata?.[i] ?? -1])),
          dropped,
        }).map(({ leaf }) => leaf ?? "none left of its stratum");
  const repeated = drawn.slice(0, wanted).map((leaf, position) => {
    return { position, leaf, status: replaced.has(position) ? "replaced" : "sampled" };
  });
  const differences = differencesOf(sample, repeated, `${group} sample`);
  for (const [i, { dropped, replacement }] of replacements.entries()) {
    const next = campaign.sampleSize + i;
    if (replacement !== next)
      faults.push(`Position ${dropped} was replaced by ${replacement}; the next one was ${next}.`);
    if (dropped >= replacement) faults.push(`Position ${dropped} was replaced before it was drawn.`);
  }
  if (replaced.size !== replacements.length) faults.push("A position was replaced twice.");
  const listed = positions.filter((each) => each.group === group);
  const ends = listed.map(({ position, leaf, ended }) => {
    return { position, leaf, status: ended === "replaced" ? "replaced" : "sampled" };
  });
  differences.push(...differencesOf(ends, repeated, `${group} positions`));
  return step(title, faults, differences);
}
