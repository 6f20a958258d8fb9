import type { Hono } from "hono";
import { z } from "zod";
import type { SpeechOptions } from "../../calls/agent/speech-api.ts";
import type { OracleEnv } from "../../http/env.ts";
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
  /** `always`: loaded in every turn. `on-demand`: loaded when the agent asks. `silent`: works without being loaded. */
  visibility: z.enum(["always", "on-demand", "silent"]).default("on-demand"),
  stability: z.enum(["stable", "beta", "experimental"]).default("stable"),
});
export type Manifest = z.output<typeof manifestSchema>;

/** Environment variables, which a plugin's `configSchema` reads. */
export type Environment = Record<string, string | undefined>;

/** What a plugin's hooks receive. `services` are the features of this server, never its stores. */
export type PluginSetup<Services, Config> = { services: Services; config: Config };

/** A field of a turn's state that a plugin loads. */
export type SharedState = { load: (ctx: ToolContext) => Promise<unknown> };

/** Another agent, offered to the main one as a tool. It takes a task in words and answers in words. */
export type SubAgent = { name: string; description: string; instructions: string; tools: OracleTool[] };

/** Hooks around a turn. An error in one is logged, and the turn continues. */
export type Middleware = {
  /** Adds to the system prompt. */
  prompt?: (ctx: ToolContext) => Promise<string | undefined> | string | undefined;
  /** Called after each turn, also after a failed or aborted one. */
  afterTurn?: (ctx: ToolContext, turn: { text: string; aborted: boolean }) => Promise<void> | void;
};

type Hooks<Services, Config> = {
  /** Tools for all requests. */
  getTools?: (setup: PluginSetup<Services, Config>) => OracleTool[] | Promise<OracleTool[]>;
  /** Tools that depend on the user, or on what the client declared. */
  getRequestTools?: (ctx: ToolContext, setup: PluginSetup<Services, Config>) => OracleTool[] | Promise<OracleTool[]>;
  getSubAgents?: (setup: PluginSetup<Services, Config>) => SubAgent[];
  getMiddlewares?: (setup: PluginSetup<Services, Config>) => Middleware[];
  /** Fields of `state` by name. Each belongs to one plugin. */
  getSharedState?: (setup: PluginSetup<Services, Config>) => Record<string, SharedState>;
  /** Routes, mounted at the root behind the oracle's authentication. */
  getRoutes?: (setup: PluginSetup<Services, Config>) => Hono<OracleEnv>;
  /** Routes of `getRoutes` that need no caller, as `GET /path`. */
  getAuthExcludedRoutes?: () => string[];
  /** How the agent hears and speaks in live calls. Without a plugin that has this hook, the agent takes no calls. */
  getSpeech?: (setup: PluginSetup<Services, Config>) => SpeechOptions;
};

/** Routes of a plugin, mounted at the root behind the oracle's authentication. */
export type PluginRoutes = {
  app: Hono<OracleEnv>;
  /** Those that need no caller, as `GET /path`. */
  publicRoutes: readonly string[];
};

type Definition<Services, Schema extends z.ZodObject> = Hooks<Services, z.output<Schema>> & {
  /** Kebab-case; the key of `features`. */
  name: string;
  version: string;
  manifest: z.input<typeof manifestSchema>;
  /** Plugins that this one needs. The boot stops when one is not loaded. */
  dependsOn?: string[];
  /** Plugins that are loaded before this one, if they are loaded at all. */
  softDependsOn?: string[];
  /** The environment variables that the plugin reads, by name. A blank required one excludes the plugin. */
  configSchema?: Schema;
  /** Used when the feature is `auto`: false excludes the plugin. */
  autoDetect?: (env: Environment) => boolean;
};

/** A defined plugin; create it with `defineOraclePlugin`. */
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
 * Define a plugin of the oracle.
 * @throws Error naming every malformed field of the definition
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
    name,
    version,
    dependsOn,
    softDependsOn,
    configSchema,
    autoDetect,
    manifest: parsed.data,
  };
}
