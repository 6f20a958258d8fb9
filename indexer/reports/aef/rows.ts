import { isoTime } from "../../../wire/src/chain-values.ts";
import type { ItmoPurpose } from "../../schema/itmo-words.ts";
import type { Action, Approach, Authorization, Holding, Units } from "./facts.ts";
import { absent, type Row, separator } from "./fields.ts";

/** Fields of an authorization's terms that the tables use; each may be missing. */
type Terms = Partial<
  Record<
    | "gwpValues"
    | "oimpAuthorized"
    | "termsAndConditions"
    | "conditions"
    | "changeConditions"
    | "additionalInformation"
    | "explanation",
    string
  >
>;

/** Format a time as its UTC day, `dd/mm/yyyy`. */
export function dayText(at: Date): string {
  const [year, month, day] = at.toISOString().slice(0, 10).split("-");
  return `${day}/${month}/${year}`;
}

const dayOf = (days: number): string => dayText(new Date(days * 86_400_000));
const textOrNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);

function termsOf(json: string): Terms {
  try {
    const parsed: unknown = JSON.parse(json);
    if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) return {};
    const texts = Object.entries(parsed).filter(([, value]) => typeof value === "string");
    return Object.fromEntries(texts) as Terms;
  } catch {
    // The chain accepts any text as terms; if it is not JSON, these fields are blank.
    return {};
  }
}

/** Format micro-CARBON as tonnes, with all significant decimals. */
export function tonnesText(micro: bigint): string {
  const digits = micro.toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${fraction}`;
}

/** The head of a report. Years are null if no approach of the Party has them. */
export type Submission = {
  party: string;
  version: string;
  year: number;
  date: Date;
  ndcFirstYear: number | null;
  ndcLastYear: number | null;
};

export const submissionRow = (submission: Submission): Row => ({
  ParticipatingParty: submission.party,
  SubmissionVersion: submission.version,
  ReportedYear: submission.year,
  DateOfSubmission: dayText(submission.date),
  FirstYearOfNDCPeriod: submission.ndcFirstYear,
  LastYearOfNDCPeriod: submission.ndcLastYear,
});

const changesText = ({ versions }: Authorization): string[] =>
  versions
    .slice(1)
    .map(({ version, quantity, reason, at }) =>
      `Version ${version} of ${isoTime(at).slice(0, 10)}: ${quantity} t. ${reason}`.trim(),
    );

const changeNames = { reduction: "Reduction", revocation: "Revocation", veto: "Veto" } as const;

/** What was taken away for units that were not first transferred, and what a veto restored. */
const reductionsText = ({ changes }: Authorization): string[] =>
  changes.map(({ kind, purpose, quantity, reason, at }) => {
    const left = kind === "reduction" ? `: ${purpose}, ${quantity} t` : "";
    return `${changeNames[kind]} of ${isoTime(at).slice(0, 10)}${left}. ${reason}`.trim();
  });

function oimpOf(purpose: ItmoPurpose, terms: Terms): string | null {
  if (purpose === "NDC") return null;
  return textOrNull(terms.oimpAuthorized) ?? purpose.replace("NDC and ", "");
}

export function authorizationRow(authorization: Authorization, approach: Approach): Row {
  const terms = termsOf(authorization.terms);
  const latest = authorization.versions.at(-1);
  const { firstTransferringParty, participatingParties } = approach;
  const users = participatingParties.filter((party) => party !== firstTransferringParty);
  const entities = authorization.entities.map(({ entityId }) => entityId);
  const { firstYear, lastYear, purpose, firstTransfer } = authorization;
  return {
    AuthorizationID: authorization.authorizationId,
    DateOfAuthorization: dayOf(authorization.date),
    CooperativeApproachID: approach.approachId,
    AuthorizationVersion: latest?.version ?? null,
    AuthorizedQuantity: latest?.quantity ?? null,
    Metric: "GHG",
    GWPValues: textOrNull(terms.gwpValues),
    Sectors: textOrNull(approach.sectors.join(separator)),
    ActivityType: textOrNull(approach.activityType),
    PurposeForAuthorization: purpose,
    AuthorizedPartyIDs: textOrNull(users.join(separator)),
    AuthorizedEntityIDs: entities.length === 0 ? absent : entities.join(separator),
    OIMPAuthorized: oimpOf(purpose, terms),
    AuthorizedTimeframe: lastYear === 0 ? null : `${firstYear} - ${lastYear}`,
    "AuthorizationT&Cs": textOrNull(terms.termsAndConditions),
    FirstTransferDefnForOIMP: firstTransfer,
    AdditionalExplanatoryInformation: textOrNull(
      [textOrNull(terms.explanation), ...changesText(authorization), ...reductionsText(authorization)]
        .filter((text) => text !== null)
        .join(" "),
    ),
  };
}

export function entityRows(authorization: Authorization, approach: Approach): Row[] {
  const terms = termsOf(authorization.terms);
  return authorization.entities.map(({ name, country, entityId }) => ({
    DateOfAuthorization: dayOf(authorization.date),
    Name: textOrNull(name),
    CountryOfIncorporation: country,
    Id: entityId,
    CooperativeApproachID: approach.approachId,
    Conditions: textOrNull(terms.conditions),
    ChangeConditions: textOrNull(terms.changeConditions),
    AdditionalInformation: textOrNull(terms.additionalInformation),
  }));
}

function underlyingCells({ underlying }: Units): Row {
  const [only, ...others] = underlying ?? [];
  if (only === undefined || others.length > 0) return {};
  return {
    UnderlyingUnitRegistryID: only.registry,
    UnderlyingUnitFirstUnitID: `${only.firstSerial}`,
    UnderlyingUnitLastUnitID: `${only.lastSerial}`,
  };
}

/** Name the lots behind a row, each with its units if the row has no other place for them. */
function sourcesText({ underlying }: Units): string {
  if (underlying === null) return "Underlying units are not known.";
  const [only, ...others] = underlying;
  if (only !== undefined && others.length === 0) return `Certificate of the underlying units: ${only.certificateId}.`;
  const parts = underlying.map(
    ({ certificateId, registry, firstSerial, lastSerial, amount }) =>
      `${certificateId} (${registry} ${firstSerial}-${lastSerial}): ${tonnesText(amount)}`,
  );
  return `Underlying units (t, first in first out): ${parts.join(separator)}`;
}

const unitCells = (units: Units): Row => ({
  CooperativeApproachID: units.approachId,
  AuthorizationID: units.authorizationId,
  FirstTransferringPartyID: units.firstTransferringParty,
  PartyITMORegistryID: units.registryId,
  FirstID: `${units.firstId}`,
  LastID: `${units.lastId}`,
  ...underlyingCells(units),
  Metric: "GHG",
  QuantityCO2: units.lastId - units.firstId + 1n,
  MitigationType: "Emission reductions",
  Vintage: units.vintage,
});

/** GWP values of authorizations, by their ids. */
export type GwpValues = ReadonlyMap<string, string>;

export function gwpValuesOf(authorizations: readonly Authorization[]): GwpValues {
  const values = authorizations.map(
    ({ authorizationId, terms }) => [authorizationId, termsOf(terms).gwpValues] as const,
  );
  return new Map(values.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""));
}

export const holdingRow = (holding: Holding, gwp: GwpValues): Row => ({
  ...unitCells(holding),
  GWPValues: gwp.get(holding.authorizationId) ?? null,
});

/** Get the type of an action in a Party's report; null if this Party does not report it. */
function typeFor(action: Action, party: string): string | null {
  if (action.type === "Authorization") return action.firstTransferringParty === party ? action.type : null;
  if (action.type === "First transfer" || action.type === "Transfer") {
    if (action.transferringParty === party) return action.type;
    return action.acquiringParty === party ? "Acquisition" : null;
  }
  return action.usingParty === party ? action.type : null;
}

/** The contract calls every share voluntary. */
const subtypeOf = ({ subtype, isMandatory }: Action): string | null =>
  isMandatory ? (subtype?.replace(/^Voluntary/, "Mandatory") ?? null) : subtype;

/** Build the row of an action in a Party's table; null if this Party does not report it. */
export function actionRow(action: Action, party: string, gwp: GwpValues): Row | null {
  const type = typeFor(action, party);
  if (type === null) return null;
  const isEnd = action.usingParty !== null;
  const notes = [textOrNull(action.note), sourcesText(action)].filter((text) => text !== null);
  return {
    ActionDateTime: isoTime(action.at),
    ActionType: type,
    ActionSubtype: type === "Acquisition" ? null : subtypeOf(action),
    ...unitCells(action),
    GWPValues: gwp.get(action.authorizationId) ?? null,
    TransferringPartyID: action.transferringParty,
    AcquiringPartyID: action.acquiringParty,
    PurposeITMOUsedForOIMP: action.purpose,
    "Using/cancellingPartyID": action.usingParty,
    "Using/cancellingEntityID": isEnd ? (action.usingEntity ?? absent) : null,
    YearITMOUsedTowardsNDC: action.ndcYear,
    AdditionalExplanatoryInformation: textOrNull(notes.join(" ")),
  };
}
