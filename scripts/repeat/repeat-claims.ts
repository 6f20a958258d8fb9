import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import { parseScaled } from "../../api/platform/values/numbers.ts";
import { claimFolderOf } from "../../api/scheme/campaigns/dataroom/manifest.ts";
import { readEmissionsTerms } from "../../api/scheme/campaigns/result/inputs/emissions-terms.ts";
import type { CampaignTerms } from "../../api/scheme/campaigns/terms/terms.ts";
import { decimal, jsonExact } from "../../api/scheme/emissions/index.ts";
import { kptDayOf, logsOfPeriod } from "../../wire/src/kpt-rules.ts";
import {
  amountIn,
  brokenDryMassRules,
  brokenVisitRules,
  type FuelMass,
  fuelsOfVisits,
  isDriedFuel,
  type KptFuel,
  type KptPeopleFed,
  kptFuels,
  measurementOfVisits,
  peopleFedOf,
  peopleKinds,
} from "../../wire/src/kpt-visits.ts";
import { readSigned } from "../proof/check-credential.ts";
import type { Ed25519Key } from "../proof/issuer-keys.ts";
import { differencesOf, parseExact } from "./differences.ts";
import { type OpenedRoom, textOf } from "./open-room.ts";
import { samplingOf } from "./repeat-draw.ts";
import { evidenceByFolder, evidenceFaults, repeatLinks, uriOf } from "./repeat-evidence.ts";
import { repeatStoveUse } from "./repeat-stove-use.ts";
import type { RoomClaim, RoomData, RoomPosition } from "./room-data.ts";
import { type Difference, type Step, step } from "./step.ts";

const gramDecimals = 3;
const percentDecimals = 2;
const exact = z.custom<{ value: string }>(isLosslessNumber);
const grams = exact.transform(({ value }, context) => {
  const parsed = parseScaled(value, gramDecimals);
  if (parsed === undefined) context.addIssue({ code: "custom", message: "This is not whole grams." });
  return parsed ?? 0n;
});
const percent = exact.transform(({ value }, context) => {
  const parsed = parseScaled(value, percentDecimals);
  if (parsed === undefined) context.addIssue({ code: "custom", message: "This is not hundredths of a percent." });
  return parsed ?? 0n;
});
const wholeNumber = exact.transform(({ value }) => Number(value));
const moisture = z.object({
  basis: z.enum(["wet", "dry"]),
  readings: z.array(z.array(percent).length(3)).length(3),
});
const fuelOfVisit = z.object({
  fuel: z.enum(kptFuels),
  start: grams,
  added: grams,
  end: grams,
  scaleId: z.string().optional(),
  moisture: moisture.optional(),
});
const claimFile = z.object({
  campaignId: z.string(),
  claimId: z.string(),
  evidence: z.array(z.string()),
  /** Places in `evidence` of links whose bytes the service does not store; absent from claims of earlier versions. */
  linked: z.array(wholeNumber).optional(),
  claim: z.object({
    householdId: z.string(),
    testGroup: z.enum(["reference", "intervention"]),
    fuelMeasurements: z.object({ total: exact, dailyLogs: z.array(exact) }).optional(),
    evidence: z
      .array(
        z.union([
          z.string(),
          z.object({
            type: z.string(),
            uri: z.string().optional(),
            cid: z.string().optional(),
            stove: z.string().optional(),
          }),
        ]),
      )
      .optional(),
    visits: z
      .array(
        z.object({
          day: wholeNumber,
          at: z.string(),
          collector: z.string(),
          fuels: z.array(fuelOfVisit),
          peopleFed: z.partialRecord(z.enum(peopleKinds), wholeNumber).optional(),
          stoves: z.array(z.object({ serial: z.string().optional(), kind: z.string(), used: z.boolean() })).optional(),
        }),
      )
      .optional(),
  }),
});

type ClaimFile = z.infer<typeof claimFile>;

/** A claim's own file, amounts in grams. */
export type FiledClaim = {
  householdId: string;
  testGroup: "reference" | "intervention";
  /** Of the campaign's fuel. */
  total: bigint;
  dailyLogs: bigint[];
  /** Of a claim with visits: each fuel in grams (Wh of electricity). */
  fuels: Map<KptFuel, bigint> | null;
  /** Of a claim that counts dry mass: solid biomass in grams as weighed. */
  weighed: Map<KptFuel, bigint> | null;
  /** Of a claim with visits: the people that they fed. */
  fed: KptPeopleFed | null;
  visits: ClaimFile["claim"]["visits"];
  evidence: string[];
  linked: number[] | undefined;
  /** As the claim states its evidence. */
  stated: NonNullable<ClaimFile["claim"]["evidence"]>;
};

/** Read each claim from its own file and compare it with the list, its hash on chain, its credential and the draw. */
export async function repeatClaims(
  room: OpenedRoom,
  data: RoomData,
  { terms, keys }: { terms: CampaignTerms; keys: ReadonlyMap<string, Ed25519Key> },
): Promise<Step[]> {
  const { fuel = "wood", fuelMass, dryNcv = {}, valuePer = "household" } = readEmissionsTerms(terms.emissions ?? {});
  const dryNcvOf = kptFuels.filter(
    (each) =>
      (dryNcv as Record<string, string>)[each] !== undefined ||
      data.parameters.some(({ kind, key }) => kind === "ncv-dry" && key === each),
  );
  const faults: string[] = [];
  const differences: Difference[] = [];
  const credentials: string[] = [];
  const notes: string[] = [];
  const households = new Map<string, string>();
  const filedClaims = new Map<RoomClaim, FiledClaim>();
  const positions = new Map(data.positions.map((each) => [placeOf(each), each]));
  const evidenceFiles = evidenceByFolder(room);
  for (const claim of data.claims) {
    const filed = readClaim(room, claim.id, { fuel, fuelMass });
    if (typeof filed === "string") {
      faults.push(filed);
      continue;
    }
    filedClaims.set(claim, filed);
    differences.push(...compareClaim(room, claim, filed));
    faults.push(...claimFaults(claim, filed, { data, terms, positions }));
    if (claim.fed === undefined && filed.fed !== null) {
      if (valuePer !== "household")
        faults.push(`${claim.id} lacks the people that its visits fed; the terms divide by them.`);
      else if (filed.fed.days + filed.fed.nobody > 0)
        notes.push(`${claim.id} does not list the people that its visits fed.`);
    }
    if (fuelMass === "dry") faults.push(...dryMassFaults(claim.id, filed, dryNcvOf));
    faults.push(...evidenceFaults(room, evidenceFiles.get(claimFolderOf(claim.id)) ?? [], { id: claim.id, filed }));
    const known = households.get(claim.householdHash);
    if (known !== undefined && known !== filed.householdId) {
      faults.push(`${claim.id} names another household than the other claims of its position.`);
    }
    households.set(claim.householdHash, filed.householdId);
    credentials.push(...(await credentialFaults(room, claim, { filed, keys })));
  }
  if (new Set(households.values()).size !== households.size) faults.push("A household has two positions.");
  faults.push(...sharedDays(data));
  return [
    {
      ...step(
        `Claims: ${data.claims.length} files as their hashes on chain, with their evidence, logs that add up, drawn households`,
        faults,
        differences,
      ),
      notes,
    },
    step("Credentials: each claim is signed as it was filed", credentials),
    repeatEnds(data),
    ...repeatLinks(data, filedClaims.values()),
    ...(await repeatStoveUse(room, data, filedClaims)),
  ];
}

/** Check that each weighing of solid biomass has readings of its moisture, and its fuel a calorific value without water. */
function dryMassFaults(id: string, { visits }: FiledClaim, dryNcvOf: readonly KptFuel[]): string[] {
  if (visits === undefined) return [`${id} has no visits; the terms count dry mass.`];
  return [
    ...brokenVisitRules(visits, null).filter(({ rule }) => rule === "moisture-range"),
    ...brokenDryMassRules(visits, { campaignId: "", dryNcvOf }),
  ].map(({ path, rule }) => `${id} breaks ${rule} at ${path}; the terms count dry mass.`);
}

function readClaim(
  room: OpenedRoom,
  id: string,
  { fuel, fuelMass }: { fuel: KptFuel; fuelMass: FuelMass | undefined },
): FiledClaim | string {
  const path = `${claimFolderOf(id)}/claim.json`;
  if (!room.contents.has(path)) return `${path} is missing.`;
  const parsed = claimFile.safeParse(parseExact(textOf(room, path)));
  if (!parsed.success) return `${path} is not the file of a claim.`;
  if (parsed.data.claimId !== id || parsed.data.campaignId !== room.manifest.campaignId) {
    return `${path} is of another claim.`;
  }
  const { claim, evidence, linked } = parsed.data;
  const { householdId, testGroup, fuelMeasurements, visits, evidence: stated = [] } = claim;
  const isDry = fuelMass === "dry";
  const forms = [fuelMeasurements, visits].filter((each) => each !== undefined).length;
  // A claim that counts dry mass may state next to its visits what follows from them.
  if (forms !== 1 && !(isDry && visits !== undefined)) return `${path} has not one form of measurement.`;
  const common = { householdId, testGroup, visits, evidence, linked, stated };
  const written = fuelMeasurements && gramsOf(fuelMeasurements);
  if (written === null) return `${path} has a measurement that is not whole grams.`;
  if (visits === undefined) {
    const { total, dailyLogs } = written as NonNullable<typeof written>;
    return { ...common, total, dailyLogs, fuels: null, weighed: null, fed: null };
  }
  const amountOf = amountIn(fuelMass, testGroup);
  const measured = measurementOfVisits(visits, fuel, amountOf);
  if (written !== undefined && differencesOf(written, measured).length > 0) {
    return `${path} states other daily logs than follow from its visits.`;
  }
  const weighed = isDry ? new Map([...fuelsOfVisits(visits)].filter(([each]) => isDriedFuel(each))) : null;
  return { ...common, ...measured, fuels: fuelsOfVisits(visits, amountOf), weighed, fed: peopleFedOf(visits) };
}

/** Amounts in grams; null when one is not whole grams. */
function gramsOf({ total, dailyLogs }: NonNullable<ClaimFile["claim"]["fuelMeasurements"]>) {
  const measured = [total, ...dailyLogs].map(({ value }) => parseScaled(value, gramDecimals));
  if (measured.some((each) => each === undefined)) return null;
  const [sum = 0n, ...logs] = measured as bigint[];
  return { total: sum, dailyLogs: logs };
}

function compareClaim(room: OpenedRoom, claim: RoomClaim, filed: FiledClaim): Difference[] {
  const { hashes } = room;
  const stated = {
    group: claim.group,
    grams: claim.totalGrams,
    logs: claim.logs,
    fuels: claim.fuels ?? null,
    ...(claim.weighed === undefined ? {} : { weighed: claim.weighed }),
    ...(claim.fed === undefined ? {} : { fed: claim.fed }),
    claimHash: claim.claimHash,
    credentialHash: claim.credentialHash,
    evidence: claim.evidence,
  };
  const repeated = {
    group: filed.testGroup,
    grams: String(filed.dailyLogs.reduce((sum, each) => sum + each, 0n)),
    logs: filed.dailyLogs.length,
    fuels: filed.fuels && textsOf(filed.fuels),
    ...(filed.weighed === null ? {} : { weighed: textsOf(filed.weighed) }),
    // A claim that was filed before these were kept lists none.
    ...(filed.fed === null || claim.fed === undefined ? {} : { fed: filed.fed }),
    claimHash: `0x${hashes.get(`${claimFolderOf(claim.id)}/claim.json`)}`,
    credentialHash: `0x${hashes.get(`${claimFolderOf(claim.id)}/credential.jwt`)}`,
    evidence: [uriOf(room, `${claimFolderOf(claim.id)}/claim.json`), ...filed.evidence],
  };
  return differencesOf(stated, repeated, claim.id);
}

function textsOf(amounts: ReadonlyMap<KptFuel, bigint>): Record<string, string> {
  return Object.fromEntries([...amounts].map(([fuel, used]) => [fuel, String(used)]));
}

function claimFaults(
  claim: RoomClaim,
  { total, dailyLogs, fuels }: FiledClaim,
  { data, terms, positions }: { data: RoomData; terms: CampaignTerms; positions: ReadonlyMap<string, RoomPosition> },
): string[] {
  const faults: string[] = [];
  const { id, startDate, endDate } = claim;
  const { paired } = samplingOf(data.campaign) ?? {};
  const phase = claim.group === "reference" ? paired?.before : paired?.after;
  const testPeriod = phase ?? data.campaign.testPeriod;
  if (total !== dailyLogs.reduce((sum, each) => sum + each, 0n)) faults.push(`The daily logs of ${id} do not add up.`);
  if (fuels === null && dailyLogs.some((each) => each <= 0n)) faults.push(`${id} has a daily log that is not above 0.`);
  const wanted = logsOfPeriod(terms.logConvention, { startDay: kptDayOf(startDate), endDay: kptDayOf(endDate) });
  if (dailyLogs.length !== wanted) faults.push(`${id} has ${dailyLogs.length} daily logs; its period has ${wanted}.`);
  if (terms.days !== undefined && dailyLogs.length !== terms.days) {
    faults.push(`${id} has ${dailyLogs.length} daily logs; the terms fix ${terms.days}.`);
  }
  if (startDate < testPeriod.startDate || testPeriod.endDate < endDate) {
    faults.push(`The period of ${id} is outside the test period.`);
  }
  const position = positions.get(placeOf(claim));
  if (position === undefined) faults.push(`${id} is of position ${claim.position}, which was not drawn.`);
  else if (position.leaf !== claim.householdHash) faults.push(`${id} is not of the household at its position.`);
  else if (claim.status === "verified" && position.ended !== "measured") {
    faults.push(`${id} is of position ${claim.position}, which ended as ${position.ended}.`);
  }
  return faults;
}

function placeOf({ group, position }: { group: string; position: number }): string {
  return `${group} ${position}`;
}

async function credentialFaults(
  room: OpenedRoom,
  claim: RoomClaim,
  { filed, keys }: { filed: FiledClaim; keys: ReadonlyMap<string, Ed25519Key> },
): Promise<string[]> {
  const path = `${claimFolderOf(claim.id)}/credential.jwt`;
  if (!room.contents.has(path)) return [`${path} is missing.`];
  const signed = await readSigned(textOf(room, path), keys);
  if (typeof signed === "string") return [`${claim.id}: ${signed}`];
  const { credentialSubject: subject } = (signed.payload.vc ?? {}) as { credentialSubject?: Record<string, unknown> };
  const { startDate, endDate } = claim;
  const stated = { ...subject, id: signed.payload.sub ?? subject?.id };
  const wanted = {
    id: filed.householdId,
    claimId: claim.id,
    campaignId: room.manifest.campaignId,
    testGroup: claim.group,
    testPeriod: { startDate, endDate },
    fuelMeasurements: { total: gramsToText(filed.total), dailyLogs: filed.dailyLogs.length, unit: "kg" },
    ...(filed.fuels === null ? {} : { fuels: fuelsOfCredential(filed.fuels, filed.weighed) }),
    ...(filed.weighed === null ? {} : { fuelMass: "dry" }),
    claimHash: claim.claimHash,
  };
  const differ = differencesOf(parseExact(JSON.stringify(stated)), parseExact(JSON.stringify(wanted)));
  return differ.map(({ what }) => `The credential of ${claim.id} has another ${what} than the claim.`);
}

function fuelsOfCredential(used: ReadonlyMap<KptFuel, bigint>, weighed: ReadonlyMap<KptFuel, bigint> | null): object[] {
  return kptFuels.flatMap((fuel) => {
    const grams = used.get(fuel);
    if (grams === undefined) return [];
    const amount = { fuel, total: gramsToText(grams), unit: fuel === "electricity" ? "kWh" : "kg" };
    const wet = weighed?.get(fuel);
    return [wet === undefined ? amount : { ...amount, weighed: gramsToText(wet), ...moistureIn(grams, wet) }];
  });
}

/** The share of water in the mass as weighed, rounded at 4 decimals. */
function moistureIn(dry: bigint, wet: bigint): { moisture?: unknown } {
  if (wet <= 0n) return {};
  const share = decimal(wet - dry).div(decimal(wet));
  return { moisture: jsonExact(share.toDecimalPlaces(4)) };
}

function gramsToText(grams: bigint): unknown {
  const text = `${grams / 1000n}.${String(grams % 1000n).padStart(3, "0")}`;
  return JSON.rawJSON(text);
}

/**
 * Check that no household is measured twice on a day. The claims of a household are compared by their dates, not day by day, because
 * a data room may state any period.
 */
function sharedDays({ claims }: RoomData): string[] {
  const standing = claims.filter(({ status }) => status === "verified");
  const byStart = standing.sort((a, b) => compareText(a.startDate, b.startDate) || compareText(a.id, b.id));
  /** The claim of each household that has ended last so far. */
  const lastEnded = new Map<string, RoomClaim>();
  const faults: string[] = [];
  for (const claim of byStart) {
    const { id, householdHash, startDate, endDate } = claim;
    const last = lastEnded.get(householdHash);
    if (last !== undefined && startDate <= last.endDate) {
      faults.push(`${id} and ${last.id} measure the same household on the same day.`);
    }
    if (last === undefined || last.endDate < endDate) lastEnded.set(householdHash, claim);
  }
  return faults;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Check that every drawn position was measured, replaced or missing. */
function repeatEnds({ positions, claims }: RoomData): Step {
  const measured = new Set(claims.filter(({ status }) => status === "verified").map(placeOf));
  const faults = positions.flatMap(({ group, position, ended, reason }) => {
    const name = `Position ${position} of the ${group} group`;
    const hasClaim = measured.has(placeOf({ group, position }));
    if (ended === "open") return [`${name} has not ended.`];
    if (ended === "measured" && !hasClaim) return [`${name} is stated as measured and has no claim.`];
    if (ended !== "measured" && hasClaim) return [`${name} is stated as ${ended} and has a claim.`];
    return ended !== "measured" && reason === undefined ? [`${name} is ${ended} without a reason.`] : [];
  });
  return step(`Completeness: each of ${positions.length} drawn positions was measured, replaced or missing`, faults);
}
