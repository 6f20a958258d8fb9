import { createHash } from "node:crypto";
import { parseScaled } from "../../../api/platform/values/numbers.ts";
import {
  exact,
  HearthError,
  isDriedFuel,
  type KptFuel,
  type Schemas,
  type ToSend,
  usedOf,
} from "../../../wire/src/index.ts";
import { type Point, readAnswers } from "../answers.ts";
import type { RecordDeps } from "../deps.ts";
import { campaignOf } from "../forms/catalogue.ts";
import { countsDryMass, daysOf, moistureNames, type Phase, phasesOf } from "../forms/kpt.ts";
import { accepted, isRefusal, type Outcome, refused, rulesOf, type Work } from "../outcome.ts";
import { parseXml } from "../parse-xml.ts";
import { because, type Reason } from "../reasons.ts";
import { readRecord } from "../sealed-files.ts";
import type { SignedIn } from "../source.ts";
import { settled } from "../statuses.ts";
import type { SubmissionRow } from "../tables.ts";

type Campaign = Schemas["Campaign"];
type ClaimToSend = ToSend<Schemas["KPTClaimRequest"]>;
type VisitToSend = NonNullable<ClaimToSend["visits"]>[number];
type Visit = { row: SubmissionRow; answers: VisitAnswers };

type FuelAnswers = {
  fuel: KptFuel;
  start: string;
  added: string;
  end: string;
  tare?: string;
  scale?: string;
  moisture?: Record<string, string> & { basis?: "wet" | "dry" };
};
type VisitAnswers = {
  household: string;
  day: string;
  at: string;
  place?: Point;
  fuels: FuelAnswers[];
  people?: Record<string, number>;
  stoves: { kind?: string; serial?: string; used?: string }[];
  season?: string;
  events?: string;
  work?: string;
  notes?: string;
};

/** Most pieces of evidence of a claim. */
const mostEvidence = 32;

/**
 * Add a visit to its household's test. When the visits of all days are there, file the claim. If Hearth refuses it, all visits of
 * the test show why, and an edit of any of them files it again.
 */
export async function addVisit(work: Work): Promise<Outcome> {
  const { deps, signedIn, row } = work;
  const answers = work.answers as unknown as VisitAnswers;
  const campaign = await campaignOf(signedIn.client, signedIn.collector);
  if (campaign === undefined) throw new Error(`The collector ${signedIn.collector.id} has no campaign.`);
  const broken = brokenWeighings(answers, campaign);
  if (broken.length > 0) {
    await deps.submissions.leaveDay(row.id);
    return refused(broken);
  }
  const day = Number(answers.day);
  const phase = phasesOf(campaign).find(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
  if (phase === undefined) throw new Error(`The form of ${campaign.campaignId} offers no day ${day}.`);
  const { campaignId } = campaign;
  const outcome = await deps.submissions.takeDay(row.id, { campaignId, householdDid: answers.household, day });
  if (outcome === "taken") {
    return refused([because("day-taken", "day", { day })]);
  }
  // Meanwhile another request may have accepted its test, or the team deleted it.
  if (outcome === "settled") return stillWaiting;
  // Another visit may have arrived meanwhile. Both then file the same claim, with one Idempotency-Key.
  const rows = [...(await otherVisits(deps, row, campaign, answers.household)), { ...row, day }];
  const days = new Set(daysOf(phase));
  const ofPhase = rows.filter((each) => days.has(each.day ?? -1));
  if (new Set(ofPhase.map((each) => each.day)).size < days.size) return stillWaiting;
  const visits = await Promise.all(ofPhase.map((each) => readVisit(deps, each)));
  visits.sort((a, b) => Number(a.answers.day) - Number(b.answers.day));
  return await fileClaim(deps, signedIn, { campaign, phase }, visits);
}

const stillWaiting: Outcome = { status: "waiting", resultId: null, details: [] };

async function otherVisits(deps: RecordDeps, row: SubmissionRow, campaign: Campaign, household: string) {
  const all = await deps.submissions.visitsOf(campaign.campaignId, household);
  return all.filter(({ id }) => id !== row.id);
}

async function fileClaim(
  { submissions, host }: RecordDeps,
  { client, collector }: SignedIn,
  { campaign, phase }: { campaign: Campaign; phase: Phase },
  visits: Visit[],
): Promise<Outcome> {
  const ids = visits.map(({ row }) => row.id);
  const evidence = (await submissions.filesOf(ids)).slice(0, mostEvidence).map(({ cid, sha256, mimeType }) => ({
    type: mimeType.startsWith("image/") ? "photo" : "collection-log",
    cid,
    sha256,
  }));
  const household = visits[0]?.answers.household ?? "";
  const body: ClaimToSend = {
    type: "KPTClaim",
    campaignId: campaign.campaignId,
    householdId: household,
    testGroup: phase.group ?? (campaign.groups.reference.sample.includes(household) ? "reference" : "intervention"),
    visits: visits.map(({ answers }) => toVisit(answers, phase, collector.collectorDid)),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...factorsOf(campaign, visits),
  };
  const instances = visits.map(({ row }) => row.instanceId).join("\n");
  const idempotencyKey = createHash("sha256").update(instances).digest("hex");
  const end = async (outcome: Outcome): Promise<Outcome> => {
    const changes = { ...outcome, endedAt: host.clock.now() };
    for (const id of ids) {
      if (outcome.status === "accepted") await submissions.change(id, changes);
      // Two corrections of one test file two claims. What the first one made counts.
      else await submissions.changeUnless(id, settled, changes);
    }
    return outcome;
  };
  try {
    const claim = await client.post("/v1/claims", { idempotencyKey, body });
    return await end(accepted(claim.id));
  } catch (error) {
    if (error instanceof HearthError && isRefusal(error)) return await end(refused(rulesOf(error)));
    throw error;
  }
}

async function readVisit(deps: RecordDeps, row: SubmissionRow): Promise<Visit> {
  const form = await deps.forms.find(row.implementerDid, row.formId, row.version);
  if (form === undefined) throw new Error(`The form ${row.formId} of a stored record is missing.`);
  const { answers } = readAnswers(form.questions, parseXml(await readRecord(deps.host, row)));
  return { row, answers: answers as unknown as VisitAnswers };
}

function toVisit(answers: VisitAnswers, { firstDay }: Phase, collector: string): VisitToSend {
  const { day, at, place, fuels, people, stoves, notes } = answers;
  const fed = Object.entries(people ?? {}).filter(([, count]) => count !== undefined);
  const seen = stoves.filter(({ kind }) => kind !== undefined);
  return {
    day: Number(day) - firstDay,
    at,
    collector,
    ...(place === undefined ? {} : { gps: toGps(place) }),
    fuels: fuels.map(({ fuel, start, added, end, tare, scale, moisture }) => ({
      fuel,
      start: exact(start),
      added: exact(added),
      end: exact(end),
      ...(tare === undefined ? {} : { tare: exact(tare) }),
      ...(scale === undefined ? {} : { scaleId: scale }),
      ...(moisture?.basis === undefined
        ? {}
        : { moisture: { basis: moisture.basis, readings: readingsOf(moisture).map((piece) => piece.map(exact)) } }),
    })),
    ...(fed.length === 0 ? {} : { peopleFed: Object.fromEntries(fed) }),
    ...(seen.length === 0
      ? {}
      : {
          stoves: seen.map(({ kind = "", serial, used }) => ({
            kind,
            used: used === "yes",
            ...(serial === undefined ? {} : { serial }),
          })),
        }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** The readings that are there, by piece. */
function readingsOf(moisture: Record<string, string>): string[][] {
  return moistureNames.map((piece) => piece.flatMap((name) => moisture[name] ?? []));
}

function toGps({ latitude, longitude, accuracy }: Point) {
  return {
    latitude: exact(latitude),
    longitude: exact(longitude),
    ...(accuracy === undefined ? {} : { accuracy: exact(accuracy) }),
  };
}

/** What the visits say about the circumstances, where the campaign's terms do not. An empty answer states that there were none. */
function factorsOf({ season, externalFactors }: Campaign, visits: readonly Visit[]) {
  const said = (name: "season" | "events" | "work") =>
    visits.map(({ answers }) => answers[name]).find((each) => each !== undefined);
  const listed = (text: string | undefined) =>
    (text ?? "")
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const asked = said("season");
  const factors = {
    ...(season === null && externalFactors?.season === undefined && asked !== undefined ? { season: asked } : {}),
    ...(externalFactors?.culturalEvents === undefined ? { culturalEvents: listed(said("events")) } : {}),
    ...(externalFactors?.occupationalFactors === undefined ? { occupationalFactors: listed(said("work")) } : {}),
  };
  return Object.keys(factors).length === 0 ? {} : { externalFactors: factors };
}

/** The rules of one visit, which need no other: a phone shows them too. */
function brokenWeighings({ fuels }: VisitAnswers, campaign: Campaign): Reason[] {
  const { campaignId } = campaign;
  const grams = (text: string) => parseScaled(text, 3) ?? 0n;
  const seen = new Set<string>();
  return fuels.flatMap(({ fuel, start, added, end, moisture }, i) => {
    const found: Reason[] = [];
    if (moisture?.basis !== undefined && readingsOf(moisture).flat().length < moistureNames.flat().length) {
      found.push(because("moisture-incomplete", `fuels.${i}.moisture`, { fuel }));
    }
    const isUnread = countsDryMass(campaign) && isDriedFuel(fuel) && moisture?.basis === undefined;
    if (isUnread && grams(start) + grams(added) > 0n) {
      found.push(because("moisture-missing", `fuels.${i}.moisture`, { fuel, campaignId }));
    }
    if (seen.has(fuel)) {
      found.push(because("fuel-twice", `fuels.${i}.fuel`, { fuel }));
    }
    seen.add(fuel);
    if (usedOf({ start: grams(start), added: grams(added), end: grams(end) }) < 0n) {
      found.push(because("end-too-large", `fuels.${i}.end`, { fuel }));
    }
    return found;
  });
}
