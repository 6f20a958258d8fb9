import type { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../../../platform/http/context.ts";
import type { OracleTool, ToolContext } from "./tool.ts";

export const categories = [
  "data",
  "communication",
  "automation",
  "memory",
  "integration",
  "ui",
  "auth",
  "observability",
  "core",
] as const;

const manifestSchema = z.strictObject({
  title: z.string().min(1),
  /** One sentence: what the model reads in the list of capabilities. */
  summary: z.string().min(1),
  whenToUse: z.array(z.string().min(1)).min(1),
  whenNotToUse: z.array(z.string().min(1)).optional(),
  examples: z.array(z.string().min(1)).optional(),
  tags: z.array(z.string().min(1)).default([]),
  category: z.enum(categories),
  /** `always`: loaded for every turn. `on-demand`: when the agent asks. `silent`: works, but the agent never loads it. */
  visibility: z.enum(["always", "on-demand", "silent"]).default("on-demand"),
  stability: z.enum(["stable", "beta", "experimental"]).default("stable"),
});
export type Manifest = z.output<typeof manifestSchema>;

/** A variable's name and its text; what a plugin's `configSchema` reads. */
export type Environment = Record<string, string | undefined>;

/** What a plugin is given when the runtime boots. `services` are the features of this server, never its stores. */
export type PluginSetup<Services, Config> = { services: Services; config: Config };

/** Part of the state of a conversation that a plugin keeps; made anew for each turn. */
export type SharedState = { load: (ctx: ToolContext) => Promise<unknown> };

/** An agent of its own behind one tool: it gets a task in words and answers in words. */
export type SubAgent = { name: string; description: string; instructions: string; tools: OracleTool[] };

/** Looks at a turn from outside. Each may throw: then it is logged and passed over, and the turn goes on. */
export type Middleware = {
  /** Adds to the system prompt. */
  prompt?: (ctx: ToolContext) => Promise<string | undefined> | string | undefined;
  /** After a turn, whatever came of it. */
  afterTurn?: (ctx: ToolContext, turn: { text: string; aborted: boolean }) => Promise<void> | void;
};

type Hooks<Services, Config> = {
  /** Tools that are the same for every request. */
  getTools?: (setup: PluginSetup<Services, Config>) => OracleTool[] | Promise<OracleTool[]>;
  /** Tools that depend on who asks, or on what the client declared. */
  getRequestTools?: (ctx: ToolContext, setup: PluginSetup<Services, Config>) => OracleTool[] | Promise<OracleTool[]>;
  getSubAgents?: (setup: PluginSetup<Services, Config>) => SubAgent[];
  getMiddlewares?: (setup: PluginSetup<Services, Config>) => Middleware[];
  /** By field of `state`; a field belongs to one plugin. */
  getSharedState?: (setup: PluginSetup<Services, Config>) => Record<string, SharedState>;
  /** Mounted at the root, behind the runtime's authentication. */
  getRoutes?: (setup: PluginSetup<Services, Config>) => Hono<AppEnv>;
  /** Routes of `getRoutes` that need no header, as `GET /path`. */
  getAuthExcludedRoutes?: () => string[];
};

type Definition<Services, Schema extends z.ZodObject> = Hooks<Services, z.output<Schema>> & {
  /** Kebab-case; the key of `features`. */
  name: string;
  version: string;
  manifest: z.input<typeof manifestSchema>;
  /** Plugins without which this one cannot work: boot stops when one is not loaded. */
  dependsOn?: string[];
  /** Plugins that are loaded before this one where they are there. */
  softDependsOn?: string[];
  /** The environment variables that the plugin reads, by name. One that is required and blank excludes the plugin. */
  configSchema?: Schema;
  /** Asked when the feature is `auto`: false leaves the plugin out. */
  autoDetect?: (env: Environment) => boolean;
};

/** A plugin as the runtime holds it; made by `defineOraclePlugin`. */
export type OraclePlugin<Services = never> = Hooks<Services, never> & {
  name: string;
  version: string;
  manifest: Manifest;
  dependsOn: string[];
  softDependsOn: string[];
  configSchema: z.ZodObject | undefined;
  autoDetect: ((env: Environment) => boolean) | undefined;
};

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Define a plugin of the oracle runtime. What it needs of the environment is said by `configSchema`, a zod object whose
 * keys are the variables' names.
 * @throws Error naming every field of the definition that is malformed
 */
export function defineOraclePlugin<Services, Schema extends z.ZodObject = z.ZodObject>(
  definition: Definition<Services, Schema>,
): OraclePlugin<Services> {
  const {
    name,
    version,
    manifest,
    dependsOn = [],
    softDependsOn = [],
    configSchema,
    autoDetect,
    ...hooks
  } = definition;
  const parsed = manifestSchema.safeParse(manifest);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `manifest.${path.join(".")}: ${message}`);
  if (!kebabCase.test(name)) problems.push("name: must be kebab-case");
  if (version.trim() === "") problems.push("version: must not be blank");
  if (!parsed.success || problems.length > 0) {
    throw new Error(`The plugin '${name}' is not well defined: ${problems.join("; ")}`);
  }
  return {
    ...hooks,
    ...{ name, version, dependsOn, softDependsOn, configSchema, autoDetect },
    manifest: parsed.data,
  };
}
