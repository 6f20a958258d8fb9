import { closest } from "fastest-levenshtein";
import type { RuleDetail } from "../../../api/platform/errors.ts";
import type { ModelField } from "../model/tables.ts";
import { problem } from "../problems.ts";
import { namesOfCountry } from "./country-names.ts";

/** The server's lists of allowed values, by name. */
export type Picklist = ReadonlyMap<string, readonly string[]>;

/** Read the answer of `GET governance/meta/pickList`: lists by name, some of them one level deeper. */
export function toPicklist(answer: unknown): Picklist {
  const lists = new Map<string, readonly string[]>();
  const visit = (value: unknown) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const [name, each] of Object.entries(value)) {
      if (Array.isArray(each))
        lists.set(
          name,
          each.filter((item): item is string => typeof item === "string"),
        );
      else visit(each);
    }
  };
  visit(answer);
  return lists;
}

const countryFields = new Set(["locationCountry", "aefT5AuthorizedEntitiesIncorporationCountry"]);

export type Resolved = { value: string } | { problem: RuleDetail };

/**
 * Find the server's value for ours: what the settings name, else ours, or a country's English names. Only exact values and other
 * capitals or spaces are taken; a similar word is named and left to a person.
 * @param values what the settings name, by our value
 */
export function resolveValue(
  field: Pick<ModelField, "name" | "picklists">,
  ours: string,
  values: Readonly<Record<string, string>> | undefined,
  picklist: Picklist,
): Resolved {
  const list = field.picklists?.map((name) => picklist.get(name)).find((each) => each !== undefined);
  const mapped = values?.[ours];
  const named = mapped ?? ours;
  const candidates = mapped === undefined && countryFields.has(field.name) ? [...namesOfCountry(ours), ours] : [named];
  // Without the list, the server decides.
  if (list === undefined) return { value: candidates[0] ?? named };
  for (const candidate of candidates) {
    const found = list.find((each) => each === candidate) ?? list.find((each) => plain(each) === plain(candidate));
    if (found !== undefined) return { value: found };
  }
  const [first = named] = candidates;
  const said = { name: field.name, value: first, example: JSON.stringify({ [field.name]: { [ours]: "…" } }) };
  if (list.length === 0) return { problem: problem("registry-list-empty", field.name, said) };
  const nearest = closest(first, [...list]);
  return { problem: problem("registry-value-unknown", field.name, { ...said, nearest }) };
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
