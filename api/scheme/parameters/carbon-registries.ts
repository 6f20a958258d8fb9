import { registrySpelling } from "../../../indexer/schema/registry-names.ts";
import { isValidIn, type ParameterEntry, type Parameters } from "./entries.ts";

/** Key of the parameter that says whether certificates need a recorded registry. */
export const REGISTRY_LIST_KEY = "certificates";

/** A carbon registry on the regulator's record: its name as first recorded, and the newest entry under any spelling of it. */
export type CarbonRegistry = { name: string; entry: ParameterEntry };

/** Find the record of a carbon registry under any spelling of its name; null when there is none. */
export function carbonRegistryOf(entries: readonly ParameterEntry[], name: string): CarbonRegistry | null {
  const spelling = registrySpelling(name);
  if (spelling === null) return null;
  const found = entries.filter(({ kind, key }) => kind === "registry" && registrySpelling(key) === spelling);
  const [first, entry] = [found[0], found.at(-1)];
  return first === undefined || entry === undefined ? null : { name: first.key, entry };
}

/** A reason for which a certificate must not name a registry. */
export type RegistryProblem = {
  rule: "registry-spelling" | "registry-in-force" | "registry-recorded";
  message: string;
};

/**
 * Say why a certificate must not name a registry on a day; undefined when it may.
 * @param isCertified Whether earlier certificates spell the name like this. Their spelling goes before the recorded one, because
 * the contract accepts no other.
 */
export async function whyRegistryRefused(
  parameters: Parameters,
  { name, isCertified }: { name: string; isCertified: boolean },
  day: string,
): Promise<RegistryProblem | undefined> {
  const registry = carbonRegistryOf(await parameters.all(), name);
  if (registry === null) {
    const list = await parameters.newestOn("registry-list", REGISTRY_LIST_KEY, day);
    if (list?.unit !== "closed") return undefined;
    return { rule: "registry-recorded", message: `${name} is not on the regulator's record of registries.` };
  }
  if (registry.name !== name && !isCertified) {
    return { rule: "registry-spelling", message: `The registry is on record as ${registry.name}: use that.` };
  }
  if (isValidIn(registry.entry, { startDate: day, endDate: day })) return undefined;
  const { validFrom, validTo } = registry.entry;
  const message = `The record of ${name} is valid from ${validFrom}${validTo === null ? "" : ` to ${validTo}`}, not today.`;
  return { rule: "registry-in-force", message };
}
