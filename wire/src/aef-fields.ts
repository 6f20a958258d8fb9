/**
 * The five tables of the agreed electronic format: their fields in order, with the spellings of the Article 6 database
 * and of CAD Trust.
 */

import type { AefTableName } from "./reports.ts";

/** Version of the UNFCCC's common nomenclature that the fields and their values follow: February 2026. */
export const aefNomenclature = "2026-02";

/** Name of a report's file, without what follows the dot. It says the versions of the report and of the nomenclature. */
export function aefFileName({ party, year, version }: { party: string; year: number; version: string }): string {
  return `AEF-${party}-${year}-${version}-nomenclature-${aefNomenclature}`;
}

/** `required`; `conditional` on other fields; `platform`: left blank, the central platform fills it; `optional`. */
export type AefNeed = "required" | "conditional" | "platform" | "optional";

/** The format of a value. `text` allows anything. */
export type AefForm =
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
  | { oneOf: AefValueList }
  | { manyOf: AefValueList };

/** A field. `cadTrust`: its name in version 2 of the Climate Action Data Trust's data model. */
export type AefField = { name: string; cadTrust: string; need: AefNeed; form: AefForm };

/** Lists of the values that a field may have; the indexer has them. */
export type AefValueList =
  | "actionType"
  | "actionSubtype"
  | "purpose"
  | "oimpPurpose"
  | "firstTransfer"
  | "metric"
  | "mitigationType"
  | "sector";

/** Stands for an entity that is absent. */
export const aefAbsent = "NA";
/** Between several values of one field. */
export const aefSeparator = "; ";

/** A field's name, its need and form, and its name in CAD Trust's data model. */
type Line = [name: string, need: "R" | "C" | "P" | "", form: AefForm, cadTrust: string];
const needs = { R: "required", C: "conditional", P: "platform", "": "optional" } as const;

const table = (prefix: string, lines: Line[]): AefField[] =>
  lines.map(([name, need, form, cadTrust]) => ({
    name,
    cadTrust: `${prefix}${cadTrust}`,
    need: needs[need],
    form,
  }));

const metricLines: Line[] = [
  ["Metric", "R", { oneOf: "metric" }, "Metric"],
  ["GWPValues", "", "text", "GwpValue"],
  ["Non-GHGMetric", "C", "text", "ApplicableNonGhgMetric"],
];

/** The fields that identify a block of units, in the tables of actions and of holdings. */
const blockLines: Line[] = [
  ["CooperativeApproachID", "R", "approach", "CooperativeApproachId"],
  ["AuthorizationID", "R", "authorization", "AuthorizationId"],
  ["FirstTransferringPartyID", "R", "party", "FirstTransferringPartyId"],
  ["PartyITMORegistryID", "R", "registry", "PartyItmoRegistryId"],
  ["FirstID", "R", "serial", "ItmoFirstId"],
  ["LastID", "R", "serial", "ItmoLastId"],
  ["UnderlyingUnitRegistryID", "", "text", "UnitRegistryId"],
  ["UnderlyingUnitFirstUnitID", "", "text", "UnitFirstId"],
  ["UnderlyingUnitLastUnitID", "", "text", "UnitLastId"],
  ...metricLines,
  ["QuantityCO2", "R", "integer", "QuantityTCo2"],
  ["QuantityNon-GHG", "C", "text", "QuantityNonGhg"],
  ["MitigationType", "R", { oneOf: "mitigationType" }, "MitigationType"],
  ["Vintage", "R", "year", "VintageYear"],
];

const submission = table("aefT1Submission", [
  ["ParticipatingParty", "R", "party", "Party"],
  ["SubmissionVersion", "R", "version", "Version"],
  ["ReportedYear", "R", "year", "ReportYear"],
  ["DateOfSubmission", "R", "day", "SubmissionDate"],
  ["ReviewStatusOfInitialReport", "P", "text", "ReviewStatus"],
  ["ResultOfConsistencyCheck", "P", "text", "ResultCheck"],
  ["FirstYearOfNDCPeriod", "R", "year", "NdcFirstYear"],
  ["LastYearOfNDCPeriod", "R", "year", "NdcLastYear"],
  ["ReferenceToTerReport", "P", "text", "ReferenceReviewReport"],
]);

const authorizations = table("aefT2Authorizations", [
  ["AuthorizationID", "R", "authorization", "Id"],
  ["DateOfAuthorization", "R", "day", "Date"],
  ["CooperativeApproachID", "R", "approach", "CooperativeApproachId"],
  ["AuthorizationVersion", "R", "integer", "Version"],
  ["AuthorizedQuantity", "", "integer", "Quantity"],
  ...metricLines,
  ["Sectors", "R", { manyOf: "sector" }, "Sector"],
  ["ActivityType", "", "text", "ActivityType"],
  ["PurposeForAuthorization", "R", { oneOf: "purpose" }, "PurposesForAuthorization"],
  ["AuthorizedPartyIDs", "", "partyList", "AuthorizedPartyId"],
  // CAD Trust spells this name so.
  ["AuthorizedEntityIDs", "", "text", "AuthoziedEntityId"],
  ["OIMPAuthorized", "C", "text", "OimpAuthorizedParty"],
  ["AuthorizedTimeframe", "", "timeframe", "AuthorizedTimeframe"],
  ["AuthorizationT&Cs", "", "text", "AuthorizationTerms"],
  ["AuthorizationDocumentation", "P", "text", "AuthorizationDocumentation"],
  ["FirstTransferDefnForOIMP", "C", { oneOf: "firstTransfer" }, "FirstTransferDefinitionOimp"],
  ["AdditionalExplanatoryInformation", "", "text", "AdditionalInformation"],
]);

const actions = table("aefT3Actions", [
  ["ActionDateTime", "R", "instant", "Date"],
  ["ActionType", "R", { oneOf: "actionType" }, "Type"],
  ["ActionSubtype", "", { oneOf: "actionSubtype" }, "Subtype"],
  ...blockLines,
  ["TransferringPartyID", "C", "party", "TransferringPartyId"],
  ["AcquiringPartyID", "C", "party", "AcquiringPartyId"],
  ["PurposeITMOUsedForOIMP", "C", { oneOf: "oimpPurpose" }, "PurposeOfUseOimp"],
  ["Using/cancellingPartyID", "C", "party", "UsingParticipatingPartyId"],
  ["Using/cancellingEntityID", "C", "text", "UsingAuthorizedEntityId"],
  ["YearITMOUsedTowardsNDC", "C", "year", "ItmoUsedYear"],
  ["ResultOfConsistencyChecks", "P", "text", "ConsistencyCheckResult"],
  ["AdditionalExplanatoryInformation", "", "text", "AdditionalInformation"],
]);

const holdings = table("aefT4Holdings", blockLines);

const authorizedEntities = table("aefT5AuthorizedEntities", [
  ["DateOfAuthorization", "R", "day", "AuthorizationDate"],
  ["Name", "R", "text", "Name"],
  ["CountryOfIncorporation", "R", "party", "IncorporationCountry"],
  ["Id", "R", "text", "Id"],
  ["CooperativeApproachID", "R", "approach", "CooperativeApproachId"],
  ["Conditions", "", "text", "Conditions"],
  ["ChangeConditions", "", "text", "ChangeConditions"],
  ["AdditionalInformation", "", "text", "AdditionalInformation"],
]);

export const aefFields: Record<AefTableName, readonly AefField[]> = {
  submission,
  authorizations,
  actions,
  holdings,
  authorizedEntities,
};

/** The tables' titles in the format. */
export const aefTitles: Record<AefTableName, string> = {
  submission: "Submission",
  authorizations: "Authorizations",
  actions: "Actions",
  holdings: "Holdings",
  authorizedEntities: "Authorized entities",
};
