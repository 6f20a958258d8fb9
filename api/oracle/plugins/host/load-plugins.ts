import type { Log } from "../../../platform/log.ts";
import type { SpeechOptions } from "../../calls/agent/speech-api.ts";
import { BootError } from "./boot-error.ts";
import type { Environment, Manifest, Middleware, OraclePlugin, PluginRoutes, SharedState, SubAgent } from "./plugin.ts";
import { duplicated, type Features, selectPlugins } from "./select-plugins.ts";
import type { OracleTool, ToolContext } from "./tool.ts";

/** A loaded plugin. The hooks that need no request have been called. */
export type LoadedPlugin = {
  name: string;
  manifest: Manifest;
  tools: OracleTool[];
  subAgents: SubAgent[];
  middlewares: Middleware[];
  sharedState: Record<string, SharedState>;
  requestTools: (ctx: ToolContext) => Promise<OracleTool[]>;
  routes: PluginRoutes | undefined;
  speech: SpeechOptions | undefined;
};

/** Fields of a turn's state that belong to the runtime itself. */
const ownState = ["loadedPlugins"];

/**
 * Select the plugins and call their hooks. Passes a line to `say` for each plugin that is excluded.
 * @throws BootError naming every reason why the oracle cannot start
 */
export async function loadPlugins<Services>(options: {
  plugins: OraclePlugin<Services>[];
  features: Features;
  env: Environment;
  services: Services;
  /** Names of the runtime's own tools. */
  ownTools: string[];
  say: (line: string) => void;
  log: Log;
}): Promise<LoadedPlugin[]> {
  const { services, say } = options;
  const selection = selectPlugins(options.plugins, options.features, options.env);
  for (const line of selection.lines) say(line);
  const plugins: LoadedPlugin[] = [];
  for (const { plugin, config } of selection.plugins)
    plugins.push(await load(plugin, { services, config: config as never }));
  const problems = collisions(plugins, options.ownTools);
  if (problems.length > 0) throw new BootError(problems);
  return plugins;
}

async function load<Services>(
  plugin: OraclePlugin<Services>,
  setup: { services: Services; config: never },
): Promise<LoadedPlugin> {
  try {
    const app = plugin.getRoutes?.(setup);
    // Authentication is added by method and path, so a route for all methods would have none.
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
      speech: plugin.getSpeech?.(setup),
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

/** The routes of all plugins. */
export function routesOf(plugins: readonly LoadedPlugin[]): PluginRoutes[] {
  return plugins.flatMap(({ routes }) => (routes === undefined ? [] : [routes]));
}
