import { aefFields } from "../../../wire/src/aef-fields.ts";
import type { TableName } from "./table-names.ts";

/** `number` takes decimals, `date` is a calendar day, `instant` a time; `list` has several values. */
export type FieldKind = "text" | "number" | "date" | "instant" | "list";

/** A field of the data model. */
export type ModelField = {
  name: string;
  kind: FieldKind;
  /** Whether some server refuses a record without it. */
  isRequired: boolean;
  /** Names of the server's list of allowed values, newest first; absent for free values. */
  picklists?: readonly string[];
  /** Longest text that the server takes. */
  maxLength?: number;
};

/** A table of the data model. */
export type ModelTable = {
  /** Name of the server-made id. */
  idField: string;
  /** Fields that together are our own id, by which the record is found on the server. */
  ownId: readonly string[];
  /** Fields with the ids of other records; `?` marks one that may be missing. */
  parents: readonly string[];
  fields: readonly ModelField[];
};

/** A field's name, kind with `!` when it is required, its picklists, and the longest text. */
type Line = [
  name: string,
  kind: FieldKind | `${FieldKind}!`,
  picklists?: string | readonly string[],
  maxLength?: number,
];

function field([name, kind, lists, maxLength]: Line): ModelField {
  const picklists = typeof lists === "string" ? [lists] : lists;
  return {
    name,
    kind: kind.replace("!", "") as FieldKind,
    isRequired: kind.endsWith("!"),
    ...(picklists === undefined ? {} : { picklists }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

/** Fields of the agreed electronic format that a server requires although the format lets them be blank. */
const aefRequired =
  /(^aefT2AuthorizationsAuthorizedPartyId|Unit(Registry|First|Last)Id|T3Actions(Transferring|Acquiring)PartyId)$/;
/** Fields that the format requires, and no server does. */
const aefOptional =
  /(Metric|Sector|Type|Version|NdcFirstYear|NdcLastYear|PurposesForAuthorization|IncorporationCountry)$/;
const aefLists: Record<string, readonly string[]> = {
  aefT2AuthorizationsMetric: ["aefT2AuthorizationsMetric"],
  aefT2AuthorizationsSector: ["aefT2AuthorizationsSector"],
  aefT2AuthorizationsActivityType: ["aefT2AuthorizationsActivityType"],
  aefT2AuthorizationsPurposesForAuthorization: ["aefT2AuthorizationsPurposesForAuthorization"],
  aefT2AuthorizationsFirstTransferDefinitionOimp: ["aefT2AuthorizationsFirstTransferDefinitionOimp"],
  aefT3ActionsType: ["aefT3ActionsType"],
  aefT3ActionsMetric: ["aefT2AuthorizationsMetric"],
  aefT3ActionsMitigationType: ["aefT3ActionsMitigationType"],
  aefT4HoldingsMetric: ["aefT2AuthorizationsMetric"],
  aefT4HoldingsMitigationType: ["aefT3ActionsMitigationType"],
  aefT5AuthorizedEntitiesIncorporationCountry: ["aefT5AuthorizedEntitiesIncorporationCountry"],
};
/** Text without a limit of 255 characters. */
const aefLong = /(Documentation|FirstTransferDefinitionOimp|Conditions)$|T[25]\w+AdditionalInformation$/;
const aefNumbers =
  /(ReportYear|NdcFirstYear|NdcLastYear|T2AuthorizationsQuantity|QuantityTCo2|VintageYear|ItmoUsedYear)$/;

function aefKind(name: string): FieldKind {
  if (name === "aefT3ActionsDate") return "instant";
  if (name.endsWith("Date")) return "date";
  return aefNumbers.test(name) ? "number" : "text";
}

/** Describe a table of the agreed electronic format, from its fields. */
function aefTable(
  source: keyof typeof aefFields,
  about: Pick<ModelTable, "idField" | "ownId" | "parents">,
): ModelTable {
  const fields = aefFields[source].map(({ cadTrust: name, need }): ModelField => {
    const picklists = aefLists[name];
    const isText = aefKind(name) === "text";
    return {
      name,
      kind: aefKind(name),
      isRequired:
        aefRequired.test(name) || (need === "required" && !aefOptional.test(name)) || name === "aefT1SubmissionVersion",
      ...(picklists === undefined ? {} : { picklists }),
      ...(isText && !aefLong.test(name) ? { maxLength: 255 } : {}),
    };
  });
  return { ...about, fields };
}

/** Every table with its fields, as version 2 of the server validates them. */
export const tables: Record<TableName, ModelTable> = {
  methodology: {
    idField: "cadTrustMethodologyId",
    ownId: ["methodologyCode"],
    parents: [],
    fields: (
      [
        ["methodologyCode", "text!"],
        ["methodologyName", "text!"],
        ["methodologyVersion", "text"],
        ["methodologyDate", "date"],
        ["methodologyLink", "text"],
        ["methodologyType", "text", "methodologyType"],
      ] as Line[]
    ).map(field),
  },
  program: {
    idField: "cadTrustProgramId",
    ownId: ["programRegistryActivityId"],
    parents: [],
    fields: (
      [
        ["programName", "text!"],
        ["programRegistry", "text!"],
        ["programRegistryActivityId", "text!"],
        ["programRegistryProgramId", "text"],
        ["programDescription", "text"],
      ] as Line[]
    ).map(field),
  },
  project: {
    idField: "cadTrustProjectId",
    ownId: ["projectId"],
    parents: ["cadTrustProgramId"],
    fields: (
      [
        ["projectRegistryName", "text!", undefined, 255],
        ["projectId", "text!", undefined, 255],
        ["projectCreditingProgram", "text", undefined, 255],
        ["projectName", "text!", undefined, 500],
        ["projectLink", "text!", undefined, 500],
        ["projectDescription", "text", undefined, 2000],
        ["projectSector", "list!", "projectSector"],
        ["projectType", "list!", "projectType"],
        ["projectSubtype", "text", undefined, 255],
        ["projectStatus", "text!", ["projectStatus", "projectStatusValues"]],
        ["projectStatusDate", "date!"],
        ["projectUnitMetric", "text!", ["projectUnitMetric", "unitMetric"]],
      ] as Line[]
    ).map(field),
  },
  location: {
    idField: "cadTrustLocationId",
    ownId: ["locationCountry", "locationRegion"],
    parents: ["cadTrustProjectId"],
    fields: (
      [
        ["locationCountry", "text!", ["locationCountry", "countries"]],
        ["locationRegion", "text", undefined, 255],
      ] as Line[]
    ).map(field),
  },
  estimation: {
    idField: "cadTrustEstimationId",
    ownId: ["estimationReferenceNo"],
    parents: ["cadTrustProjectId"],
    fields: (
      [
        ["estimationStartDate", "date!"],
        ["estimationEndDate", "date!"],
        ["estimationUnitCount", "number!"],
        ["estimationReferenceNo", "text!", undefined, 255],
      ] as Line[]
    ).map(field),
  },
  "co-benefit": {
    idField: "cadTrustCoBenefitId",
    ownId: ["coBenefitId"],
    parents: ["cadTrustProjectId"],
    fields: ([["coBenefitId", "text!", ["coBenefitId", "coBenefits"]]] as Line[]).map(field),
  },
  "project-methodology": {
    idField: "cadTrustProjectMethodologyId",
    ownId: [],
    parents: ["cadTrustProjectId", "cadTrustMethodologyId"],
    fields: ([["projectMethodologyDate", "date"]] as Line[]).map(field),
  },
  validation: {
    idField: "cadTrustValidationId",
    ownId: ["validationId"],
    parents: ["cadTrustProjectId"],
    fields: (
      [
        ["validationId", "text!"],
        ["validationType", "text!", "validationType"],
        ["validationBody", "text!", ["validationBody", "projectValidationBody"]],
        ["validationDate", "date"],
        ["validationCreditPeriodStartDate", "date"],
        ["validationCreditPeriodEndDate", "date"],
      ] as Line[]
    ).map(field),
  },
  verification: {
    idField: "cadTrustVerificationId",
    ownId: ["verificationId"],
    parents: ["cadTrustProjectId", "cadTrustValidationId"],
    fields: (
      [
        ["verificationId", "text!"],
        ["verificationStartDate", "date"],
        ["verificationEndDate", "date"],
        ["verificationBody", "text!", "verificationBody"],
      ] as Line[]
    ).map(field),
  },
  issuance: {
    idField: "cadTrustIssuanceId",
    ownId: ["issuanceId"],
    parents: ["cadTrustVerificationId", "cadTrustProjectMethodologyId", "cadTrustLocationId"],
    fields: (
      [
        ["issuanceId", "text!"],
        ["issuanceDate", "date"],
      ] as Line[]
    ).map(field),
  },
  unit: {
    idField: "cadTrustUnitId",
    // A split shortens a unit; its first serial stays.
    ownId: ["unitStartBlock"],
    parents: ["cadTrustIssuanceId"],
    fields: (
      [
        ["unitSerialId", "text!"],
        ["unitStartBlock", "text!"],
        ["unitEndBlock", "text!"],
        ["unitCount", "number!"],
        ["unitType", "text!", "unitType"],
        ["unitVintageYear", "number!"],
        ["unitStatus", "text!", "unitStatus"],
        ["unitStatusReason", "text!"],
        ["unitStatusDate", "date"],
        ["unitRetirementDetail", "text"],
        ["unitRetirementBeneficiary", "text"],
        ["unitLink", "text", undefined, 500],
        ["unitMetric", "text!", "unitMetric"],
        ["unitCurrentOwner", "text"],
        ["unitItmosReferenceId", "text"],
      ] as Line[]
    ).map(field),
  },
  label: {
    idField: "cadTrustLabelId",
    ownId: ["labelName"],
    parents: [],
    fields: (
      [
        ["labelName", "text!", undefined, 255],
        ["labelType", "text", "labelType"],
        ["labelDate", "date"],
      ] as Line[]
    ).map(field),
  },
  "unit-label": {
    idField: "cadTrustUnitLabelId",
    ownId: [],
    parents: ["cadTrustLabelId", "cadTrustUnitId"],
    fields: ([["labelUnitDate", "date"]] as Line[]).map(field),
  },
  "aef-t5-authorized-entities": aefTable("authorizedEntities", {
    idField: "cadTrustAefT5AuthorizedEntitiesId",
    ownId: [
      "aefT5AuthorizedEntitiesId",
      "aefT5AuthorizedEntitiesCooperativeApproachId",
      "aefT5AuthorizedEntitiesAuthorizationDate",
    ],
    parents: [],
  }),
  "aef-t2-authorizations": aefTable("authorizations", {
    idField: "cadTrustAefT2AuthorizationsId",
    ownId: ["aefT2AuthorizationsId"],
    parents: ["cadTrustAefT5AuthorizedEntitiesId"],
  }),
  "aef-t1-submission": aefTable("submission", {
    idField: "cadTrustAefT1SubmissionId",
    ownId: ["aefT1SubmissionParty", "aefT1SubmissionReportYear"],
    parents: [],
  }),
  "aef-t3-actions": aefTable("actions", {
    idField: "cadTrustAefT3ActionsId",
    ownId: [
      "aefT3ActionsDate",
      "aefT3ActionsType",
      "aefT3ActionsPartyItmoRegistryId",
      "aefT3ActionsItmoFirstId",
      "aefT3ActionsItmoLastId",
    ],
    parents: ["cadTrustAefT1SubmissionId", "cadTrustAefT2AuthorizationsId"],
  }),
  "aef-t4-holdings": aefTable("holdings", {
    idField: "cadTrustAefT4HoldingsId",
    ownId: ["aefT4HoldingsPartyItmoRegistryId", "aefT4HoldingsItmoFirstId"],
    parents: ["cadTrustAefT1SubmissionId", "cadTrustAefT2AuthorizationsId"],
  }),
};

/** The server's name of a table in its staging area. */
export const stagingNameOf = (table: TableName): string => table.replaceAll("-", "_");
