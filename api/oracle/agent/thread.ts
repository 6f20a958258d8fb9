import type { Log } from "../../platform/log.ts";
import type { LoadedPlugin } from "../plugins/host/load-plugins.ts";
import type { SubAgent } from "../plugins/host/plugin.ts";
import type { OracleTool, ToolContext } from "../plugins/host/tool.ts";
import type { ClientTool, TurnContext } from "../wire/turn.ts";
import { capabilitiesOf } from "./capabilities.ts";

/** A tool of a turn and the plugin that must be loaded for it; null: the runtime's own. */
export type TurnTool = { tool: OracleTool; plugin: LoadedPlugin | null };

/** What a turn may use: the tools of all plugins, and which of these are loaded by now. */
export type TurnTools = {
  byName: Map<string, TurnTool>;
  /** Names of the tools that may be called now; grows when the agent loads a capability. */
  usable: () => string[];
  isUsable: (tool: TurnTool) => boolean;
};

/** What one turn starts from: made before the model is asked. */
export type Thread = { tools: TurnTools; loaded: () => LoadedPlugin[] };

/** Makes the tool that runs a plugin's sub-agent. */
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
  // Tools of an AG-UI front end are there without being loaded: it declared them for this very run.
  const frontend = turn.clientTools.filter(({ kind }) => kind === "frontend").map(frontendTool);
  const byName = new Map<string, TurnTool>([...frontend, ...own].map((tool) => [tool.name, { tool, plugin: null }]));
  for (const [plugin, tools] of perPlugin) {
    for (const tool of tools) {
      // A client cannot put its own tool in the place of one of ours.
      if (byName.has(tool.name)) ctx.log.warn({ tool: tool.name, plugin: plugin.name }, "a tool's name is taken");
      else byName.set(tool.name, { tool, plugin });
    }
  }
  const isUsable = ({ plugin }: TurnTool) => plugin === null || isLoaded(plugin);
  const usable = () => [...byName].filter(([, tool]) => isUsable(tool)).map(([name]) => name);
  return { tools: { byName, usable, isUsable }, loaded: () => plugins.filter(isLoaded) };
}

/** Never run here: a call of it ends the turn, and its result comes with the next message. */
function frontendTool({ name, description, schema }: ClientTool): OracleTool {
  const run = () => Promise.reject(new Error(`"${name}" is the front end's to run`));
  return { name, description, inputSchema: { jsonSchema: schema }, destructive: false, run };
}

/** What the plugins keep of the conversation, loaded before the model is asked. */
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

/** The hook's answer, or undefined: a plugin that fails costs its own part of the turn, never the turn. */
export async function guarded<T>(plugin: LoadedPlugin, log: Log, hook: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await hook();
  } catch (error) {
    log.error({ err: error, plugin: plugin.name }, "a plugin's hook failed and is passed over");
    return undefined;
  }
}
