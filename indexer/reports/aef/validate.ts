import type { AefProblem, AefUnchecked } from "../../../wire/src/reports.ts";
import type { Capacity } from "./facts.ts";
import { absent, type Cell, type Field, fieldsOf, type Row, separator, type TableName } from "./fields.ts";
import { isBlank, whyRefused } from "./forms.ts";
import { Ranges, type Span } from "./ranges.ts";
import { Sources } from "./sources.ts";
import { type Serials, sourceText } from "./unit-filling.ts";

/** A fault of a report. Rows count from 1, below the header. */
export type Problem = AefProblem;

/** A check that could not be made, and why: it has neither passed nor failed. */
export type Unchecked = AefUnchecked;

export type ValidationContext = {
  year: number;
  /** What the units of a range verify; undefined if unknown. */
  capacityOf: (range: { registry: string; units: { first: bigint; last: bigint } }) => Capacity | undefined;
};

/** Most problems that are listed; further ones are only counted. */
const mostProblems = 1_000;

const consuming = new Set(["Use", "Cancellation", "Voluntary Cancellation"]);
const moving = new Set(["First transfer", "Transfer", "Acquisition"]);
const identity = [
  "CooperativeApproachID",
  "AuthorizationID",
  "FirstTransferringPartyID",
  "Metric",
  "GWPValues",
  "MitigationType",
  "Vintage",
];

const underlyingFields = ["UnderlyingUnitRegistryID", "UnderlyingUnitFirstUnitID", "UnderlyingUnitLastUnitID"];

const text = (cell: Cell | undefined): string => (isBlank(cell) ? "" : String(cell));
/** Serials have 64 bits. */
const isSerial = (cell: Cell | undefined): boolean => /^\d{1,20}$/.test(text(cell)) && BigInt(text(cell)) >> 64n === 0n;
const isTransferAbroad = (row: Row): boolean =>
  text(row.ActionType) === "Acquisition" ||
  text(row.ActionType) === "Transfer" ||
  text(row.ActionSubtype) === "First transfer to another Party";

/**
 * Checks the tables of one report row by row while they are written, so that it needs little memory. Add every row of every
 * table, authorizations before actions, then call `finish`.
 */
export class Validator {
  readonly #context: ValidationContext;
  readonly #problems: Problem[] = [];
  #hidden = 0;
  readonly #rows: Record<TableName, number> = {
    submission: 0,
    authorizations: 0,
    actions: 0,
    holdings: 0,
    authorizedEntities: 0,
  };
  #ndc: [number, number] | undefined;
  /** Authorizations by id: the approach, and the authorized and seen tonnes. */
  readonly #authorizations = new Map<string, { approach: string; quantity: bigint | undefined; minted: bigint }>();
  readonly #entities = new Set<string>();
  /** Named entities, each with the first place that names it. */
  readonly #named = new Map<string, Omit<Problem, "problem">>();
  /** The ranges of all rows. */
  readonly #identities = new Ranges();
  readonly #firstTransfers = new Ranges();
  readonly #consumed = new Ranges();
  readonly #held = new Ranges();
  readonly #heldOrConsumed = new Ranges();
  readonly #sources: Sources;

  constructor(context: ValidationContext) {
    this.#context = context;
    this.#sources = new Sources(rowText, context.capacityOf);
  }

  add(table: TableName, row: Row): void {
    this.#rows[table] += 1;
    for (const field of fieldsOf[table]) this.#checkCell(table, field, row);
    if (table === "submission") this.#addSubmission(row);
    if (table === "authorizations") this.#addAuthorization(row);
    if (table === "actions") this.#addAction(row);
    if (table === "holdings") this.#addHolding(row);
    if (table === "authorizedEntities") this.#entities.add(text(row.Id));
  }

  /** List all problems, after all rows have been added. */
  finish(): { problems: Problem[]; unchecked: Unchecked[] } {
    if (this.#rows.submission !== 1) this.#tell("submission", 1, "ParticipatingParty", "there must be one submission");
    for (const [id, place] of this.#named) {
      if (!this.#entities.has(id)) this.#tellAt(place, `entity ${id} is not in the table of authorized entities`);
    }
    for (const [id, { quantity, minted }] of this.#authorizations) {
      if (quantity === undefined || minted <= quantity) continue;
      this.#tell("authorizations", 0, "AuthorizedQuantity", `${id}: ${minted} t of actions exceed ${quantity} t`);
    }
    this.#compareRanges();
    const unchecked = this.#compareUnderlying();
    if (this.#hidden > 0) this.#problems.push({ ...this.#overflow(), problem: `and ${this.#hidden} more problems` });
    return { problems: this.#problems, unchecked };
  }

  #overflow(): Omit<Problem, "problem"> {
    return { table: "actions", row: 0, field: "" };
  }

  #tell(table: TableName, row: number, field: string, problem: string): void {
    if (this.#problems.length >= mostProblems) this.#hidden += 1;
    else this.#problems.push({ table, row, field, problem });
  }

  #tellAt({ table, row, field }: Omit<Problem, "problem">, problem: string): void {
    this.#tell(table, row, field, problem);
  }

  #checkCell(table: TableName, field: Field, row: Row): void {
    const why = whyRefused(field, row);
    if (why !== undefined) this.#tell(table, this.#rows[table], field.name, `${field.name} ${why}`);
  }

  #addSubmission(row: Row): void {
    const tell = (field: string, problem: string) => this.#tell("submission", this.#rows.submission, field, problem);
    const [first, last] = [Number(row.FirstYearOfNDCPeriod), Number(row.LastYearOfNDCPeriod)];
    if (isBlank(row.FirstYearOfNDCPeriod) || isBlank(row.LastYearOfNDCPeriod)) return;
    this.#ndc = [first, last];
    if (first > last) tell("LastYearOfNDCPeriod", "the NDC period ends before it begins");
    if (Number(row.ReportedYear) !== this.#context.year) tell("ReportedYear", "is not the year of the report");
  }

  #addAuthorization(row: Row): void {
    const at = this.#rows.authorizations;
    const tell = (field: string, problem: string) => this.#tell("authorizations", at, field, problem);
    const id = text(row.AuthorizationID);
    if (this.#authorizations.has(id)) tell("AuthorizationID", `${id} occurs twice`);
    const quantity = /^\d+$/.test(text(row.AuthorizedQuantity)) ? BigInt(text(row.AuthorizedQuantity)) : undefined;
    this.#authorizations.set(id, { approach: text(row.CooperativeApproachID), quantity, minted: 0n });
    this.#checkMetric("authorizations", row, ["Non-GHGMetric"]);
    const isOimp = text(row.PurposeForAuthorization) !== "NDC";
    for (const field of ["OIMPAuthorized", "FirstTransferDefnForOIMP"]) {
      if (isBlank(row[field]) === isOimp) {
        tell(field, isOimp ? `${field} is required for this purpose` : `${field} must be blank for the purpose NDC`);
      }
    }
    for (const entity of text(row.AuthorizedEntityIDs).split(separator)) {
      this.#name(entity, { table: "authorizations", row: at, field: "AuthorizedEntityIDs" });
    }
  }

  /** Record an entity that must be in table 5. */
  #name(entity: string, place: Omit<Problem, "problem">): void {
    if (entity !== "" && entity !== absent && !this.#named.has(entity)) this.#named.set(entity, place);
  }

  #checkMetric(table: TableName, row: Row, fields: string[]): void {
    const isOther = text(row.Metric) === "non-GHG";
    for (const field of fields) {
      if (isBlank(row[field]) === isOther) {
        const problem = isOther ? "is required for a non-GHG metric" : "must be blank for the metric GHG";
        this.#tell(table, this.#rows[table], field, `${field} ${problem}`);
      }
    }
  }

  #addAction(row: Row): void {
    const at = this.#rows.actions;
    const span = this.#addUnits("actions", row);
    this.#checkParties(row);
    this.#checkUse(row);
    if (!text(row.ActionDateTime).startsWith(`${this.#context.year}-`)) {
      this.#tell("actions", at, "ActionDateTime", "is not in the reported year");
    }
    this.#name(text(row["Using/cancellingEntityID"]), { table: "actions", row: at, field: "Using/cancellingEntityID" });
    if (span === undefined) return;
    const authorization = this.#authorizations.get(text(row.AuthorizationID));
    if (text(row.ActionType) === "Authorization" && authorization !== undefined) {
      authorization.minted += span.last - span.first + 1n;
    }
    if (text(row.ActionType) === "First transfer") this.#firstTransfers.add(span);
    if (!consuming.has(text(row.ActionType))) return;
    this.#consumed.add(span);
    this.#heldOrConsumed.add({ ...span, attribute: "consumed" });
  }

  #addHolding(row: Row): void {
    const span = this.#addUnits("holdings", row);
    if (span === undefined) return;
    this.#held.add(span);
    this.#heldOrConsumed.add({ ...span, attribute: "held" });
  }

  /** Check the rules for units in actions and in holdings. @returns their serials, if they have any */
  #addUnits(table: "actions" | "holdings", row: Row): Span | undefined {
    const at = this.#rows[table];
    const tell = (field: string, problem: string) => this.#tell(table, at, field, problem);
    this.#checkMetric(table, row, ["Non-GHGMetric", "QuantityNon-GHG"]);
    const id = text(row.AuthorizationID);
    const authorization = this.#authorizations.get(id);
    if (authorization === undefined) tell("AuthorizationID", `${id} is not in the table of authorizations`);
    else if (authorization.approach !== text(row.CooperativeApproachID)) {
      tell("CooperativeApproachID", `is not the approach of ${id}`);
    }
    if (Number(row.Vintage) > this.#context.year) tell("Vintage", "is after the reported year");
    if (!isSerial(row.FirstID) || !isSerial(row.LastID)) return undefined;
    const [first, last] = [BigInt(text(row.FirstID)), BigInt(text(row.LastID))];
    if (first > last) {
      tell("LastID", "is before FirstID");
      return undefined;
    }
    if (text(row.QuantityCO2) !== `${last - first + 1n}`) tell("QuantityCO2", "is not the number of serials");
    const group = text(row.PartyITMORegistryID);
    const span = { group, first, last, attribute: "", row: table === "actions" ? at : at + holdingsFrom };
    this.#identities.add({ ...span, attribute: JSON.stringify(identity.map((name) => text(row[name]))) });
    this.#addSource(table, row, span);
    return span;
  }

  #addSource(table: "actions" | "holdings", row: Row, serials: Serials): void {
    const tell = (field: string, problem: string) => this.#tell(table, this.#rows[table], field, problem);
    const [registry = "", first = "", last = ""] = underlyingFields.map((name) => text(row[name]));
    const given = [registry, first, last].filter((cell) => cell !== "").length;
    if (given > 0 && given < 3) tell("UnderlyingUnitRegistryID", "underlying units need registry, first and last");
    // Registries choose the form of their serials; only numbers can be compared.
    if (given < 3 || !isSerial(first) || !isSerial(last)) {
      this.#sources.add(serials, { registry: [registry, first, last].join(" ").trim(), units: null });
      return;
    }
    const units = { first: BigInt(first), last: BigInt(last) };
    if (units.first > units.last) tell("UnderlyingUnitLastUnitID", "is before UnderlyingUnitFirstUnitID");
    else this.#sources.add(serials, { registry, units });
  }

  #checkParties(row: Row): void {
    const type = text(row.ActionType);
    this.#require("TransferringPartyID", row, moving.has(type), type);
    this.#require("AcquiringPartyID", row, moving.has(type) && isTransferAbroad(row) && !isToFund(row), type);
    this.#require("Using/cancellingPartyID", row, consuming.has(type), type);
    this.#require("Using/cancellingEntityID", row, consuming.has(type), type);
  }

  #require(field: string, row: Row, isNeeded: boolean, type: string): void {
    if (isBlank(row[field]) !== isNeeded) return;
    const problem = isNeeded ? `${field} is required for ${type}` : `${field} must be blank for ${type}`;
    this.#tell("actions", this.#rows.actions, field, problem);
  }

  #checkUse(row: Row): void {
    const tell = (field: string, problem: string) => this.#tell("actions", this.#rows.actions, field, problem);
    const [year, purpose] = [row.YearITMOUsedTowardsNDC, row.PurposeITMOUsedForOIMP];
    const given = [year, purpose].filter((cell) => !isBlank(cell)).length;
    const isUse = text(row.ActionType) === "Use";
    if (isUse && given !== 1) tell("YearITMOUsedTowardsNDC", "a use names an NDC year or an OIMP purpose, one of them");
    if (!isUse && given !== 0) tell("YearITMOUsedTowardsNDC", "only a use names an NDC year or an OIMP purpose");
    if (isBlank(year)) return;
    const [first, last] = this.#ndc ?? [Number.NaN, Number.NaN];
    if (!(Number(year) >= first && Number(year) <= last)) tell("YearITMOUsedTowardsNDC", "is outside the NDC period");
  }

  #compareRanges(): void {
    for (const { earlier, later } of this.#identities.overlaps()) {
      if (earlier.attribute === later.attribute) continue;
      const [before, after] = [earlier, later].map((span) => JSON.parse(span.attribute) as string[]) as [
        string[],
        string[],
      ];
      const changed = identity.filter((_, i) => before[i] !== after[i]);
      this.#tellAt(
        placeOf(later.row, changed[0]),
        `${changed.join(", ")} of ${spanText(later)} differ from ${rowText(earlier.row)}`,
      );
    }
    for (const { earlier, later } of this.#firstTransfers.overlaps()) {
      this.#tellAt(placeOf(later.row), `${spanText(later)} was first transferred before, in ${rowText(earlier.row)}`);
    }
    for (const { earlier, later } of this.#consumed.overlaps()) {
      this.#tellAt(placeOf(later.row), `${spanText(later)} was used or cancelled before, in ${rowText(earlier.row)}`);
    }
    for (const { earlier, later } of this.#held.overlaps()) {
      this.#tellAt(placeOf(later.row), `${spanText(later)} overlaps the holding of ${rowText(earlier.row)}`);
    }
    for (const { earlier, later } of this.#heldOrConsumed.overlaps()) {
      if (earlier.attribute === later.attribute) continue;
      const [held, consumed] = earlier.attribute === "held" ? [earlier, later] : [later, earlier];
      this.#tellAt(placeOf(held.row), `${spanText(held)} is held though ${rowText(consumed.row)} used or cancelled it`);
    }
  }

  #compareUnderlying(): Unchecked[] {
    const unchecked: Unchecked[] = [];
    const field = "UnderlyingUnitRegistryID";
    for (const found of this.#sources.compare()) {
      if ("problem" in found) {
        this.#tellAt(placeOf(found.serials.row, "UnderlyingUnitFirstUnitID"), found.problem);
        continue;
      }
      const { source, tonnes, most, part } = found;
      const place = part === undefined ? { table: "actions" as const, row: 0, field } : placeOf(part.row, field);
      if (most !== undefined && tonnes > most) {
        this.#tellAt(place, `${tonnes} t claim ${sourceText(source)}, which verifies ${most} t`);
      } else if (most === undefined && part === undefined) {
        const reason =
          source.registry === ""
            ? `${tonnes} t name no single underlying range`
            : `what ${sourceText(source)} verifies is not known`;
        unchecked.push({ table: "actions", field, reason });
      }
    }
    return unchecked;
  }
}

/** Distinguishes rows of holdings from those of actions in the ranges. */
const holdingsFrom = 2 ** 31;

const isToFund = (row: Row): boolean => text(row.ActionSubtype).endsWith("transfer to the Adaptation Fund");

function placeOf(row: number, field = "FirstID"): Omit<Problem, "problem"> {
  if (row >= holdingsFrom) return { table: "holdings", row: row - holdingsFrom, field };
  return { table: "actions", row, field };
}

const rowText = (row: number): string => `${placeOf(row).table} row ${placeOf(row).row}`;
const spanText = ({ group, first, last }: Span): string => `${group} ${first} to ${last}`;
