/** The agreed electronic format in the indexer: its values, and rows of its tables. The fields are in `wire/src/aef-fields.ts`. */

import {
  type AefField,
  type AefForm,
  type AefNeed,
  type AefValueList,
  aefAbsent,
  aefFields,
  aefSeparator,
  aefTitles,
} from "../../../wire/src/aef-fields.ts";
import { type AefTableName, aefTableNames } from "../../../wire/src/reports.ts";
import { firstTransferDefinitions, itmoActionTypes, itmoPurposes, itmoSectors } from "../../schema/itmo-words.ts";

export const tableNames = aefTableNames;
export type TableName = AefTableName;
export type Need = AefNeed;
export type Form = AefForm;
export type Field = AefField;
export type ValueList = AefValueList;
export const fieldsOf = aefFields;
export const titleOf = aefTitles;
export const absent = aefAbsent;
export const separator = aefSeparator;

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
} as const satisfies Record<AefValueList, readonly string[]>;

/** A value of a cell; blank is null. Serials are text, because spreadsheets do not keep 20 digits of a number. */
export type Cell = string | number | bigint | null;
/** A row by technical names; an absent field is blank. */
export type Row = Readonly<Record<string, Cell>>;

export type KeySpelling = "technical" | "cad-trust";

/** Get the name of a field in a response. */
export const keyOf = (field: Field, spelling: KeySpelling): string =>
  spelling === "cad-trust" ? field.cadTrust : field.name;
