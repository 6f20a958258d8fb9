import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import type { LoadedPlugin } from "../plugins/host/load-plugins.ts";
import { defineOracleTool, type OracleTool } from "../plugins/host/tool.ts";

/** Dependencies of one conversation's capabilities. */
export type Thread = {
  plugins: readonly LoadedPlugin[];
  isLoaded: (plugin: LoadedPlugin) => boolean;
  /** Names and descriptions of a plugin's tools in this turn. */
  toolsOf: (plugin: LoadedPlugin) => { name: string; description: string }[];
  /** Adds names to the thread's `loadedPlugins`, immediately and permanently. */
  load: (names: string[]) => Promise<void>;
};

export const capabilityTools = ["list_capabilities", "load_capability"];

// Created once, because schemas are expensive to create and these tools are created for every turn.
const listInput = z.strictObject({
  includeOnDemand: z.boolean().default(true),
  includeSilent: z.boolean().default(false),
});
const loadInput = z.strictObject({ names: z.array(z.string().min(1)).min(1) });

/** Create the two tools by which an agent finds and loads its capabilities. */
export function capabilitiesOf(thread: Thread): OracleTool[] {
  const list = defineOracleTool({
    name: "list_capabilities",
    description:
      "Lists what you can do: each capability with its visibility and whether it is loaded. Look here before you say that something cannot be done.",
    inputSchema: listInput,
    destructive: false,
    readOnly: true,
    trustedOutput: true,
    run: async ({ input }) =>
      thread.plugins
        .filter(({ manifest: { visibility } }) => input.includeOnDemand || visibility !== "on-demand")
        .filter(({ manifest: { visibility } }) => input.includeSilent || visibility !== "silent")
        .map((plugin) => {
          const { summary, visibility, category, tags } = plugin.manifest;
          return { name: plugin.name, summary, visibility, loaded: thread.isLoaded(plugin), category, tags };
        }),
  });
  const load = defineOracleTool({
    name: "load_capability",
    description:
      "Loads capabilities by name, so that their tools can be called from the next step on. Returns when to use each, and its tools.",
    inputSchema: loadInput,
    destructive: false,
    trustedOutput: true,
    run: async ({ input }) => {
      const wanted = [...new Set(input.names)].map((name) => known(thread, name));
      const before = new Map(wanted.map((plugin) => [plugin, thread.isLoaded(plugin)]));
      await thread.load(wanted.filter((plugin) => before.get(plugin) === false).map(({ name }) => name));
      return wanted.map((plugin) => ({
        name: plugin.name,
        ...plugin.manifest,
        alreadyAvailable: before.get(plugin) === true,
        tools: thread.toolsOf(plugin),
      }));
    },
  });
  return [list, load];
}

function known(thread: Thread, name: string): LoadedPlugin {
  const plugin = thread.plugins.find((each) => each.name === name);
  if (plugin === undefined) {
    throw new AppError(
      "NOT_FOUND",
      `Capability "${name}" does not exist. Call list_capabilities first to discover available plugins.`,
    );
  }
  if (plugin.manifest.visibility === "silent") {
    throw new AppError("FORBIDDEN", `Capability "${name}" is internal and cannot be loaded by the agent.`);
  }
  return plugin;
}
