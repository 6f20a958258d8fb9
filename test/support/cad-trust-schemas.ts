import joi, { type ObjectSchema, type Schema } from "joi";

/**
 * What version 2 of a Climate Action Data Trust server takes, restated from its validators: field, type, `!` for required and `0`
 * for null allowed. `pick:list` is checked against the server's list, and an unknown field is refused.
 */
const restated: Record<string, string> = {
  methodology: `methodologyCode string! methodologyName string! methodologyVersion string0 methodologyDate date0
    methodologyLink uri0 methodologyType pick:methodologyType0`,
  program: `programName string! programRegistry string! programRegistryActivityId string! programRegistryProgramId string
    programDescription string`,
  project: `projectRegistryName string! projectId string! projectCreditingProgram string0 projectName string! projectLink uri!
    projectDescription string0 projectSector picks:projectSector! projectType picks:projectType! projectSubtype string0
    projectStatus pick:projectStatus! projectStatusDate date! projectUnitMetric pick:projectUnitMetric!
    cadTrustReferenceProjectId string0 cadTrustProgramId uuid0`,
  location: `locationCountry pick:locationCountry0 locationRegion string0 locationGis string0 locationMapType string0
    cadTrustProjectId uuid!`,
  estimation: `estimationStartDate date! estimationEndDate date! estimationUnitCount number! estimationReferenceNo string0
    cadTrustProjectId uuid!`,
  "co-benefit": "coBenefitId pick:coBenefitId! cadTrustProjectId uuid!",
  "project-methodology": `cadTrustProjectId uuid! cadTrustMethodologyId uuid! projectMethodologyDate date0
    projectMethodologyDescription string0`,
  validation: `validationId string! validationType pick:validationType! validationBody pick:validationBody! validationDate date
    validationCreditPeriodStartDate date validationCreditPeriodEndDate date cadTrustProjectId uuid!`,
  verification: `verificationId string! verificationStartDate date0 verificationEndDate date0
    verificationBody pick:verificationBody! cadTrustProjectId uuid! cadTrustValidationId uuid0`,
  issuance: `issuanceId string! issuanceDate date0 cadTrustVerificationId uuid! cadTrustProjectMethodologyId uuid!
    cadTrustLocationId uuid0`,
  unit: `unitSerialId string! unitStartBlock string! unitEndBlock string! unitCount number! unitType pick:unitType!
    unitVintageYear integer! unitStatus pick:unitStatus! unitStatusReason string! unitStatusDate date0
    unitRetirementDetail string0 unitRetirementBeneficiary string0 unitRetirementBeneficiaryId string0 unitLink uri0
    unitMetric pick:unitMetric! unitCurrentOwner string0 unitItmosReferenceId string0 marketplace string0
    marketplaceLink string0 marketplaceIdentifier string0 cadTrustIssuanceId uuid!`,
  label: "labelName string! labelType pick:labelType0 labelLink uri0 labelDate date0",
  "unit-label": "cadTrustLabelId uuid! cadTrustUnitId uuid! labelUnitDate date0 labelUnitDescription string0",
  "aef-t5-authorized-entities": prefixed(
    "aefT5AuthorizedEntities",
    `AuthorizationDate date! Name string! Id string! CooperativeApproachId string!
    IncorporationCountry pick:aefT5AuthorizedEntitiesIncorporationCountry0 Conditions string0 ChangeConditions string0
    AdditionalInformation string0`,
    "cadTrustAefT1SubmissionId uuid0 cadTrustUnitId uuid0 cadTrustProjectId uuid0",
  ),
  "aef-t2-authorizations": prefixed(
    "aefT2Authorizations",
    `Id string! Date date! CooperativeApproachId string! AuthorizedPartyId string! Version string0 Quantity number0
    Metric pick:aefT2AuthorizationsMetric0 GwpValue string0 ApplicableNonGhgMetric string0
    Sector pick:aefT2AuthorizationsSector0 ActivityType pick:aefT2AuthorizationsActivityType0
    PurposesForAuthorization pick:aefT2AuthorizationsPurposesForAuthorization0 AuthoziedEntityId string0
    OimpAuthorizedParty string0 AuthorizedTimeframe string0 AuthorizationTerms string0 AuthorizationDocumentation string0
    FirstTransferDefinitionOimp string0 AdditionalInformation string0`,
    "cadTrustAefT1SubmissionId uuid0 cadTrustUnitId uuid0 cadTrustProjectId uuid0 cadTrustAefT5AuthorizedEntitiesId uuid0",
  ),
  "aef-t1-submission": prefixed(
    "aefT1Submission",
    `Party string! Version string! ReportYear number! SubmissionDate date! ReviewStatus string ResultCheck string
    NdcFirstYear number NdcLastYear number ReferenceReviewReport string`,
  ),
  "aef-t3-actions": prefixed(
    "aefT3Actions",
    `Date date! CooperativeApproachId string! AuthorizationId string! FirstTransferringPartyId string!
    PartyItmoRegistryId string! ItmoFirstId string! ItmoLastId string! UnitRegistryId string! UnitFirstId string!
    UnitLastId string! QuantityTCo2 number! VintageYear integer! TransferringPartyId string! AcquiringPartyId string!
    Type pick:aefT3ActionsType0 Subtype string0 Metric pick:aefT2AuthorizationsMetric0 GwpValue string0
    ApplicableNonGhgMetric string0 QuantityNonGhg string0 MitigationType pick:aefT3ActionsMitigationType0
    PurposeOfUseOimp string0 UsingParticipatingPartyId string0 UsingAuthorizedEntityId string0 ItmoUsedYear integer0
    ConsistencyCheckResult string0 AdditionalInformation string0`,
    "cadTrustAefT1SubmissionId uuid0 cadTrustUnitId uuid0 cadTrustProjectId uuid0 cadTrustAefT2AuthorizationsId uuid0",
  ),
  "aef-t4-holdings": prefixed(
    "aefT4Holdings",
    `CooperativeApproachId string! AuthorizationId string! FirstTransferringPartyId string! PartyItmoRegistryId string!
    ItmoFirstId string! ItmoLastId string! UnitRegistryId string! UnitFirstId string! UnitLastId string!
    QuantityTCo2 number! VintageYear integer! Metric pick:aefT2AuthorizationsMetric0 GwpValue string0
    ApplicableNonGhgMetric string0 QuantityNonGhg string0 MitigationType pick:aefT3ActionsMitigationType0`,
    "cadTrustAefT1SubmissionId uuid0 cadTrustUnitId uuid0 cadTrustProjectId uuid0 cadTrustAefT2AuthorizationsId uuid0",
  ),
};

/** The server's lists of allowed values. It lacks Zambia, and misspells a sector, as real ones do. */
export const examplePicklist: Record<string, string[]> = {
  methodologyType: ["Reduction - technical"],
  projectSector: ["Energy demand", "Enegry distribution"],
  projectType: ["Energy Efficiency"],
  projectStatus: ["Listed", "Registered"],
  projectUnitMetric: ["tCO2e"],
  locationCountry: ["Switzerland", "Zimbabwe", "Republic of Zambia"],
  validationType: ["Validation of Project Design Document"],
  validationBody: ["Example Assurance"],
  verificationBody: ["Example Assurance", "Other Assurance"],
  unitType: ["Reduction - technical"],
  unitStatus: ["Held", "Retired", "Cancelled", "Exported", "Buffer"],
  unitMetric: ["tCO2e"],
  coBenefitId: ["SDG 7 - Affordable and clean energy"],
  labelType: ["Certification", "Article 6 - Authorisation"],
  aefT2AuthorizationsMetric: ["GHG", "non-GHG"],
  aefT2AuthorizationsSector: ["Building and construction", "Energy generation"],
  aefT2AuthorizationsActivityType: ["Energy Efficiency Households"],
  aefT2AuthorizationsPurposesForAuthorization: ["NDC", "NDC and OIMP"],
  aefT3ActionsType: [
    "Authorization",
    "First transfer",
    "Transfer",
    "Acquisition",
    "Use",
    "Cancellation",
    "Voluntary Cancellation",
  ],
  aefT3ActionsMitigationType: ["Emission reductions"],
  aefT5AuthorizedEntitiesIncorporationCountry: ["Switzerland"],
};

function prefixed(prefix: string, own: string, links = ""): string {
  const words = own.trim().split(/\s+/);
  return `${words.map((word, i) => (i % 2 === 0 ? prefix + word : word)).join(" ")} ${links}`;
}

function schemaOf(form: string): Schema {
  const type = form.replace(/[!0]$/, "");
  const listed = (name: string) => joi.string().valid(...(examplePicklist[name] ?? []));
  const [kind, list = ""] = type.split(":");
  const base =
    kind === "pick"
      ? listed(list)
      : kind === "picks"
        ? joi.array().items(listed(list))
        : kind === "date"
          ? joi.date().iso()
          : kind === "uri"
            ? joi.string().uri()
            : kind === "uuid"
              ? joi.string().uuid()
              : kind === "integer"
                ? joi.number().integer().min(1900).max(2100)
                : kind === "number"
                  ? joi.number()
                  : joi.string();
  if (form.endsWith("!")) return base.required();
  return form.endsWith("0") ? base.allow(null) : base;
}

/** The validator of each table. @param spelling `old`: servers that misspell two fields of the agreed electronic format */
export function validators(spelling: "old" | "new" = "new"): Record<string, ObjectSchema> {
  return Object.fromEntries(
    Object.entries(restated).map(([table, text]) => {
      const words = text.trim().split(/\s+/);
      const fields = words.flatMap((name, i) => (i % 2 === 0 ? [[name, schemaOf(words[i + 1] ?? "")] as const] : []));
      const misspelt = (name: string) => name.replace(/(T3Actions|T4Holdings)Cooperative/, "$1Coopoerative");
      return [table, joi.object(Object.fromEntries(fields.map(([n, s]) => [spelling === "old" ? misspelt(n) : n, s])))];
    }),
  );
}
