import { isValidIn, newestOf, type ParameterEntry, type Parameters } from "./entries.ts";

/** Key of the parameter that says whether certificates need a recorded registry. */
export const REGISTRY_LIST_KEY = "certificates";

/** What all spellings of a carbon registry's name share: its letters, in lower case, and its digits, as in RegistryNames.sol. */
export const spellingKey = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** A carbon registry on the regulator's record: its name as first recorded, and the newest entry under that name. */
export type CarbonRegistry = { name: string; entry: ParameterEntry };

/** Find the record of a carbon registry under any spelling of its name; null when there is none. */
export function carbonRegistryOf(entries: readonly ParameterEntry[], name: string): CarbonRegistry | null {
  const first = entries.find(({ kind, key }) => kind === "registry" && spellingKey(key) === spellingKey(name));
  if (first === undefined) return null;
  return { name: first.key, entry: newestOf(entries, "registry", first.key) ?? first };
}

/** A reason for which a certificate must not name a registry. */
export type RegistryProblem = {
  rule: "registry-spelling" | "registry-in-force" | "registry-recorded";
  message: string;
};

/** Say why a certificate must not name a registry on a day; undefined when it may. */
export async function whyRegistryRefused(
  parameters: Parameters,
  name: string,
  day: string,
): Promise<RegistryProblem | undefined> {
  const registry = carbonRegistryOf(await parameters.all(), name);
  if (registry === null) {
    const list = await parameters.newestOn("registry-list", REGISTRY_LIST_KEY, day);
    if (list?.unit !== "closed") return undefined;
    return { rule: "registry-recorded", message: `${name} is not on the regulator's record of registries.` };
  }
  if (registry.name !== name) {
    return { rule: "registry-spelling", message: `The registry is on record as ${registry.name}: use that.` };
  }
  if (isValidIn(registry.entry, { startDate: day, endDate: day })) return undefined;
  const { validFrom, validTo } = registry.entry;
  const message = `The record of ${name} is valid from ${validFrom}${validTo === null ? "" : ` to ${validTo}`}, not today.`;
  return { rule: "registry-in-force", message };
}
