import { BaseError, createPublicClient, type Hex, http, type PublicClient } from "viem";
import { dateOf } from "../../api/platform/chain/days.ts";
import { createPartReader } from "../../api/platform/chain/node/past.ts";
import { dropReasons, groupOf } from "../../api/scheme/campaigns/groups.ts";
import { evidenceHashOf } from "../../api/scheme/campaigns/positions/drop-checks.ts";
import { isBeforeDraw } from "../../api/scheme/campaigns/result/inputs/counted-devices.ts";
import { decimal, decimalText } from "../../api/scheme/emissions/index.ts";
import { isValidIn, planKinds } from "../../api/scheme/parameters/index.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { parametersAbi } from "../../deployments/abi/parameters.ts";
import { encodeKptClaimId } from "../../wire/src/ids.ts";
import { readChainFacts } from "../draw/chain-facts.ts";
import { checkDrawAndBeacon } from "../draw/check-beacon.ts";
import type { KnownAccounts } from "../draw/known-accounts.ts";
import { UnavailableError } from "../verifier-command.ts";
import { differencesOf } from "./differences.ts";
import { termsOf } from "./repeat-result.ts";
import type { RoomData } from "./room-data.ts";
import { type Difference, type Step, step } from "./step.ts";

/** The reader's own node, and the addresses of the scheme's contracts. */
export type KnownNode = { rpc: string; contract: Hex; parameters?: Hex | undefined };

/** Compare the draw, the terms, the claims' hashes, the result's hash and the regulator's parameters with the reader's own node. */
export async function checkChain(data: RoomData, node: KnownNode, known: KnownAccounts): Promise<Step[]> {
  try {
    const steps = await compare(data, node, known);
    return node.parameters === undefined ? steps : [...steps, await compareParameters(data, node.rpc, node.parameters)];
  } catch (error) {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new UnavailableError(`The chain could not be read from ${node.rpc}: ${why}`);
  }
}

async function compare(data: RoomData, { rpc: rpcUrl, contract }: KnownNode, known: KnownAccounts): Promise<Step[]> {
  const { campaign, draw, claims } = data;
  const number = campaign.campaign;
  const fromBlock = campaign.committed.blockNumber;
  const facts = await readChainFacts({ rpcUrl, contract, campaign: number, fromBlock });
  const findings = (await checkDrawAndBeacon(draw, facts, known)).filter(({ holds }) => !holds);
  const inParts = createPartReader(
    createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) }),
    BigInt(fromBlock),
  );
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
  const base = { abi: campaignsAbi, address: contract, args: { campaign: number }, strict: true } as const;
  const [committed, amended, closed, recorded, revoked, replaced, missing] = [
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
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "HouseholdReplaced", fromBlock: from, toBlock: to }),
    ),
    await inParts((from, to) =>
      client.getContractEvents({ ...base, eventName: "PositionMissing", fromBlock: from, toBlock: to }),
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
    compareEnds(data, [
      ...replaced.map(({ args }) => ({
        ...args,
        ended: "replaced",
        position: args.dropped,
        replacedBy: args.replacement,
      })),
      ...missing.map(({ args }) => ({ ...args, ended: "missing", replacedBy: null })),
    ]),
    await compareClose(data, client),
    ...(await compareRetirements(data, client)),
  ];
}

type EndOnChain = {
  group: number;
  position: number;
  ended: string;
  replacedBy: number | null;
  reason: number;
  evidenceHash: Hex;
};

/** Compare how each position that was not measured ended, why, and by which evidence. */
function compareEnds({ positions }: RoomData, onChain: readonly EndOnChain[]): Step {
  const stated = positions.flatMap(({ group, position, ended, replacedBy = null, reason, evidence = null }) => {
    if (ended !== "replaced" && ended !== "missing") return [];
    return [{ group, position, ended, replacedBy, reason, evidenceHash: evidenceHashOf(evidence) }];
  });
  const recorded = onChain.map(({ group, position, ended, replacedBy, reason, evidenceHash }) => {
    return { group: groupOf(group), position, ended, replacedBy, reason: dropReasons[reason], evidenceHash };
  });
  const differences = differencesOf(byPlace(stated), byPlace(recorded), "positions");
  return step(
    "Chain: the node has the same ends, reasons and evidence of positions without a measurement",
    [],
    differences,
  );
}

/** Compare the time of the close, to which devices count in a year that has not ended. */
async function compareClose({ campaign: { closed } }: RoomData, client: PublicClient): Promise<Step> {
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(closed.blockNumber) });
  const at = new Date(Number(timestamp) * 1_000).toISOString();
  return step("Chain: the node has the same time of the close", [], differencesOf(closed.at, at, "time of the close"));
}

/** Compare which retirements were recorded after the draw with its block: by the latest block at the record, or by its time alone. */
async function compareRetirements({ devices = [], draw }: RoomData, client: PublicClient): Promise<Step[]> {
  const recorded = devices.filter(({ retirementRecordedAt }) => retirementRecordedAt !== undefined);
  if (draw.draw == null || recorded.length === 0) return [];
  const number = draw.draw.drawBlock;
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(number) });
  const block = { number, time: new Date(Number(timestamp) * 1_000) };
  const differences = recorded.flatMap((device) => {
    const { serial, retirementRecordedAt = "", retirementRecordedIn = null, retiredAfterDraw = false } = device;
    const isBefore = isBeforeDraw({ at: new Date(retirementRecordedAt), block: retirementRecordedIn }, block);
    return differencesOf(retiredAfterDraw, !isBefore, `${serial} retired after the draw`);
  });
  return [step(`Chain: ${recorded.length} retirements were recorded before or after the draw`, [], differences)];
}

const byPlace = <E extends { group: string; position: number }>(ends: readonly E[]): Record<string, E> =>
  Object.fromEntries(ends.map((each) => [`${each.group} ${each.position}`, each]));

/** Compare each parameter with the regulator's list on chain: what it is of, its value, its source and its validity. */
async function compareParameters(data: RoomData, rpcUrl: string, address: Hex): Promise<Step> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
  const faults: string[] = [];
  const differences: Difference[] = [];
  const listed = new Map(data.parameters.map((each) => [each.id, each]));
  const { parameters: named = [], fnrbApproval } = termsOf(data).emissions ?? {};
  const ids = new Set([...listed.keys(), ...named, ...(fnrbApproval === undefined ? [] : [fnrbApproval])]);
  for (const id of ids) {
    const { id: _, blockNumber = 0, ...stated } = listed.get(id) ?? { id };
    const onChain = await parameterOnChain(client, { address, id, fromBlock: blockNumber });
    if (onChain === undefined) {
      if (listed.has(id)) faults.push(`${id} is not on the list of parameters of ${address}.`);
    } else if (!listed.has(id)) {
      faults.push(`The terms name ${id}, which the chain has and parameters.json lacks.`);
    } else differences.push(...differencesOf(stated, onChain, id));
  }
  for (const id of await laterOfPlan(client, address, data)) {
    faults.push(`${id} records an area or fuel of the plan, which parameters.json lacks.`);
  }
  return step(`Chain: the regulator's list has the same ${listed.size} parameters`, faults, differences);
}

/** Find records of the plan up to the close that are newer than the listed ones and valid in the test period. */
async function laterOfPlan(
  client: PublicClient,
  address: Hex,
  { campaign: { planId, testPeriod, closed }, parameters }: RoomData,
): Promise<string[]> {
  const base = { abi: parametersAbi, address } as const;
  const found: string[] = [];
  for (const kind of planKinds) {
    const own = parameters.filter((each) => each.kind === kind);
    const subject = await client.readContract({ ...base, functionName: "subjectOf", args: [kind, planId] });
    const inParts = createPartReader(client, BigInt(own[0]?.blockNumber ?? 0));
    const events = await inParts((from, to) =>
      client.getContractEvents({
        ...base,
        eventName: "ParameterSet",
        strict: true,
        args: { subject },
        fromBlock: from,
        toBlock: to,
      }),
    );
    const newest = events.findLast(({ args: { entry }, blockNumber }) => {
      const validTo = entry.validTo === 0 ? null : dateOf(entry.validTo);
      const validity = { validFrom: dateOf(entry.validFrom), validTo };
      return blockNumber <= BigInt(closed.blockNumber) && isValidIn(validity, testPeriod);
    });
    if (newest === undefined) continue;
    const id = `PRM-${newest.args.parameter}`;
    if (own.every((each) => each.id !== id)) found.push(id);
  }
  return found;
}

async function parameterOnChain(
  client: PublicClient,
  { address, id, fromBlock }: { address: Hex; id: string; fromBlock: number },
) {
  const number = Number(/^PRM-([1-9]\d{0,8})$/.exec(id)?.[1] ?? 0);
  const base = { abi: parametersAbi, address, eventName: "ParameterSet", strict: true } as const;
  const inParts = createPartReader(client, BigInt(fromBlock));
  const [found] = await inParts((from, to) =>
    client.getContractEvents({ ...base, args: { parameter: number }, fromBlock: from, toBlock: to }),
  );
  if (found === undefined) return undefined;
  const { kind, key, value, decimals, unit, source, validFrom, validTo } = found.args.entry;
  return {
    kind,
    key,
    value: decimalText(decimal(value).div(decimal(10).pow(decimals))),
    unit,
    source,
    validFrom: dateOf(validFrom),
    validTo: validTo === 0 ? null : dateOf(validTo),
  };
}
