import type { Hex } from "viem";
import type { DrawDocument, DrawDocumentGroup } from "../../api/scheme/campaigns/draw-document-schema.ts";
import { encodeKptClaimId } from "../../wire/src/ids.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { drawnInOrder, frameRootOf, type GroupName, groupNames, seedFrom } from "./recompute.ts";

/** Result of a check, in a sentence. */
export type Finding = { holds: boolean; sentence: string };
type Place = { blockNumber: number; logIndex: number };

/** Most faults of a kind that are listed; further ones are only counted. */
const TOLD = 5;
const dropReasons = ["other", "refused", "absent", "moved", "ineligible", "incomplete"];

/** Repeat the draw from the document's leaves and the chain's facts, and compare. Each finding says what is right or wrong. */
export function checkDraw(document: DrawDocument, facts: ChainFacts): Finding[] {
  const found = [...checkIdentity(document, facts), ...checkFrames(document, facts)];
  const { drawn } = facts;
  if (drawn === null) {
    return [...found, no("The campaign has not been drawn: there is no sample to verify.")];
  }
  found.push(...checkMoment(facts, drawn), ...checkSeed(document, facts, drawn));
  for (const group of groupNames) {
    found.push(...checkSample(document.groups[group], facts, group, drawn.seed));
    found.push(...checkReplacements(document.groups[group], facts, group));
  }
  return [...found, ...checkClaims(document, facts)];
}

const yes = (sentence: string): Finding => ({ holds: true, sentence });
const no = (sentence: string): Finding => ({ holds: false, sentence });

/** One sentence if nothing is wrong; otherwise the faults, the first few in full. */
function verdict(faults: string[], sentence: string): Finding[] {
  if (faults.length === 0) return [yes(sentence)];
  const told = faults.slice(0, TOLD).map(no);
  return faults.length > TOLD ? [...told, no(`… and ${faults.length - TOLD} more of this kind.`)] : told;
}

function checkIdentity(document: DrawDocument, facts: ChainFacts): Finding[] {
  const pairs: [what: string, said: string | number, real: string | number][] = [
    ["the campaign's id", document.campaignId, facts.committed.campaignId],
    ["the campaign's number", document.campaign, facts.campaign],
    ["the chain", document.chainId, facts.chainId],
    ["the contract", document.contract.toLowerCase(), facts.contract.toLowerCase()],
    ["the sample size", document.sampleSize, facts.committed.sampleSize],
    ["the block of the commit", document.commit.blockNumber, facts.committed.blockNumber],
  ];
  const faults = pairs
    .filter(([, said, real]) => said !== real)
    .map(([what, said, real]) => `The document says that ${what} is ${said}; on chain it is ${real}.`);
  const { campaignId, campaign, chainId, contract } = document;
  return verdict(
    faults,
    `The document is of campaign ${campaignId}, number ${campaign} of ${contract} on chain ${chainId}.`,
  );
}

function checkFrames(document: DrawDocument, facts: ChainFacts): Finding[] {
  const found = groupNames.flatMap((group) => checkFrame(document.groups[group], facts, group));
  const inReference = new Set(document.groups.reference.leaves);
  const inBoth = document.groups.intervention.leaves.filter((leaf) => inReference.has(leaf));
  const faults = inBoth.map((leaf) => `Household ${leaf} is in both frames.`);
  return [...found, ...verdict(faults, "No household is in both frames.")];
}

function checkFrame({ leaves }: DrawDocumentGroup, facts: ChainFacts, group: GroupName): Finding[] {
  const { root, size } = facts.committed.frames[group];
  const faults: string[] = [];
  if (new Set(leaves).size !== leaves.length) faults.push(`The ${group} frame names a household twice.`);
  if (leaves.length !== size) {
    faults.push(`The ${group} frame has ${leaves.length} households; ${size} were committed.`);
  }
  const made = leaves.length === 0 ? "none" : frameRootOf(leaves as Hex[]);
  if (made !== root) {
    const why = "a household was changed, added or left out";
    faults.push(`The ${group} frame's leaves make the root ${made}, but ${root} was committed: ${why}.`);
  }
  const { blockNumber } = facts.committed;
  return verdict(
    faults,
    `The ${size} households of the ${group} frame make the root that block ${blockNumber} committed.`,
  );
}

function checkMoment(facts: ChainFacts, drawn: NonNullable<ChainFacts["drawn"]>): Finding[] {
  const { committed, postponed, drawBlockHash } = facts;
  const faults: string[] = [];
  if (committed.drawBlock <= committed.blockNumber) {
    faults.push(
      `The draw's block ${committed.drawBlock} was no later than the commit in block ${committed.blockNumber}.`,
    );
  }
  for (const each of postponed) {
    if (each.drawBlock > each.blockNumber) continue;
    faults.push(`Block ${each.blockNumber} postponed the draw to block ${each.drawBlock}, whose hash was known.`);
  }
  const last = postponed.at(-1)?.drawBlock ?? committed.drawBlock;
  if (drawn.drawBlock !== last) faults.push(`Block ${last} was to draw, but block ${drawn.drawBlock} was taken.`);
  if (drawBlockHash !== drawn.blockHash) {
    faults.push(`The draw used the hash ${drawn.blockHash}; block ${drawn.drawBlock} has ${drawBlockHash}.`);
  }
  const times =
    postponed.length === 0 ? "" : ` It was postponed ${postponed.length} time(s), because nobody drew in time.`;
  return verdict(
    faults,
    `The frames were committed in block ${committed.blockNumber}, before the hash of block ${drawn.drawBlock}, which drew, could be known.${times}`,
  );
}

function checkSeed(document: DrawDocument, facts: ChainFacts, drawn: NonNullable<ChainFacts["drawn"]>): Finding[] {
  const { reference, intervention } = facts.committed.frames;
  const seed = seedFrom(drawn.blockHash, facts.campaign, reference.root, intervention.root);
  const faults: string[] = [];
  if (seed !== drawn.seed) faults.push(`The seed should be ${seed}; the chain has ${drawn.seed}.`);
  const said = document.draw?.seed ?? "none";
  if (said !== drawn.seed) faults.push(`The document's seed is ${said}; the chain has ${drawn.seed}.`);
  return verdict(faults, `The seed ${seed} follows from that hash, the campaign's number and both roots.`);
}

function checkSample(of: DrawDocumentGroup, facts: ChainFacts, group: GroupName, seed: Hex): Finding[] {
  const drawnTo = facts.committed.sampleSize + facts.replaced.filter((each) => each.group === group).length;
  const order = drawnInOrder(seed, group, of.leaves as Hex[]).slice(0, drawnTo);
  const faults: string[] = [];
  if (facts.drawnTo[group] !== drawnTo) {
    faults.push(`The contract has drawn ${facts.drawnTo[group]} of the ${group} group; its events tell of ${drawnTo}.`);
  }
  const said = new Map(of.sample.map(({ position, leaf }) => [position, leaf]));
  if (said.size !== of.sample.length) faults.push(`The document names a position of the ${group} group twice.`);
  for (const [position, leaf] of order.entries()) {
    const named = said.get(position);
    if (named === undefined) faults.push(`Position ${position} of the ${group} group is missing; ${leaf} was drawn.`);
    else if (named !== leaf) {
      faults.push(`Position ${position} of the ${group} group is ${leaf} by the draw; the document says ${named}.`);
    }
  }
  for (const position of said.keys()) {
    if (position >= drawnTo) faults.push(`Position ${position} of the ${group} group was never drawn.`);
  }
  return verdict(
    faults,
    `The ${drawnTo} households drawn of the ${group} group are the first of its order by the seed.`,
  );
}

function checkReplacements(of: DrawDocumentGroup, facts: ChainFacts, group: GroupName): Finding[] {
  const onChain = facts.replaced.filter((each) => each.group === group);
  const faults: string[] = [];
  const dropped = new Set<number>();
  for (const [i, each] of onChain.entries()) {
    const next = facts.committed.sampleSize + i;
    if (each.replacement !== next) {
      faults.push(
        `Position ${each.dropped} of the ${group} group was replaced by ${each.replacement}; ${next} came next.`,
      );
    }
    if (each.dropped >= next || dropped.has(each.dropped)) {
      faults.push(`Position ${each.dropped} of the ${group} group was replaced when it was not in the sample.`);
    }
    dropped.add(each.dropped);
  }
  faults.push(...compareReplacements(of, onChain, group));
  for (const { position, status } of of.sample) {
    if ((status === "replaced") === dropped.has(position)) continue;
    faults.push(`Position ${position} of the ${group} group is not ${status}, as the document says.`);
  }
  return verdict(
    faults,
    `${onChain.length} households of the ${group} group were replaced, each by the next of the order.`,
  );
}

function compareReplacements(of: DrawDocumentGroup, onChain: ChainFacts["replaced"], group: GroupName): string[] {
  const text = (each: { dropped: number; replacement: number; reason: string }) =>
    `position ${each.dropped} by ${each.replacement} (${each.reason})`;
  const real = onChain.map((each) => text({ ...each, reason: dropReasons[each.reason] ?? "unknown" }));
  const said = of.replacements.map(text);
  return [
    ...said
      .filter((each) => !real.includes(each))
      .map((each) => `The document replaces ${each} in the ${group} group; the chain does not.`),
    ...real
      .filter((each) => !said.includes(each))
      .map((each) => `The chain replaces ${each} in the ${group} group; the document does not say so.`),
  ];
}

function checkClaims(document: DrawDocument, facts: ChainFacts): Finding[] {
  const said = Object.fromEntries(
    groupNames.map((group) => [group, new Set(document.groups[group].sample.map(({ position }) => position))]),
  );
  const faults = facts.claims.flatMap((claim) => {
    const { group, position } = claim;
    const name = `Claim ${encodeKptClaimId(BigInt(claim.claim))} is of position ${position} of the ${group} group`;
    const before = facts.replaced.filter((each) => each.group === group && isBefore(each, claim));
    const broken: string[] = [];
    if (facts.drawn === null || !isBefore(facts.drawn, claim)) broken.push(`${name} and older than the draw.`);
    if (position >= facts.committed.sampleSize + before.length) broken.push(`${name}, which was not drawn.`);
    if (before.some((each) => each.dropped === position)) broken.push(`${name}, which had been replaced.`);
    if (!said[group]?.has(position)) broken.push(`${name}, which the document's sample lacks.`);
    return broken;
  });
  const households = new Set(facts.claims.map(({ group, position }) => `${group} ${position}`)).size;
  return verdict(
    faults,
    `Each of the ${facts.claims.length} claims on chain is of a household in the sample: ${households} households measured.`,
  );
}

function isBefore(a: Place, b: Place): boolean {
  return a.blockNumber < b.blockNumber || (a.blockNumber === b.blockNumber && a.logIndex < b.logIndex);
}
