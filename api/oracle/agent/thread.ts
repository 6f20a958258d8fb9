import type { Log } from "../../platform/log.ts";
import type { LoadedPlugin } from "../plugins/host/load-plugins.ts";
import type { SubAgent } from "../plugins/host/plugin.ts";
import type { OracleTool, ToolContext } from "../plugins/host/tool.ts";
import type { ClientTool, TurnContext } from "../wire/turn.ts";
import { capabilitiesOf } from "./capabilities.ts";

/** A tool of a turn, and the plugin that must be loaded for it; null for the runtime's tools. */
export type TurnTool = { tool: OracleTool; plugin: LoadedPlugin | null };

/** The tools that a turn may use: those of all plugins, and which of them are loaded. */
export type TurnTools = {
  byName: Map<string, TurnTool>;
  /** Names of the tools that may be called now; grows when the agent loads a capability. */
  usable: () => string[];
  isUsable: (tool: TurnTool) => boolean;
};

/** The state from which a turn starts, created before the model is called. */
export type Thread = { tools: TurnTools; loaded: () => LoadedPlugin[] };

/** Creates the tool that runs a plugin's sub-agent. */
export type SubAgentTool = (agent: SubAgent) => OracleTool;

/**
 * Gather what a conversation may use in this turn. A plugin whose hook throws is logged and left out of this turn.
 */
export async function openThread(
  plugins: readonly LoadedPlugin[],
  turn: TurnContext,
  ctx: ToolContext,
  subAgentTool: SubAgentTool,
): Promise<Thread> {
  const names = new Set(turn.session.loadedPlugins);
  const isLoaded = ({ name, manifest }: LoadedPlugin) =>
    manifest.visibility === "always" || (manifest.visibility === "on-demand" && names.has(name));
  const perPlugin = new Map<LoadedPlugin, OracleTool[]>();
  const requestTools = await Promise.all(
    plugins.map((plugin) => guarded(plugin, ctx.log, () => plugin.requestTools(ctx))),
  );
  for (const [i, plugin] of plugins.entries()) {
    perPlugin.set(plugin, [...plugin.tools, ...plugin.subAgents.map(subAgentTool), ...(requestTools[i] ?? [])]);
  }
  const own = capabilitiesOf({
    plugins: plugins,
    isLoaded,
    toolsOf: (plugin) => (perPlugin.get(plugin) ?? []).map(({ name, description }) => ({ name, description })),
    load: async (added) => {
      if (added.length === 0) return;
      for (const name of added) names.add(name);
      await turn.saveState({ loadedPlugins: [...names] });
    },
  });
  // Tools of an AG-UI front end need no loading, because it declared them for this run.
  const frontend = turn.clientTools.filter(({ kind }) => kind === "frontend").map(frontendTool);
  const byName = new Map<string, TurnTool>([...frontend, ...own].map((tool) => [tool.name, { tool, plugin: null }]));
  for (const [plugin, tools] of perPlugin) {
    for (const tool of tools) {
      // A client's tool cannot replace one of ours.
      if (byName.has(tool.name)) ctx.log.warn({ tool: tool.name, plugin: plugin.name }, "a tool's name is taken");
      else byName.set(tool.name, { tool, plugin });
    }
  }
  const isUsable = ({ plugin }: TurnTool) => plugin === null || isLoaded(plugin);
  const usable = () => [...byName].filter(([, tool]) => isUsable(tool)).map(([name]) => name);
  return { tools: { byName, usable, isUsable }, loaded: () => plugins.filter(isLoaded) };
}

/**
 * Create the entry of a front end's tool. It never runs here: a call ends the turn, and its result arrives with the next message.
 */
function frontendTool({ name, description, schema }: ClientTool): OracleTool {
  const run = () => Promise.reject(new Error(`"${name}" is the front end's to run`));
  return { name, description, inputSchema: { jsonSchema: schema }, destructive: false, run };
}

/** Load the plugins' state of the conversation, before the model is called. */
export async function loadState(plugins: readonly LoadedPlugin[], ctx: ToolContext): Promise<void> {
  const fields = plugins.flatMap((plugin) =>
    Object.entries(plugin.sharedState).map(([field, { load }]) => ({ plugin, field, load })),
  );
  await Promise.all(
    fields.map(async ({ plugin, field, load }) => {
      ctx.state[field] = await guarded(plugin, ctx.log, () => load(ctx));
    }),
  );
}

/**
 * Call a hook and return its result; undefined if it fails. A plugin that fails loses its part of the turn, but does not end the
 * turn.
 */
export async function guarded<T>(plugin: LoadedPlugin, log: Log, hook: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await hook();
  } catch (error) {
    log.error({ err: error, plugin: plugin.name }, "a plugin's hook failed and was skipped");
    return undefined;
  }
}
