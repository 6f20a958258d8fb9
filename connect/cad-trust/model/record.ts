import type { TableName } from "./table-names.ts";

/** A field's value. Numbers are decimal text, so that no digit is lost; a list has several values of a picklist. */
export type FieldValue = string | string[] | null;
/** Fields by the data model's names. */
export type Fields = Record<string, FieldValue>;

/** A record as it should be on the server. */
export type CadTrustRecord = {
  /** Table and own id, such as `verification/CERT-456`. */
  key: string;
  table: TableName;
  fields: Fields;
  /** Fields that hold the server's id of another record, with that record's key. */
  parents: Record<string, string>;
};

/** Make a record's key. */
export const keyOf = (table: TableName, ownId: string): string => `${table}/${ownId}`;

/** A calendar day (UTC) of days since 1970-01-01. */
export const dayOf = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

/** The calendar day (UTC) of a time in seconds since 1970. */
export const dayOfSeconds = (seconds: string | bigint): string =>
  new Date(Number(seconds) * 1_000).toISOString().slice(0, 10);
