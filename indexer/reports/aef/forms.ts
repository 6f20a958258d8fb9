import { type Cell, type Field, type Form, type Row, separator, valueLists } from "./fields.ts";

const patterns: Partial<Record<Extract<Form, string>, [RegExp, string]>> = {
  party: [/^[A-Z]{3}$/, "must be an ISO 3166 alpha-3 code"],
  version: [/^[1-9]\d*\.\d+$/, "must be X.Y, the first 1.0"],
  year: [/^\d{4}$/, "must be a year of four digits"],
  authorization: [/^[A-Za-z0-9 -]+$/, "may contain only letters, digits, spaces and hyphens"],
  approach: [/^CA\d{4}$/, "must be CA and four digits"],
  registry: [/^[A-Z]{3}\d{2}$/, "must be a Party's code and two digits"],
  serial: [/^[1-9]\d{0,19}$/, "must be a serial from 1"],
  integer: [/^\d+$/, "must be a whole number"],
};

function isDay(text: string): boolean {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? [];
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // JavaScript turns an invalid day, such as 31 April, into a day of the next month.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${year}-${month}-${day}`);
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

function isTimeframe(text: string): boolean {
  const [, first, last] = /^(\d{4}) - (\d{4})$/.exec(text) ?? [];
  return first !== undefined && last !== undefined && first <= last;
}

function whyMisspelt(text: string, form: Form): string | undefined {
  if (typeof form === "object") {
    const [list, values] = "oneOf" in form ? [form.oneOf, [text]] : [form.manyOf, text.split(separator)];
    const allowed: readonly string[] = valueLists[list];
    const strange = values.filter((value) => !allowed.includes(value));
    return strange.length === 0 ? undefined : `is none of: ${allowed.join(", ")}`;
  }
  if (form === "day") return isDay(text) ? undefined : "must be a day, dd/mm/yyyy";
  if (form === "instant") return isInstant(text) ? undefined : "must be ISO 8601 UTC with milliseconds";
  if (form === "timeframe") return isTimeframe(text) ? undefined : "must be two years in order, dddd - dddd";
  if (form === "partyList") {
    const isList = text.split(separator).every((party) => /^[A-Z]{3}$/.test(party));
    return isList ? undefined : "must be ISO 3166 alpha-3 codes";
  }
  const [pattern, why] = patterns[form] ?? [];
  return pattern === undefined || pattern.test(text) ? undefined : why;
}

export const isBlank = (cell: Cell | undefined): boolean => cell === undefined || cell === null || cell === "";

/** Find the problem with a single cell; undefined if there is none. */
export function whyRefused(field: Field, row: Row): string | undefined {
  const cell = row[field.name];
  if (isBlank(cell)) return field.need === "required" ? "is required" : undefined;
  if (field.need === "platform") return "is filled by the central platform and must be blank";
  return whyMisspelt(String(cell), field.form);
}
