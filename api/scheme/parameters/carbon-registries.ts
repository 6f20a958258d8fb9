import { registrySpelling } from "../../../indexer/schema/registry-names.ts";
import { isValidIn, type ParameterEntry, type Parameters } from "./entries.ts";

/** Key of the parameter that says whether certificates need a recorded registry. */
export const REGISTRY_LIST_KEY = "certificates";
/** Kind of a record that names a registry otherwise: the key is the alias, the unit the registry's id. */
export const ALIAS_KIND = "registry-alias";

/** Other names under which the registries of a new deployment are known, by registry id. */
const publishedAliases: Readonly<Record<string, readonly string[]>> = {
  "gold-standard": ["GS", "The Gold Standard", "Gold Standard Registry", "Gold Standard Impact Registry"],
  verra: ["VCS", "Verra Registry", "Verified Carbon Standard"],
};

/** A carbon registry on the regulator's record: its name as first recorded, and the newest entry under any spelling of it. */
export type CarbonRegistry = {
  /** Canonical id, such as `gold-standard`. */
  registryId: string;
  name: string;
  /** Address of the registry, where the record's source is one. */
  url: string | null;
  /** Other names, by which no certificate may name it. */
  aliases: string[];
  entry: ParameterEntry;
};

/** List the carbon registries on record, in the order of their first records. */
export function carbonRegistries(entries: readonly ParameterEntry[], day: string): CarbonRegistry[] {
  const bySpelling = Map.groupBy(
    entries.filter(({ kind }) => kind === "registry"),
    ({ key }) => registrySpelling(key),
  );
  const aliases = aliasesOn(entries, day);
  return [...bySpelling].flatMap(([spelling, records]) => {
    const [first, entry] = [records[0], records.at(-1)];
    if (spelling === null || first === undefined || entry === undefined) return [];
    const registryId = records.findLast(({ unit }) => unit !== "")?.unit ?? registryIdOf(first.key);
    const own = aliases.filter((alias) => alias.registryId === registryId).map(({ alias }) => alias);
    return [{ registryId, name: first.key, url: urlOf(entry.source), aliases: own, entry }];
  });
}

/** Derive the id of a registry whose record states none: its words in lower case, with hyphens. */
export function registryIdOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 32);
}

/** The aliases in force: the regulator's, the newest of each spelling, and the published ones that it has not recorded. */
function aliasesOn(entries: readonly ParameterEntry[], day: string): { alias: string; registryId: string }[] {
  const found = new Map<string, { alias: string; registryId: string }>();
  const note = (alias: string, registryId: string) => found.set(registrySpelling(alias) ?? "", { alias, registryId });
  for (const [registryId, names] of Object.entries(publishedAliases))
    for (const alias of names) note(alias, registryId);
  for (const entry of entries) {
    if (entry.kind !== ALIAS_KIND) continue;
    if (isValidIn(entry, { startDate: day, endDate: day })) note(entry.key, entry.unit);
    else found.delete(registrySpelling(entry.key) ?? "");
  }
  found.delete("");
  return [...found.values()];
}

function urlOf(source: string): string | null {
  return /^https?:\/\//.test(source) && URL.canParse(source) ? source : null;
}

/** Find the record of a carbon registry under any spelling of its name; null when there is none. */
export function carbonRegistryOf(registries: readonly CarbonRegistry[], name: string): CarbonRegistry | null {
  const spelling = registrySpelling(name);
  return registries.find((each) => spelling !== null && registrySpelling(each.name) === spelling) ?? null;
}

/** Find the registry that has an alias, under any spelling of it; null when none has. */
export function registryOfAlias(registries: readonly CarbonRegistry[], name: string): CarbonRegistry | null {
  const spelling = registrySpelling(name);
  const isMeant = (alias: string) => spelling !== null && registrySpelling(alias) === spelling;
  return registries.find(({ aliases }) => aliases.some(isMeant)) ?? null;
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
  const registries = carbonRegistries(await parameters.all(), day);
  const registry = carbonRegistryOf(registries, name);
  if (registry === null) {
    const meant = registryOfAlias(registries, name);
    if (meant !== null) {
      return { rule: "registry-spelling", message: `${name} is another name of ${meant.name}: use that.` };
    }
    const list = await parameters.newestOn("registry-list", REGISTRY_LIST_KEY, day);
    if (list?.unit !== "closed") return undefined;
    const known = registries.filter(({ entry }) => isValidIn(entry, { startDate: day, endDate: day }));
    const names = known.map((each) => each.name).join(", ");
    const message = `${name} is not on the regulator's record of registries: ${names || "it has none"}.`;
    return { rule: "registry-recorded", message };
  }
  if (registry.name !== name && !isCertified) {
    return { rule: "registry-spelling", message: `The registry is on record as ${registry.name}: use that.` };
  }
  if (isValidIn(registry.entry, { startDate: day, endDate: day })) return undefined;
  const { validFrom, validTo } = registry.entry;
  const message = `The record of ${name} is valid from ${validFrom}${validTo === null ? "" : ` to ${validTo}`}, not today.`;
  return { rule: "registry-in-force", message };
}
