import { beforeDrawOf } from "../../api/scheme/campaigns/result/flags/before-draw.ts";
import { remeasuredOf } from "../../api/scheme/campaigns/result/flags/chosen-values.ts";
import { isPlanKind, planRecordsOf } from "../../api/scheme/campaigns/result/flags/plan-records.ts";
import { sharedSurveyEvidence } from "../../api/scheme/campaigns/result/flags/survey-evidence.ts";
import { creditedPeriod } from "../../api/scheme/campaigns/result/inputs/committed-parameters.ts";
import { readEmissionsTerms } from "../../api/scheme/campaigns/result/inputs/emissions-terms.ts";
import { type ResultRecord, resultFrom } from "../../api/scheme/campaigns/result/record.ts";
import { recordReplacement } from "../../api/scheme/campaigns/result/replacement-rules.ts";
import { serializeFigures } from "../../api/scheme/campaigns/result/response.ts";
import { type CampaignTerms, readTerms } from "../../api/scheme/campaigns/terms/terms.ts";
import { type FlagRule, methods } from "../../api/scheme/emissions/index.ts";
import { isValidIn } from "../../api/scheme/parameters/index.ts";
import type { KnownAccounts } from "../draw/known-accounts.ts";
import { UnavailableError } from "../verifier-command.ts";
import { differencesOf, parseExact } from "./differences.ts";
import { type OpenedRoom, textOf } from "./open-room.ts";
import {
  devicesToOf,
  recountDevices,
  recountLeftOut,
  repeatDeviceDays,
  repeatDevices,
  repeatLeftOut,
  repeatRequirement,
  requirementOf,
} from "./repeat-devices.ts";
import { isByTwoParties } from "./repeat-draw.ts";
import { flagRulesOf, repeatFlagRules } from "./repeat-flags.ts";
import { elsewhereOf, repeatElsewhere, sharedEvidenceIn } from "./repeat-shared-evidence.ts";
import { repeatUsage, surveyedCohorts } from "./repeat-usage.ts";
import type { RoomData } from "./room-data.ts";
import { type Accepted, type Step, step } from "./step.ts";

/** The terms that were in force at the draw: the last amendment's, else those of the commit. */
export function termsOf({ campaign }: RoomData): CampaignTerms {
  return readTerms(campaign.amendments.at(-1)?.terms ?? campaign.terms);
}

/** Collect the inputs from the raw files, calculate the result and compare inputs and every figure with the stated result. */
export function repeatResult(
  room: OpenedRoom,
  data: RoomData,
  { accepted: { earlierFlags = false }, known }: { accepted: Accepted; known: KnownAccounts },
): Step[] {
  const stated = parseExact(textOf(room, "result.json")) as { record?: object; figures?: object };
  if (stated.record === undefined || stated.figures === undefined) {
    throw new UnavailableError("result.json is not the result of a campaign.");
  }
  const devicesTo = devicesToOf(stated);
  const counted = recordOf(room, data, { known, devicesTo });
  const { sampling } = termsOf(data);
  const leftOut = recountLeftOut(stated, data, { ...counted, sampling });
  const byAll = { ...counted, ...leftOut, ...elsewhereOf(stated) };
  const rules = flagRulesOf(stated);
  const given = { ...asRecorded(byAll, rules.applied), ...requirementOf(stated) };
  const record = { ...given, ...(rules.named === undefined ? {} : { flagRules: rules.named }) };
  const result = resultFrom({ ...given, flagRules: rules.applied });
  const figures = parseExact(JSON.stringify(serializeFigures(record, result)));
  const count = countFigures(stated.figures);
  return [
    repeatHash(room, data),
    repeatParameters(data),
    ...repeatDevices(data, rules.applied.includes("frame-covers-part-of-plan")),
    ...repeatDeviceDays(data, { terms: emissionsTermsOf(data), devicesTo }),
    ...repeatUsage(data, termsOf(data).usageFrame),
    step(
      "Inputs: the result counts the claims, devices, terms and parameters of these files",
      [],
      differencesOf(stated.record, parseExact(JSON.stringify(record)), "inputs"),
    ),
    step(`Figures: ${count} numbers calculated again`, [], differencesOf(stated.figures, figures)),
    ...repeatRequirement(given),
    ...repeatLeftOut(given, data, sampling),
    ...repeatElsewhere(given, rules.applied),
    ...repeatFlagRules(
      rules,
      () => ({ flags: resultFrom(byAll).flags, knowsDrawTime: byAll.beforeDraw !== undefined }),
      earlierFlags,
    ),
  ];
}

/** Leave out what results did not record before they were flagged by it. */
function asRecorded(
  {
    replacements,
    remeasured,
    days,
    beforeDraw,
    sharedSurveyEvidence,
    sharedEvidence,
    evidenceElsewhere,
    claims,
    planRecords,
    ...others
  }: ResultRecord,
  rules: readonly FlagRule[],
) {
  return {
    ...others,
    claims: rules.includes("people-differ") ? claims : claims.map(({ fed: _, ...claim }) => claim),
    ...(rules.includes("same-evidence") && { replacements }),
    ...(rules.includes("measured-after-revocation") && { remeasured, ...(days !== undefined && { days }) }),
    ...(rules.includes("same-survey-evidence") && sharedSurveyEvidence !== undefined && { sharedSurveyEvidence }),
    ...(rules.includes("shared-evidence") && { sharedEvidence }),
    ...(rules.includes("evidence-of-other-campaign") && { evidenceElsewhere }),
    ...(rules.includes("area-stated") && { planRecords }),
    ...(rules.includes("measured-before-draw") && beforeDraw !== undefined && { beforeDraw }),
  };
}

function repeatHash({ hashes, manifest }: OpenedRoom, { campaign }: RoomData): Step {
  const repeated = `0x${hashes.get("result.json")}`;
  return step(
    "Result file: its SHA-256 is the one that the close recorded on chain",
    [],
    [
      ...differencesOf(campaign.closed.resultHash, repeated, "hash on chain"),
      ...differencesOf(manifest.resultHash, repeated, "hash of the manifest"),
    ],
  );
}

/** Parameters are valid in the test period or the days that the reduction is credited for, and the committed version of the method is the one that calculates here. */
function repeatParameters(data: RoomData): Step {
  const { testPeriod } = data.campaign;
  const terms = emissionsTermsOf(data);
  const credited = creditedPeriod(terms, testPeriod);
  const isOutside = (each: RoomData["parameters"][number]) =>
    !isValidIn(each, testPeriod) && !isValidIn(each, credited);
  const faults = data.parameters
    .filter(isOutside)
    .map(({ id }) => `${id} is valid neither in the whole test period nor in all of the credited days.`);
  const notes = data.parameters
    .filter(
      (each) => each.kind !== "method" && !isPlanKind(each.kind) && !isOutside(each) && !isValidIn(each, credited),
    )
    .map(
      ({ id }) =>
        `No certificate by the rule parameter-valid-in-vintage: ${id} is not valid from ${credited.startDate} to ${credited.endDate}.`,
    );
  const { method, methodVersion } = terms;
  const version = method === undefined ? undefined : methods.get(method)?.version;
  if (methodVersion !== undefined && methodVersion !== version) {
    faults.push(`The campaign committed version ${methodVersion} of ${method}; this program calculates ${version}.`);
  }
  return {
    ...step(`Parameters: ${data.parameters.length} of the regulator's list, valid in the test period`, faults),
    notes,
  };
}

function emissionsTermsOf(data: RoomData) {
  return readEmissionsTerms(termsOf(data).emissions ?? {});
}

/** The inputs of the result, from the raw files alone. */
type Given = { known: KnownAccounts; devicesTo: string | undefined };

function recordOf(room: OpenedRoom, data: RoomData, { known, devicesTo }: Given) {
  const { hashes } = room;
  const { campaign, draw, positions, claims, devices, parameters, members, siblings } = data;
  const { confidence, sampling, logConvention, usageFrame, days } = termsOf(data);
  const terms = emissionsTermsOf(data);
  const endedAs = (ended: string) => (group: string) =>
    positions.filter((each) => each.group === group && each.ended === ended).map(({ position }) => position);
  const [missing, open] = [endedAs("missing"), endedAs("open")];
  const unmeasured = {
    missing: { reference: missing("reference"), intervention: missing("intervention") },
    open: { reference: open("reference"), intervention: open("intervention") },
  };
  return {
    campaignId: campaign.campaignId,
    confidence,
    ...(sampling === undefined ? {} : { sampling }),
    sampleSize: campaign.sampleSize,
    twoParties: isByTwoParties(data, known),
    frameSizes: {
      reference: draw.groups.reference.leaves.length,
      intervention: draw.groups.intervention.leaves.length,
    },
    terms,
    parameters: parameters
      .filter(({ kind }) => !isPlanKind(kind))
      .map(({ id, kind, key, value, source }) => ({ id, kind, key, value, source })),
    planRecords: planRecordsOf(
      parameters.map((entry) => ({ id: entry.id, entry })),
      campaign.planId,
      campaign.testPeriod,
    ),
    ...recountDevices(data, { terms, usageFrame, devicesTo }),
    ...(devices === undefined ? {} : { deviceList: `0x${hashes.get("devices.json")}` as const }),
    ...(usageFrame === undefined
      ? {}
      : { usageFrame, usageSurvey: surveyedCohorts(data, usageFrame), ...surveyEvidence(data) }),
    ...sharedEvidenceIn(room, data, sampling?.paired !== undefined),
    test: {
      ...(sampling?.paired?.after ?? campaign.testPeriod),
      dayCount: logConvention === "calendar-days" ? "calendar" : "interval",
    },
    ...unmeasured,
    ...(sampling?.strata === undefined
      ? {}
      : { replaced: { reference: droppedOf(draw, "reference"), intervention: droppedOf(draw, "intervention") } }),
    replacements: { reference: replacementsOf(data, "reference"), intervention: replacementsOf(data, "intervention") },
    remeasured: remeasuredOf(
      claims.filter(({ status }) => status === "revoked"),
      unmeasured,
    ),
    ...measuredBeforeDraw(data),
    ...(days === undefined ? {} : { days }),
    siblings,
    claims: claims
      .filter(({ status }) => status === "verified")
      .map(({ id, group, position, totalGrams, logs, fuels, weighed, fed }) => ({
        id,
        group,
        position,
        totalGrams,
        logs,
        ...(fuels == null ? {} : { fuels }),
        ...(weighed === undefined ? {} : { weighed }),
        ...(fed === undefined ? {} : { fed }),
      })),
    members,
  } satisfies ResultRecord;
}

/** Positions of the usage survey with the evidence of another device. */
function surveyEvidence({ usage }: RoomData): Pick<ResultRecord, "sharedSurveyEvidence"> {
  const devices = (usage?.positions ?? []).map(({ position, record }) => ({
    position,
    evidence: record?.evidence ?? [],
  }));
  return { sharedSurveyEvidence: sharedSurveyEvidence(devices) };
}

/** What was measured before the draw; nothing where the draw's document does not say when it was, as in earlier versions. */
function measuredBeforeDraw({ draw, claims, usage }: RoomData): Pick<ResultRecord, "beforeDraw"> {
  const drawnAt = draw.draw?.blockTime;
  if (drawnAt === undefined) return {};
  const visits = (usage?.positions ?? []).map(({ position, record }) => {
    return { position, surveyedOn: record?.date ?? null };
  });
  return {
    beforeDraw: beforeDrawOf(drawnAt, { claims: claims.filter(({ status }) => status === "verified"), visits }),
  };
}

/** The replaced positions of a group, in the order of their replacements. */
function droppedOf({ groups }: RoomData["draw"], group: "reference" | "intervention"): number[] {
  return groups[group].replacements.toSorted((a, b) => a.replacement - b.replacement).map(({ dropped }) => dropped);
}

/** The replacements of a group in their order, with the evidence of `positions.json`. */
function replacementsOf({ positions }: RoomData, group: "reference" | "intervention") {
  return positions
    .filter((each) => each.group === group && each.ended === "replaced")
    .toSorted((a, b) => (a.replacedBy ?? 0) - (b.replacedBy ?? 0))
    .map(({ position, evidence = null }) => recordReplacement(position, evidence));
}

function countFigures(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if ("isLosslessNumber" in value) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countFigures(each), 0);
}
