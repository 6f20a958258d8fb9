import type { Hex } from "viem";
import type { DrawDocument, DrawDocumentGroup } from "../../api/scheme/campaigns/draw/document-schema.ts";
import { encodeKptClaimId } from "../../wire/src/ids.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { isOfService, isOtherParty, type KnownAccounts } from "./known-accounts.ts";
import {
  commitmentFrom,
  drawnFromStrata,
  drawnInOrder,
  type GroupName,
  groupNames,
  orderSeedFrom,
  type Secrets,
  seedFrom,
} from "./recompute.ts";
import { committedRootOf, orderGroupOf, samplingOfTerms, strataFaults } from "./sampling-terms.ts";

/** Result of a check, in a sentence. */
export type Finding = { holds: boolean; sentence: string };
type Place = { blockNumber: number; logIndex: number };

/** Most faults of a kind that are listed; further ones are only counted. */
const TOLD = 5;
const dropReasons = ["other", "refused", "absent", "moved", "ineligible", "incomplete"];

/**
 * Repeat the draw from the document's leaves and the chain's facts, and compare. Each finding says what is right or wrong.
 * A public beacon's part is checked by `checkBeacon`.
 * @param known what the reader knows about the parties; the document's own list of accounts can only incriminate
 */
export function checkDraw(document: DrawDocument, facts: ChainFacts, known: KnownAccounts = {}): Finding[] {
  const found = [
    ...checkIdentity(document, facts),
    ...checkDrawFields(document, facts),
    ...checkFrames(document, facts),
  ];
  found.push(...tellDiscarded(facts), ...tellSameFrame(facts));
  const { drawn } = facts;
  if (drawn === null) {
    return [...found, no("The campaign has not been drawn: there is no sample to verify.")];
  }
  found.push(...checkMoment(facts, drawn), ...checkSecrets(facts, drawn));
  found.push(...checkParties(document, facts, { drawn, known }), ...checkSeed(facts, drawn));
  const orderSeed = orderSeedFrom(drawn.seed, document.draw?.beacon);
  for (const group of groupNames) {
    if (orderSeed !== null) found.push(...checkSample(document.groups[group], facts, group, orderSeed));
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
  const { campaignId, campaign, chainId, contract, commit } = document;
  const { committed } = facts;
  const faults = differences([
    ["campaign id", campaignId, committed.campaignId],
    ["campaign number", campaign, facts.campaign],
    ["chain", chainId, facts.chainId],
    ["contract", contract.toLowerCase(), facts.contract.toLowerCase()],
    ["status", document.status, facts.status],
    ["sample size", document.sampleSize, committed.sampleSize],
    ["block of the commit", commit.blockNumber, committed.blockNumber],
    ["transaction of the commit", commit.transactionHash, committed.transactionHash],
    ...groupNames.flatMap((group): Pair[] => [
      [`root of the ${group} frame`, document.groups[group].root, committed.frames[group].root],
      [`size of the ${group} frame`, document.groups[group].size, committed.frames[group].size],
    ]),
  ]);
  return verdict(
    faults,
    `The document is of campaign ${campaignId}, number ${campaign} of ${contract} on chain ${chainId}.`,
  );
}

function checkFrames(document: DrawDocument, facts: ChainFacts): Finding[] {
  const found = groupNames.flatMap((group) => [
    ...checkFrame(document.groups[group], facts, group),
    ...checkStrata(document.groups[group], facts, group),
  ]);
  const inReference = new Set(document.groups.reference.leaves);
  if (samplingOfTerms(facts.terms)?.paired !== undefined) {
    const { leaves } = document.groups.intervention;
    const isSame = leaves.length === inReference.size && leaves.every((leaf) => inReference.has(leaf));
    const unpaired = isSame ? [] : ["The frames of a paired design have different households."];
    return [...found, ...verdict(unpaired, "Both frames have the same households, as the paired design asks.")];
  }
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
  const made = leaves.length === 0 ? "none" : committedRootOf(leaves as Hex[], group, samplingOfTerms(facts.terms));
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

/** The households of each stratum make the root that the terms commit, and the strata's samples the campaign's. */
function checkStrata({ leaves, strata: indexes }: DrawDocumentGroup, facts: ChainFacts, group: GroupName): Finding[] {
  const { strata } = samplingOfTerms(facts.terms) ?? {};
  if (strata === undefined) {
    return indexes === undefined ? [] : [no(`The document has strata of the ${group} group; the terms commit none.`)];
  }
  const faults = strataFaults({ leaves, indexes }, strata, group);
  const total = strata.reduce((sum, { sampleSize }) => sum + sampleSize, 0);
  if (total !== facts.committed.sampleSize) {
    faults.push(`The samples of the strata add up to ${total}; the sample has ${facts.committed.sampleSize}.`);
  }
  return verdict(faults, `Each household of the ${group} frame is in the stratum that the terms commit.`);
}

const discardCauses: Record<NonNullable<ChainFacts["discarded"]>[number]["reason"], string> = {
  "secret-withheld": "a secret was not revealed in time",
  "block-lost": "nobody revealed a secret while the block's hash was in reach",
  "campaign-abandoned": "the campaign was abandoned",
};

/** Each draw that was discarded, so that nobody gets another one unseen. */
function tellDiscarded({ discarded = [] }: ChainFacts): Finding[] {
  return discarded.map(({ round, reason, operator, secondParty, drawBlock, seed, blockNumber }) => {
    const by = `by ${operator}${secondParty === null ? " alone" : ` and ${secondParty}`}`;
    const known = seed === null ? "was not complete" : "was known";
    return yes(
      `Block ${blockNumber} discarded the draw of round ${round} by block ${drawBlock}, ${by}, which ${known}: ${discardCauses[reason]}.`,
    );
  });
}

/** Other campaigns over one of these frames that were opened to be drawn. */
function tellSameFrame({ sameFrame = [] }: ChainFacts): Finding[] {
  return sameFrame.map(({ campaign, group, status, drawBlock }) =>
    yes(
      `Campaign number ${campaign} has this ${group} frame, too: its draw block is ${drawBlock}, its status ${status}.`,
    ),
  );
}

type Drawn = NonNullable<ChainFacts["drawn"]>;
type Opened = ChainFacts["opened"][number];

/** The opening of the round that drew; undefined when the node leaves it out. */
const lastOpened = ({ opened }: ChainFacts): Opened | undefined => opened.at(-1);

/** The draw block of the current round; null before the draw is open. */
function drawBlockOf({ opened, postponed, withheld }: ChainFacts): number | null {
  const last = opened.at(-1);
  if (last === undefined || withheld.some(({ round }) => round >= last.round)) return null;
  return postponed.findLast((each) => isBefore(last, each))?.drawBlock ?? last.drawBlock;
}

function checkMoment(facts: ChainFacts, drawn: Drawn): Finding[] {
  const { committed, postponed, drawBlockHash } = facts;
  const opened = lastOpened(facts);
  if (opened === undefined) return [no("The chain's events have no opening of the draw.")];
  const faults: string[] = [];
  if (!isBefore(committed, opened)) faults.push("The draw was opened before the frames were committed.");
  for (const each of [opened, ...postponed]) {
    if (each.drawBlock > each.blockNumber) continue;
    faults.push(`Block ${each.blockNumber} set block ${each.drawBlock} to draw, whose hash was known.`);
  }
  const wanted = drawBlockOf(facts);
  if (drawn.drawBlock !== wanted) faults.push(`Block ${wanted} was to draw, but block ${drawn.drawBlock} was taken.`);
  if (drawBlockHash !== drawn.blockHash) {
    faults.push(`The draw used the hash ${drawn.blockHash}; block ${drawn.drawBlock} has ${drawBlockHash}.`);
  }
  const times =
    postponed.length === 0
      ? ""
      : ` It was postponed ${postponed.length} time(s), because nobody revealed a secret in time.`;
  return verdict(
    faults,
    `The frames were committed in block ${committed.blockNumber}, before the hash of block ${drawn.drawBlock}, which drew, could be known.${times}`,
  );
}

/** The secrets of the round that drew, as they were revealed. */
function secretsOf(facts: ChainFacts): Secrets | null {
  const opened = lastOpened(facts);
  const secretBy = (account: string) =>
    facts.revealed.find((each) => each.round === opened?.round && each.account === account)?.secret;
  const operator = opened && secretBy(opened.account);
  if (operator === undefined) return null;
  return { operator, secondParty: (opened?.party && secretBy(opened.party)) || null };
}

/** Each secret is the one that its account committed to before the draw block, and was revealed after it. */
function checkSecrets(facts: ChainFacts, drawn: Drawn): Finding[] {
  const opened = lastOpened(facts);
  if (opened === undefined) return [];
  const joined = facts.joined.find(({ round }) => round === opened.round);
  const faults: string[] = [];
  if ((joined?.account ?? null) !== opened.party) {
    faults.push(`The draw was opened with the second party ${opened.party}, but ${joined?.account} had joined.`);
  }
  if (joined !== undefined && !isBefore(joined, opened)) faults.push(`${joined.account} joined after the opening.`);
  for (const { account, commitment } of [opened, ...(joined ? [joined] : [])]) {
    const revealed = facts.revealed.find((each) => each.round === opened.round && each.account === account);
    if (revealed === undefined) {
      faults.push(`${account} revealed no secret in the last round.`);
      continue;
    }
    if (commitmentFrom(revealed.secret, account as Hex) !== commitment) {
      faults.push(`The secret of ${account} is not the one that it had committed to.`);
    }
    if (revealed.blockNumber <= drawn.drawBlock) {
      faults.push(
        `The secret of ${account} was known in block ${revealed.blockNumber}, before the draw block was over.`,
      );
    }
  }
  const count = joined === undefined ? "The only secret was" : "Both secrets were";
  return verdict(faults, `${count} committed before block ${drawn.drawBlock}, and revealed after it as committed.`);
}

/** Who could have chosen the draw. */
function checkParties(
  { serviceAccounts }: DrawDocument,
  facts: ChainFacts,
  { drawn, known }: { drawn: Drawn; known: KnownAccounts },
): Finding[] {
  const opened = lastOpened(facts);
  if (opened === undefined) return [];
  const { account: operator, party } = opened;
  const alone = "One party alone could have chosen the draw";
  const withheldBefore = facts.withheld.find(({ round, account }) =>
    facts.opened.some((each) => each.round === round && each.account === account),
  );
  const found: Finding[] = facts.withheld.map(({ round, account }) =>
    yes(`Round ${round} of the draw was repeated, because ${account} did not reveal its secret in time.`),
  );
  if (party === null) found.push(no(`${alone}: the operator ${operator} had the only secret.`));
  else if (isOfService(party, serviceAccounts, known)) {
    found.push(no(`${alone}: the service signs with both accounts, ${operator} and ${party}.`));
  } else if (facts.operators?.some((each) => each.toLowerCase() === party.toLowerCase())) {
    found.push(no(`${alone}: both accounts, ${operator} and ${party}, have the operator's role.`));
  } else if (isOtherParty(party, known)) {
    found.push(no(`The second party that you know is ${known.secondParty}; ${party} took part in the draw.`));
  } else if (withheldBefore !== undefined) {
    const { account, round } = withheldBefore;
    found.push(no(`${alone}: the operator ${account} withheld its secret in round ${round} and so got another draw.`));
  } else {
    found.push(
      yes(
        `Neither the operator ${operator} nor the second party ${party} could have chosen the draw alone: the seed needs the secrets of both and the hash of a later block.`,
      ),
    );
  }
  const committed = samplingOfTerms(facts.terms)?.secondParty;
  if (committed !== undefined) {
    const isCommitted = party?.toLowerCase() === committed.toLowerCase();
    const message = `The terms commit ${committed} as the second party; the draw has ${party ?? "none"}.`;
    found.push(isCommitted ? yes(`The second party is the one that the terms commit, ${committed}.`) : no(message));
  }
  const counted = party !== null && withheldBefore === undefined;
  if (counted !== drawn.twoParties) {
    found.push(no(`The contract says that ${drawn.twoParties ? "two parties" : "one party"} drew; its events do not.`));
  }
  return found;
}

function checkSeed(facts: ChainFacts, drawn: Drawn): Finding[] {
  const { reference, intervention } = facts.committed.frames;
  const secrets = secretsOf(facts);
  if (secrets === null) return [no("The operator's secret is not on chain, so that the seed cannot be computed.")];
  const roots = { reference: reference.root, intervention: intervention.root };
  const seed = seedFrom({ blockHash: drawn.blockHash, campaign: facts.campaign, roots, secrets });
  const faults = seed === drawn.seed ? [] : [`The seed should be ${seed}; the chain has ${drawn.seed}.`];
  return verdict(faults, `The seed ${seed} follows from that hash, the campaign's number, both roots and the secrets.`);
}

type Value = string | number | boolean | null;
type Pair = [what: string, said: Value | undefined, real: Value | undefined];

/** One fault for each field of the document that differs from the chain. */
function differences(pairs: Pair[]): string[] {
  return pairs
    .filter(([, said, real]) => said !== real)
    .map(([what, said, real]) => `The document's ${what} is ${said ?? "none"}; the chain has ${real ?? "none"}.`);
}

/** Time of the draw block on chain. Documents and facts of earlier versions do not have it, so there is nothing to compare. */
function knownTime(draw: DrawDocument["draw"], { drawBlockTime }: ChainFacts): number | undefined {
  return draw?.blockTime === undefined ? undefined : (drawBlockTime ?? draw.blockTime);
}

/** Compare the fields of the draw and of its parties. */
function checkDrawFields(document: DrawDocument, facts: ChainFacts): Finding[] {
  const { draw, parties, commit } = document;
  const { drawn, opened, joined, revealed, withheld } = facts;
  const secrets = drawn && secretsOf(facts);
  const faults = differences([
    ["draw block", commit.drawBlock, drawBlockOf(facts)],
    ["block that drew", draw?.drawBlock, drawn?.drawBlock],
    ["hash of that block", draw?.blockHash, drawn?.blockHash],
    ["time of that block", draw?.blockTime, knownTime(draw, facts)],
    ["seed", draw?.seed, drawn?.seed],
    ["operator's secret", draw?.secrets.operator, secrets?.operator],
    ["second party's secret", draw?.secrets.secondParty, secrets?.secondParty],
    ["verdict on two parties", draw?.twoParties, drawn?.twoParties],
    ["block of the draw's transaction", draw?.blockNumber, drawn?.blockNumber],
    ["draw's transaction", draw?.transactionHash, drawn?.transactionHash],
  ]);
  faults.push(
    ...compareActs("commitment", parties.committed, [...opened, ...joined], "commitment"),
    ...compareActs("secret", parties.revealed, revealed, "secret"),
    ...compareActs("withheld secret", parties.withheld, withheld),
    ...compareDiscarded(document.discarded, facts.discarded),
  );
  return verdict(faults, "The document gives the draw and its parties as the chain has them.");
}

type Act = { round: number; account: string; blockNumber: number; transactionHash: string };

function compareActs<T extends Act, K extends keyof T & string>(
  what: string,
  said: T[],
  onChain: (Act & Record<K, T[K]>)[],
  field?: K,
): string[] {
  const text = (each: Act & Partial<Record<K, T[K]>>) =>
    [
      `${each.account.toLowerCase()} in round ${each.round}`,
      ...(field === undefined ? [] : [String(each[field])]),
      `block ${each.blockNumber}`,
      each.transactionHash,
    ].join(", ");
  const [inDocument, real] = [said.map(text), onChain.map(text)];
  return [
    ...inDocument.filter((each) => !real.includes(each)).map((each) => `The chain has no such ${what}: ${each}.`),
    ...real.filter((each) => !inDocument.includes(each)).map((each) => `The document lacks a ${what}: ${each}.`),
  ];
}

type Discarded = NonNullable<DrawDocument["discarded"]>;

/** Facts of earlier versions do not have discarded draws, so there is nothing to compare. */
function compareDiscarded(said: Discarded = [], onChain?: Discarded): string[] {
  if (onChain === undefined) return [];
  const acts = (all: Discarded) =>
    all.map((each) => ({
      ...each,
      account: each.operator,
      what: [each.reason, (each.secondParty ?? "nobody").toLowerCase(), each.drawBlock, each.seed ?? "no seed"].join(
        " ",
      ),
    }));
  return compareActs("discarded draw", acts(said), acts(onChain), "what");
}

/** The order in which a group is drawn; null at a position for which its stratum had no household left. */
function orderOf(
  of: DrawDocumentGroup,
  facts: ChainFacts,
  group: GroupName,
  seed: Hex,
): { order: (Hex | null)[]; faults: string[] } {
  const sampling = samplingOfTerms(facts.terms);
  const order = drawnInOrder(seed, orderGroupOf(group, sampling), of.leaves as Hex[]);
  if (sampling?.strata === undefined) return { order, faults: [] };
  const replaced = facts.replaced.filter((each) => each.group === group);
  const drawn = drawnFromStrata(order, {
    sizes: sampling.strata.map(({ sampleSize }) => sampleSize),
    stratumOf: new Map(of.leaves.map((leaf, i) => [leaf, of.strata?.[i] ?? -1])),
    dropped: replaced.map(({ dropped }) => dropped),
  });
  const faults = drawn.flatMap(({ leaf, stratum }, position) =>
    leaf === null
      ? [
          `Stratum ${sampling.strata?.[stratum]?.id} had no household left for position ${position} of the ${group} group.`,
        ]
      : [],
  );
  return { order: drawn.map(({ leaf }) => leaf), faults };
}

function checkSample(of: DrawDocumentGroup, facts: ChainFacts, group: GroupName, seed: Hex): Finding[] {
  const drawnTo = facts.committed.sampleSize + facts.replaced.filter((each) => each.group === group).length;
  const { order, faults } = orderOf(of, facts, group, seed);
  if (facts.drawnTo[group] !== drawnTo) {
    faults.push(`The contract has drawn ${facts.drawnTo[group]} of the ${group} group; its events tell of ${drawnTo}.`);
  }
  const said = new Map(of.sample.map(({ position, leaf }) => [position, leaf]));
  if (said.size !== of.sample.length) faults.push(`The document names a position of the ${group} group twice.`);
  for (const [position, leaf] of order.slice(0, drawnTo).entries()) {
    const named = said.get(position);
    if (leaf === null) continue;
    if (named === undefined) faults.push(`Position ${position} of the ${group} group is missing; ${leaf} was drawn.`);
    else if (named !== leaf) {
      faults.push(`Position ${position} of the ${group} group is ${leaf} by the draw; the document says ${named}.`);
    }
  }
  for (const position of said.keys()) {
    if (position >= drawnTo) faults.push(`Position ${position} of the ${group} group was never drawn.`);
  }
  const { strata } = samplingOfTerms(facts.terms) ?? {};
  const within = strata === undefined ? "of its order" : `of the order of each of its ${strata.length} strata`;
  return verdict(faults, `The ${drawnTo} households drawn of the ${group} group are the first ${within} by the seed.`);
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
    ...of.replacements.flatMap((each) => {
      const same = onChain.find(({ dropped }) => dropped === each.dropped);
      const what = `transaction of the replacement of position ${each.dropped} of the ${group} group`;
      return same === undefined ? [] : differences([[what, each.transactionHash, same.transactionHash]]);
    }),
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
