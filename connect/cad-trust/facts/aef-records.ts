import { aefAbsent, aefSeparator } from "../../../wire/src/aef-fields.ts";
import type { AefCell, AefReport, AefTableName } from "../../../wire/src/index.ts";
import { type CadTrustRecord, type Fields, keyOf } from "../model/record.ts";
import type { TableName } from "../model/table-names.ts";
import { type ModelField, tables } from "../model/tables.ts";
import type { Profile } from "../settings/schemas.ts";
import type { Facts } from "./read-facts.ts";

type Row = Record<string, AefCell>;

/** Make the records of the five tables: authorizations and entities in force, and each submitted year's actions and holdings. */
export function aefRecords({ submissions }: Profile, { reports, current }: Facts): CadTrustRecord[] {
  const entities = distinct(rowsOf(current, "authorizedEntities").map((row) => entity(row)));
  const byEntity = Map.groupBy(entities, ({ fields }) => String(fields.aefT5AuthorizedEntitiesId));
  const authorizations = rowsOf(current, "authorizations").map((row) => authorization(row, byEntity));
  const known = new Set(authorizations.map(({ key }) => key));
  const ofYears = submissions.flatMap(({ year, version, date }) => {
    const report = reports.get(year);
    if (report === undefined) return [];
    const [head] = rowsOf(report, "submission");
    if (head === undefined) return [];
    const submission: CadTrustRecord = {
      key: keyOf("aef-t1-submission", String(year)),
      table: "aef-t1-submission",
      fields: {
        ...fieldsFrom("aef-t1-submission", head),
        aefT1SubmissionVersion: version,
        aefT1SubmissionSubmissionDate: date,
      },
      parents: {},
    };
    return [
      submission,
      ...rowsOf(report, "actions").map((row) => ofUnits("aef-t3-actions", year, row, known)),
      ...rowsOf(report, "holdings").map((row) => ofUnits("aef-t4-holdings", year, row, known)),
    ];
  });
  return [...entities, ...authorizations, ...distinct(ofYears)];
}

const rowsOf = (report: AefReport, table: AefTableName): Row[] => report.tables[table];

/** Several authorizations may name one entity on one day. */
function distinct(records: CadTrustRecord[]): CadTrustRecord[] {
  return [...new Map(records.map((record) => [record.key, record])).values()];
}

function fieldsFrom(table: TableName, row: Row): Fields {
  return Object.fromEntries(tables[table].fields.map((field) => [field.name, cellValue(field, row[field.name])]));
}

/** Write a cell as the server takes it: days as calendar dates, and `NA` where it requires what the format leaves blank. */
function cellValue({ name, kind, isRequired, maxLength }: ModelField, cell: AefCell | undefined): string | null {
  if (cell === undefined || cell === null || cell === "") return isRequired && kind === "text" ? aefAbsent : null;
  const text = String(cell);
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? [];
  if (kind === "date" && day !== undefined) return `${year}-${month}-${day}`;
  // The server takes less explanation than the format; the whole text is in the report.
  const isLong = maxLength !== undefined && text.length > maxLength && name.endsWith("AdditionalInformation");
  return isLong ? `${text.slice(0, maxLength - 1)}…` : text;
}

function entity(row: Row): CadTrustRecord {
  const fields = fieldsFrom("aef-t5-authorized-entities", row);
  const id = ["CooperativeApproachId", "Id", "AuthorizationDate"].map(
    (name) => fields[`aefT5AuthorizedEntities${name}`],
  );
  const key = keyOf("aef-t5-authorized-entities", id.join("/"));
  return { key, table: "aef-t5-authorized-entities", fields, parents: {} };
}

function authorization(row: Row, entities: Map<string, CadTrustRecord[]>): CadTrustRecord {
  const fields = fieldsFrom("aef-t2-authorizations", row);
  const id = String(fields.aefT2AuthorizationsId);
  const named = String(fields.aefT2AuthorizationsAuthoziedEntityId ?? "");
  // The server links one entity; several are in the text.
  const same = named.includes(aefSeparator) ? undefined : entities.get(named);
  const linked = same?.find(
    (each) => each.fields.aefT5AuthorizedEntitiesAuthorizationDate === fields.aefT2AuthorizationsDate,
  );
  return {
    key: keyOf("aef-t2-authorizations", id),
    table: "aef-t2-authorizations",
    fields,
    parents: linked === undefined ? {} : { cadTrustAefT5AuthorizedEntitiesId: linked.key },
  };
}

function ofUnits(
  table: "aef-t3-actions" | "aef-t4-holdings",
  year: number,
  row: Row,
  authorizations: ReadonlySet<string>,
): CadTrustRecord {
  const fields = fieldsFrom(table, row);
  const prefix = table === "aef-t3-actions" ? "aefT3Actions" : "aefT4Holdings";
  const authorizationKey = keyOf("aef-t2-authorizations", String(fields[`${prefix}AuthorizationId`]));
  const id = tables[table].ownId.map((name) => fields[name]).join("/");
  return {
    key: keyOf(table, `${year}/${id}`),
    table,
    fields,
    parents: {
      cadTrustAefT1SubmissionId: keyOf("aef-t1-submission", String(year)),
      ...(authorizations.has(authorizationKey) ? { cadTrustAefT2AuthorizationsId: authorizationKey } : {}),
    },
  };
}
