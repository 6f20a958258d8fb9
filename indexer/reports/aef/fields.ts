/**
 * The five tables of the agreed electronic format: their fields in order, with the spellings of the Article 6 database
 * and of CAD Trust.
 */

import { type AefTableName, aefTableNames } from "../../../wire/src/reports.ts";
import { firstTransferDefinitions, itmoActionTypes, itmoPurposes, itmoSectors } from "../../schema/itmo-words.ts";

export const tableNames = aefTableNames;
export type TableName = AefTableName;

/** `required`; `conditional` on other fields; `platform`: left blank, the central platform fills it; `optional`. */
export type Need = "required" | "conditional" | "platform" | "optional";

/** The format of a value. `text` allows anything. */
export type Form =
  | "text"
  | "party"
  | "partyList"
  | "version"
  | "year"
  | "day"
  | "instant"
  | "authorization"
  | "approach"
  | "registry"
  | "serial"
  | "integer"
  | "timeframe"
  | { oneOf: ValueList }
  | { manyOf: ValueList };

export type Field = { name: string; cadTrust: string; need: Need; form: Form };

export const valueLists = {
  actionType: ["Authorization", "Acquisition", ...itmoActionTypes],
  actionSubtype: [
    "First transfer to another Party",
    "Authorization",
    "Issuance",
    "Use or cancellation",
    "Mandatory transfer to the Adaptation Fund",
    "Voluntary transfer to the Adaptation Fund",
    "Mandatory cancellation to deliver OMGE",
    "Voluntary cancellation to deliver OMGE",
    "Other cancellations",
    "Not yet defined",
  ],
  purpose: itmoPurposes,
  oimpPurpose: ["OIMP", "IMP", "OP"],
  firstTransfer: firstTransferDefinitions,
  metric: ["GHG", "non-GHG"],
  mitigationType: ["Emission reductions", "Removals", "both"],
  sector: itmoSectors,
} as const;
export type ValueList = keyof typeof valueLists;

/** Stands for an entity that is absent. */
export const absent = "NA";
/** Between several values of one field. */
export const separator = "; ";

type Line = [name: string, need: "R" | "C" | "P" | "", form?: Form, cadTrust?: string];
const needs = { R: "required", C: "conditional", P: "platform", "": "optional" } as const;

const table = (prefix: string, lines: Line[]): Field[] =>
  lines.map(([name, need, form = "text", cadTrust = name]) => ({
    name,
    cadTrust: `${prefix}${cadTrust}`,
    need: needs[need],
    form,
  }));

const metricLines: Line[] = [
  ["Metric", "R", { oneOf: "metric" }],
  ["GWPValues", ""],
  ["Non-GHGMetric", "C"],
];

const underlyingLines: Line[] = [
  ["UnderlyingUnitRegistryID", ""],
  ["UnderlyingUnitFirstUnitID", ""],
  ["UnderlyingUnitLastUnitID", ""],
];

const submission = table("aefT1Submission", [
  ["ParticipatingParty", "R", "party", "Party"],
  ["SubmissionVersion", "R", "version", "Version"],
  ["ReportedYear", "R", "year"],
  ["DateOfSubmission", "R", "day"],
  ["ReviewStatusOfInitialReport", "P"],
  ["ResultOfConsistencyCheck", "P"],
  ["FirstYearOfNDCPeriod", "R", "year"],
  ["LastYearOfNDCPeriod", "R", "year"],
  ["ReferenceToTerReport", "P"],
]);

const authorizations = table("aefT2Authorizations", [
  ["AuthorizationID", "R", "authorization", "Id"],
  ["DateOfAuthorization", "R", "day", "Date"],
  ["CooperativeApproachID", "R", "approach"],
  ["AuthorizationVersion", "R", "integer"],
  ["AuthorizedQuantity", "", "integer"],
  ...metricLines,
  ["Sectors", "R", { manyOf: "sector" }],
  ["ActivityType", ""],
  ["PurposeForAuthorization", "R", { oneOf: "purpose" }, "PurposesForAuthorization"],
  ["AuthorizedPartyIDs", "", "partyList"],
  ["AuthorizedEntityIDs", "", "text", "AuthoziedEntityId"],
  ["OIMPAuthorized", "C"],
  ["AuthorizedTimeframe", "", "timeframe"],
  ["AuthorizationT&Cs", ""],
  ["AuthorizationDocumentation", "P"],
  ["FirstTransferDefnForOIMP", "C", { oneOf: "firstTransfer" }],
  ["AdditionalExplanatoryInformation", ""],
]);

const actions = table("aefT3Actions", [
  ["ActionDateTime", "R", "instant", "Date"],
  ["ActionType", "R", { oneOf: "actionType" }, "Type"],
  ["ActionSubtype", "", { oneOf: "actionSubtype" }, "Subtype"],
  ["CooperativeApproachID", "R", "approach"],
  ["AuthorizationID", "R", "authorization"],
  ["FirstTransferringPartyID", "R", "party"],
  ["PartyITMORegistryID", "R", "registry"],
  ["FirstID", "R", "serial", "ItmoFirstId"],
  ["LastID", "R", "serial"],
  ...underlyingLines,
  ...metricLines,
  ["QuantityCO2", "R", "integer", "QuantityTCo2"],
  ["QuantityNon-GHG", "C"],
  ["MitigationType", "R", { oneOf: "mitigationType" }],
  ["Vintage", "R", "year", "VintageYear"],
  ["TransferringPartyID", "C", "party"],
  ["AcquiringPartyID", "C", "party"],
  ["PurposeITMOUsedForOIMP", "C", { oneOf: "oimpPurpose" }],
  ["Using/cancellingPartyID", "C", "party"],
  ["Using/cancellingEntityID", "C"],
  ["YearITMOUsedTowardsNDC", "C", "year"],
  ["ResultOfConsistencyChecks", "P"],
  ["AdditionalExplanatoryInformation", ""],
]);

const holdings = table("aefT4Holdings", [
  ["CooperativeApproachID", "R", "approach"],
  ["AuthorizationID", "R", "authorization"],
  ["FirstTransferringPartyID", "R", "party"],
  ["PartyITMORegistryID", "R", "registry"],
  ["FirstID", "R", "serial"],
  ["LastID", "R", "serial"],
  ...underlyingLines,
  ...metricLines,
  ["QuantityCO2", "R", "integer"],
  ["QuantityNon-GHG", "C"],
  ["MitigationType", "R", { oneOf: "mitigationType" }],
  ["Vintage", "R", "year"],
]);

const authorizedEntities = table("aefT5AuthorizedEntities", [
  ["DateOfAuthorization", "R", "day"],
  ["Name", "R"],
  ["CountryOfIncorporation", "R", "party"],
  ["Id", "R"],
  ["CooperativeApproachID", "R", "approach"],
  ["Conditions", ""],
  ["ChangeConditions", ""],
  ["AdditionalInformation", ""],
]);

export const fieldsOf: Record<TableName, readonly Field[]> = {
  submission,
  authorizations,
  actions,
  holdings,
  authorizedEntities,
};

/** The tables' titles in the format. */
export const titleOf: Record<TableName, string> = {
  submission: "Submission",
  authorizations: "Authorizations",
  actions: "Actions",
  holdings: "Holdings",
  authorizedEntities: "Authorized entities",
};

/** A value of a cell; blank is null. Serials are text, because spreadsheets do not keep 20 digits of a number. */
export type Cell = string | number | bigint | null;
/** A row by technical names; an absent field is blank. */
export type Row = Readonly<Record<string, Cell>>;

export type KeySpelling = "technical" | "cad-trust";

/** Get the name of a field in a response. */
export const keyOf = (field: Field, spelling: KeySpelling): string =>
  spelling === "cad-trust" ? field.cadTrust : field.name;
