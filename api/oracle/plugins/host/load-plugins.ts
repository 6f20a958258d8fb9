import type { Log } from "../../../platform/log.ts";
import type { PluginRoutes } from "../../conversations.ts";
import { BootError } from "./boot-error.ts";
import type { Environment, Manifest, Middleware, OraclePlugin, SharedState, SubAgent } from "./plugin.ts";
import { duplicated, type Features, selectPlugins } from "./select-plugins.ts";
import type { OracleTool, ToolContext } from "./tool.ts";

/** A plugin that runs, its hooks called as far as they do not depend on a request. */
export type LoadedPlugin = {
  name: string;
  manifest: Manifest;
  tools: OracleTool[];
  subAgents: SubAgent[];
  middlewares: Middleware[];
  sharedState: Record<string, SharedState>;
  requestTools: (ctx: ToolContext) => Promise<OracleTool[]>;
  routes: PluginRoutes | undefined;
};

export type Runtime = { plugins: LoadedPlugin[] };

/** Fields of a conversation's state that are the runtime's own. */
const ownState = ["loadedPlugins"];

/**
 * Choose the plugins and call their hooks. Says on `say` what is left out.
 * @throws BootError naming every reason why the runtime must not start
 */
export async function bootRuntime<Services>(options: {
  plugins: OraclePlugin<Services>[];
  features: Features;
  env: Environment;
  services: Services;
  /** Names of the tools that the runtime itself has. */
  ownTools: string[];
  say: (line: string) => void;
  log: Log;
}): Promise<Runtime> {
  const { services, say } = options;
  const selection = selectPlugins(options.plugins, options.features, options.env);
  for (const line of selection.lines) say(line);
  const plugins: LoadedPlugin[] = [];
  for (const { plugin, config } of selection.plugins)
    plugins.push(await load(plugin, { services, config: config as never }));
  const problems = collisions(plugins, options.ownTools);
  if (problems.length > 0) throw new BootError(problems);
  return { plugins };
}

async function load<Services>(
  plugin: OraclePlugin<Services>,
  setup: { services: Services; config: never },
): Promise<LoadedPlugin> {
  try {
    const app = plugin.getRoutes?.(setup);
    // The runtime puts its authentication before each route by method and path: one for all methods would slip through.
    const vague = app?.routes.find(({ method }) => method === "ALL");
    if (vague !== undefined) throw new Error(`its route ${vague.path} names no method`);
    return {
      name: plugin.name,
      manifest: plugin.manifest,
      tools: (await plugin.getTools?.(setup)) ?? [],
      subAgents: plugin.getSubAgents?.(setup) ?? [],
      middlewares: plugin.getMiddlewares?.(setup) ?? [],
      sharedState: plugin.getSharedState?.(setup) ?? {},
      requestTools: async (ctx) => (await plugin.getRequestTools?.(ctx, setup)) ?? [],
      routes: app && { app, publicRoutes: plugin.getAuthExcludedRoutes?.() ?? [] },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BootError([`[boot-error] Plugin '${plugin.name}' could not be loaded: ${why}`]);
  }
}

function collisions(plugins: LoadedPlugin[], ownTools: string[]): string[] {
  const namesOf = ({ tools, subAgents }: LoadedPlugin) => [...tools, ...subAgents].map(({ name }) => name);
  const tools = duplicated([...ownTools, ...plugins.flatMap(namesOf)]);
  const fieldsOf = ({ sharedState }: LoadedPlugin) => Object.keys(sharedState);
  const state = duplicated([...ownState, ...plugins.flatMap(fieldsOf)]);
  const ownersOf = (of: (plugin: LoadedPlugin) => string[], own: string[], name: string) =>
    [
      ...(own.includes(name) ? ["the runtime"] : []),
      ...plugins.filter((each) => of(each).includes(name)).map(({ name: owner }) => `'${owner}'`),
    ].join(", ");
  return [
    ...tools.map(
      (name) => `[boot-error] Tool '${name}' is defined more than once: ${ownersOf(namesOf, ownTools, name)}`,
    ),
    ...state.map(
      (name) => `[boot-error] Shared state '${name}' is defined more than once: ${ownersOf(fieldsOf, ownState, name)}`,
    ),
  ];
}
