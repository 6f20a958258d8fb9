import { Decimal } from "decimal.js";
import type { Fields, FieldValue } from "../model/record.ts";
import type { TableName } from "../model/table-names.ts";
import { type FieldKind, tables } from "../model/tables.ts";

export type FieldChange = { field: string; from: FieldValue; to: FieldValue };

/** The fields that differ between two versions of a record. */
export function changedFields(table: TableName, before: Fields, after: Fields): FieldChange[] {
  const kinds = new Map(tables[table].fields.map(({ name, kind }) => [name, kind]));
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    return isSame(kinds.get(field) ?? "text", from, to) ? [] : [{ field, from, to }];
  });
}

/**
 * Compare two values of a field, of which the server may write one in another way: a day as a time, a number with zeros, a list in
 * another order or as text.
 */
export function isSame(kind: FieldKind, ours: FieldValue, theirs: unknown): boolean {
  const isBlank = theirs === null || theirs === undefined || theirs === "";
  if (ours === null || isBlank) return (ours === null || ours.length === 0) && isBlank;
  if (kind === "list") return sortedText(ours) === sortedText(theirs);
  const [a, b] = [String(ours), String(theirs)];
  if (a === b) return true;
  if (kind === "number") return isNumber(a) && isNumber(b) && new Decimal(a).equals(b);
  // A server in another time zone writes a day as a time: it is the same day in UTC.
  if (kind === "date") return toTime(a)?.slice(0, 10) === toTime(b)?.slice(0, 10);
  if (kind === "instant") return toTime(a) !== undefined && toTime(a) === toTime(b);
  return false;
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

function toTime(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function sortedText(value: unknown): string {
  const list = Array.isArray(value) ? value : listFrom(String(value));
  return JSON.stringify(list.map(String).sort());
}

/** Some servers answer a list as the JSON text that their database holds. */
function listFrom(text: string): unknown[] {
  if (!text.startsWith("[")) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [text];
  } catch {
    return [text];
  }
}
