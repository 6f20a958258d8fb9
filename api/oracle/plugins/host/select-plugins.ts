import { z } from "zod";
import { BootError } from "./boot-error.ts";
import type { Environment, OraclePlugin } from "./plugin.ts";

export type Feature = boolean | "auto";
export type Features = Record<string, Feature>;

/** A selected plugin with its configuration. */
export type SelectedPlugin<Services> = { plugin: OraclePlugin<Services>; config: Record<string, unknown> };

export type Selection<Services> = {
  /** Each plugin comes after those it depends on. */
  plugins: SelectedPlugin<Services>[];
  /** `[boot] excluded: …`, one for each excluded plugin. */
  lines: string[];
};

const featuresSchema = z.record(z.string(), z.union([z.boolean(), z.literal("auto")]));

/**
 * Read the variable ORACLE_FEATURES: JSON of plugin names to true, false or "auto".
 * @throws BootError when it is something else
 */
export function readFeatures(text: string | undefined): Features {
  if (isBlank(text)) return {};
  try {
    return featuresSchema.parse(JSON.parse(text));
  } catch {
    throw new BootError([
      `[boot-error] ORACLE_FEATURES is not JSON of plugin names to true, false or "auto"`,
      `Set it like {"weather": true, "mcp": "auto"}, or leave it out`,
    ]);
  }
}

/**
 * Select plugins by `features` and the environment, in the order of their dependencies.
 * @throws BootError naming every reason why the oracle cannot start
 */
export function selectPlugins<Services>(
  all: OraclePlugin<Services>[],
  features: Features,
  env: Environment,
): Selection<Services> {
  const problems = [...nameCollisions(all), ...unknownFeatures(all, features)];
  const chosen: SelectedPlugin<Services>[] = [];
  const lines: string[] = [];
  for (const plugin of all) {
    const feature = features[plugin.name] ?? "auto";
    if (feature === false) {
      lines.push(`[boot] excluded: ${plugin.name} (features)`);
      continue;
    }
    const read = readConfig(plugin, env);
    if (read.invalid.length > 0) problems.push(...read.invalid);
    else if (read.blank[0] !== undefined) {
      if (feature === true) problems.push(...validationFailed(plugin.name, read.blank[0], "is blank or missing"));
      else lines.push(`[boot] excluded: ${plugin.name} (${read.blank.join(", ")})`);
    } else if (feature === "auto" && plugin.autoDetect?.(env) === false) {
      lines.push(`[boot] excluded: ${plugin.name} (not detected)`);
    } else chosen.push({ plugin, config: read.config });
  }
  problems.push(...missingDependencies(chosen), ...cycles(chosen));
  if (problems.length > 0) throw new BootError(problems);
  return { plugins: inOrder(chosen), lines };
}

function isBlank(text: string | undefined): text is undefined | "" {
  return text === undefined || text.trim() === "";
}

function validationFailed(plugin: string, variable: string, why: string): string[] {
  return [
    `[boot-error] Plugin '${plugin}' env validation failed for '${variable}': ${why}`,
    `Set '${variable}' or disable: features: { ${plugin}: false }`,
  ];
}

/** Read a plugin's variables. A blank one counts as absent. Messages never contain values. */
function readConfig<Services>({ name, configSchema }: OraclePlugin<Services>, env: Environment) {
  if (configSchema === undefined) return { config: {}, blank: [], invalid: [] };
  const variables = Object.keys(configSchema.shape);
  const given = Object.fromEntries(variables.filter((key) => !isBlank(env[key])).map((key) => [key, env[key]?.trim()]));
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return { config: parsed.data, blank: [], invalid: [] };
  const of = (variable: string) => parsed.error.issues.find(({ path }) => path[0] === variable);
  const broken = variables.filter((variable) => of(variable) !== undefined);
  return {
    config: {},
    blank: broken.filter((variable) => !(variable in given)),
    invalid: broken
      .filter((variable) => variable in given)
      .flatMap((variable) => validationFailed(name, variable, of(variable)?.message ?? "is invalid")),
  };
}

function nameCollisions<Services>(all: OraclePlugin<Services>[]): string[] {
  return duplicated(all.map(({ name }) => name)).map((name) => `[boot-error] Two plugins are named '${name}'`);
}

function unknownFeatures<Services>(all: OraclePlugin<Services>[], features: Features): string[] {
  const names = new Set(all.map(({ name }) => name));
  const unknown = Object.keys(features).filter((name) => !names.has(name));
  return unknown.map(
    (name) => `[boot-error] features names '${name}', which is not a plugin; there are: ${[...names].join(", ")}`,
  );
}

function missingDependencies<Services>(chosen: SelectedPlugin<Services>[]): string[] {
  const names = new Set(chosen.map(({ plugin }) => plugin.name));
  return chosen.flatMap(({ plugin }) =>
    plugin.dependsOn
      .filter((name) => !names.has(name))
      .map((name) => `[boot-error] Plugin '${plugin.name}' depends on '${name}', which is not loaded`),
  );
}

function cycles<Services>(chosen: SelectedPlugin<Services>[]): string[] {
  const hard = new Map(chosen.map(({ plugin }) => [plugin.name, plugin.dependsOn]));
  const found = new Map<string, string>();
  const walk = (name: string, way: string[]) => {
    const at = way.indexOf(name);
    if (at >= 0) {
      const cycle = way.slice(at);
      const members = [...cycle].sort().join();
      const line = `[boot-error] Plugins depend on each other: ${[...cycle, name].join(" → ")}`;
      found.set(members, found.get(members) ?? line);
      return;
    }
    for (const next of hard.get(name) ?? []) walk(next, [...way, name]);
  };
  for (const { plugin } of chosen) walk(plugin.name, []);
  return [...found.values()];
}

/** The plugins that each one must follow: its dependencies, and soft ones that create no cycle. */
function edgesOf<Services>(chosen: SelectedPlugin<Services>[]): Map<string, string[]> {
  const edges = new Map(chosen.map(({ plugin }) => [plugin.name, [...plugin.dependsOn]]));
  const reaches = (from: string, to: string): boolean =>
    from === to || (edges.get(from) ?? []).some((next) => reaches(next, to));
  for (const { plugin } of chosen) {
    const soft = plugin.softDependsOn.filter((name) => edges.has(name) && !reaches(name, plugin.name));
    edges.get(plugin.name)?.push(...soft);
  }
  return edges;
}

/** Topological order, depth first. */
function inOrder<Services>(chosen: SelectedPlugin<Services>[]): SelectedPlugin<Services>[] {
  const byName = new Map(chosen.map((selected) => [selected.plugin.name, selected]));
  const edges = edgesOf(chosen);
  const ordered = new Set<SelectedPlugin<Services>>();
  const place = (name: string) => {
    const selected = byName.get(name);
    if (selected === undefined || ordered.has(selected)) return;
    for (const needed of edges.get(name) ?? []) place(needed);
    ordered.add(selected);
  };
  for (const { plugin } of chosen) place(plugin.name);
  return [...ordered];
}

/** Names that occur more than once. */
export function duplicated(names: string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
