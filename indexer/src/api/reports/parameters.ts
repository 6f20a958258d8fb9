import type { Context } from "hono";
import { type Detail, refuse } from "../errors.ts";

type Rule<T> = (given: string | undefined) => { value: T } | { rule: string; message: string };
export type Rules<T> = { [K in keyof T]: Rule<T[K]> };

/** Parse a report's query; the error names every parameter that breaks its rule or is unknown. */
export function readQuery<T>(c: Context, rules: Rules<T>): { ok: true; query: T } | { ok: false; details: Detail[] } {
  const details: Detail[] = [];
  const query: Partial<T> = {};
  for (const name of Object.keys(rules) as (keyof T & string)[]) {
    const read = rules[name](c.req.query(name));
    if ("value" in read) query[name] = read.value;
    else details.push({ path: name, rule: read.rule, message: read.message });
  }
  for (const name of Object.keys(c.req.query())) {
    // The API's own token parameter.
    if (name in rules || name === "token") continue;
    details.push({ path: name, rule: "known-parameter", message: `This report has no parameter ${name}.` });
  }
  return details.length === 0 ? { ok: true, query: query as T } : { ok: false, details };
}

export const refuseQuery = (c: Context, details: Detail[]): Response =>
  refuse(c, "INVALID_INPUT", details.map(({ message }) => message).join(" "), { details });

export const party: Rule<string> = (given) =>
  given !== undefined && /^[A-Z]{3}$/.test(given)
    ? { value: given }
    : { rule: "iso-3166-alpha-3", message: "party must be an ISO 3166 alpha-3 code such as ZMB." };

/** Cooperative approaches under the Paris Agreement begin with it. */
const firstYear = 2021;

/** Parse a year that has begun by the chain's clock. */
export const yearUpTo =
  (timestamp: bigint): Rule<number> =>
  (given) => {
    const now = new Date(Number(timestamp) * 1_000).getUTCFullYear();
    if (given === undefined || !/^\d{4}$/.test(given)) {
      return { rule: "four-digits", message: "year must have four digits." };
    }
    const year = Number(given);
    if (year >= firstYear && year <= now) return { value: year };
    return { rule: "year-range", message: `year must be ${firstYear} to ${now}: later years have not begun.` };
  };

export const oneOf =
  <T extends string>(name: string, values: readonly T[], standard: T): Rule<T> =>
  (given = standard) =>
    values.includes(given as T)
      ? { value: given as T }
      : { rule: "one-of", message: `${name} must be one of ${values.join(", ")}.` };

/** `format` of a report that is also offered as CSV. */
export const jsonOrCsv = oneOf("format", ["json", "csv"] as const, "json");

/** Headers of a CSV file to save. */
export const csvHeaders = (name: string) => ({
  "content-type": "text/csv; charset=utf-8",
  "content-disposition": `attachment; filename="${name}.csv"`,
});

export const optional =
  <T>(rule: Rule<T>): Rule<T | undefined> =>
  (given) =>
    given === undefined ? { value: undefined } : rule(given);

export const matching =
  (pattern: RegExp, rule: string, message: string): Rule<string> =>
  (given = "") =>
    pattern.test(given) ? { value: given } : { rule, message };

/** A calendar day, YYYY-MM-DD, as seconds since 1970 of its beginning. */
export const day: Rule<bigint> = (given = "") => {
  const at = new Date(`${given}T00:00:00Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(given) && at.getTime() > 0 && at.toISOString().startsWith(given);
  return isDay
    ? { value: BigInt(at.getTime() / 1_000) }
    : { rule: "calendar-day", message: "date must be a day, YYYY-MM-DD (UTC)." };
};
