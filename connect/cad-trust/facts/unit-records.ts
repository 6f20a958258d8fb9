import type { RuleDetail } from "../../../api/platform/errors.ts";
import { itmoSerial, itmoUniqueId } from "../../../wire/src/index.ts";
import { type CadTrustRecord, dayOf, dayOfSeconds, keyOf } from "../model/record.ts";
import { problem } from "../problems.ts";
import type { Profile, ProjectSettings } from "../settings/schemas.ts";
import { keysOfProject } from "./project-records.ts";
import type { Action, Block, Certificate, Conversion, Facts } from "./read-facts.ts";
import { partsOf, type UnitPart } from "./unit-parts.ts";

/** A unit's status in the data model, by the block's. The settings can name other values. */
const unitStatuses: Record<Block["status"], string> = {
  held: "Held",
  "used-for-ndc": "Retired",
  "used-for-oimp": "Retired",
  cancelled: "Cancelled",
  omge: "Cancelled",
  "share-of-proceeds": "Exported",
  buffered: "Buffer",
};
const reasons: Record<Block["status"], string> = {
  held: "Held as ITMOs",
  "used-for-ndc": "Used towards an NDC",
  "used-for-oimp": "Used for other international mitigation purposes",
  cancelled: "Cancelled",
  omge: "Cancelled for overall mitigation in global emissions",
  "share-of-proceeds": "Given to the Adaptation Fund as share of proceeds",
  buffered: "Held by the invalidation buffer",
};

/** Records of verifications, issuances, units and labels, what is left out, and what prevents a record. */
export type UnitRecords = { records: CadTrustRecord[]; notes: string[]; leftOut: LeftOut[]; problems: RuleDetail[] };
/** Certificates of an activity that are not published, because the settings name no such project. */
export type LeftOut = { activityId: string; certificates: number };

/** Make the records of certificates of the settings' projects, and of the ITMOs that came from them. */
export function unitRecords(profile: Profile, facts: Facts, linkOf: (blockId: string) => string): UnitRecords {
  const projects = new Map(profile.projects.map((each) => [each.activityId, each]));
  const bodies = new Map(profile.verifiers.map(({ did, body }) => [did, body]));
  const notes: string[] = [];
  const problems: RuleDetail[] = [];
  const records = new Map<string, CadTrustRecord>();
  const add = (record: CadTrustRecord) => void records.set(record.key, record);
  const certificates = new Map<number, { certificate: Certificate; project: ProjectSettings }>();
  const leftOut = new Map<string, number>();

  for (const certificate of facts.certificates) {
    if (certificate.status === "pending") continue;
    const project = projects.get(certificate.activityId);
    if (project === undefined) {
      leftOut.set(certificate.activityId, (leftOut.get(certificate.activityId) ?? 0) + 1);
      continue;
    }
    certificates.set(certificate.index, { certificate, project });
    const did = facts.verifiers.get(certificate.verifier);
    const body = did && bodies.get(did);
    if (body === undefined) {
      const { certificateId, verifier } = certificate;
      problems.push(
        problem("registry-body-unnamed", "profile.verifiers", { verifier: did ?? verifier, certificateId }),
      );
      continue;
    }
    add(verification(certificate, project, body));
  }
  for (const [activityId, count] of leftOut) {
    notes.push(`${count} certificates of ${activityId} are left out: the settings name no such project.`);
  }
  for (const block of facts.blocks) {
    const conversion = facts.conversions.get(block.conversionIndex);
    if (conversion === undefined) continue;
    for (const part of partsOf(block, conversion, facts.lots.get(conversion.index) ?? [])) {
      const source = certificates.get(part.certificateIndex);
      if (source === undefined) continue;
      const issued = issuance(conversion, source.certificate, source.project);
      add(issued);
      const made = unit(profile, { block, part, action: facts.lastActions.get(block.id) }, issued.key, linkOf);
      add(made);
      if (block.authorization === null) continue;
      const marked = label(block.authorization);
      add(marked);
      add({
        key: keyOf("unit-label", `${block.authorization.authorizationId}/${made.fields.unitStartBlock}`),
        table: "unit-label",
        fields: { labelUnitDate: dayOfSeconds(conversion.endedAt ?? block.createdAt) },
        parents: { cadTrustLabelId: marked.key, cadTrustUnitId: made.key },
      });
    }
  }
  return {
    records: [...records.values()],
    notes,
    leftOut: [...leftOut].map(([activityId, certificates]) => ({ activityId, certificates })),
    problems,
  };
}

function verification(certificate: Certificate, project: ProjectSettings, body: string): CadTrustRecord {
  const { certificateId, periodStart, periodEnd } = certificate;
  const keys = keysOfProject(project);
  return {
    key: keyOf("verification", certificateId),
    table: "verification",
    fields: {
      verificationId: certificateId,
      verificationStartDate: dayOf(periodStart),
      verificationEndDate: dayOf(periodEnd),
      verificationBody: body,
    },
    parents: {
      cadTrustProjectId: keys.project,
      ...(keys.validation === undefined ? {} : { cadTrustValidationId: keys.validation }),
    },
  };
}

/** What a conversion took of a certificate. */
function issuance(conversion: Conversion, { certificateId }: Certificate, project: ProjectSettings): CadTrustRecord {
  const keys = keysOfProject(project);
  const issuanceId = `${conversion.publicId}/${certificateId}`;
  return {
    key: keyOf("issuance", issuanceId),
    table: "issuance",
    fields: { issuanceId, issuanceDate: conversion.endedAt === null ? null : dayOfSeconds(conversion.endedAt) },
    parents: {
      cadTrustVerificationId: keyOf("verification", certificateId),
      cadTrustProjectMethodologyId: keys.methodology,
      cadTrustLocationId: keys.location,
    },
  };
}

type UnitSource = { block: Block; part: UnitPart; action: Action | undefined };

function unit(
  { unitType, unitMetric }: Profile,
  { block, part, action }: UnitSource,
  issuanceKey: string,
  linkOf: (blockId: string) => string,
): CadTrustRecord {
  const { registryId, cooperativeApproachId, firstTransferringParty: firstTransferringPartyId, vintage } = block;
  const { firstId, lastId } = part;
  const uniqueId = itmoUniqueId({
    cooperativeApproachId,
    registryId,
    firstTransferringPartyId,
    firstId,
    lastId,
    vintage,
  });
  const isUsed = block.status === "used-for-ndc" || block.status === "used-for-oimp";
  const purpose = action?.ndcYear == null ? (action?.purpose ?? "") : `NDC of ${action.ndcYear}`;
  return {
    key: keyOf("unit", itmoSerial(registryId, firstId)),
    table: "unit",
    fields: {
      unitSerialId: uniqueId,
      unitStartBlock: itmoSerial(registryId, firstId),
      unitEndBlock: itmoSerial(registryId, lastId),
      unitCount: `${lastId - firstId + 1n}`,
      unitType,
      unitVintageYear: `${vintage}`,
      unitStatus: unitStatuses[block.status],
      unitStatusReason: reasons[block.status],
      unitStatusDate: dayOfSeconds(action?.actedAt ?? block.createdAt),
      unitRetirementDetail: isUsed ? `${reasons[block.status]}: ${purpose}` : null,
      unitRetirementBeneficiary: isUsed ? (action?.usingEntity ?? action?.usingParty ?? null) : null,
      unitLink: linkOf(block.publicId),
      unitMetric,
      unitCurrentOwner: block.party,
      unitItmosReferenceId: uniqueId,
    },
    parents: { cadTrustIssuanceId: issuanceKey },
  };
}

function label({ authorizationId, authorizedDay }: NonNullable<Block["authorization"]>): CadTrustRecord {
  return {
    key: keyOf("label", authorizationId),
    table: "label",
    fields: {
      labelName: `Article 6.2 authorization ${authorizationId}`,
      labelType: "Article 6 - Authorisation",
      labelDate: dayOf(authorizedDay),
    },
    parents: {},
  };
}
