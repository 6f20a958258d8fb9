import { jsonSchemaOf, type ZodSchema } from "./tool-schemas.ts";
import type { JsonObject } from "./types.ts";

/** Side effect of a call: one that only reads may run again after a reload. */
export type ToolEffect = "read" | "write";

/** A function in the user's tab that the agent may call. */
export type IBrowserTool = {
  toolName: string;
  description: string;
  /** Zod object schema of the arguments (zod 3.25+ or 4). */
  schema: ZodSchema;
  /** Receives the parsed arguments; its result is sent to the agent as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what the arguments are
  fn: (args: any) => Promise<unknown> | unknown;
  /** `read` runs an open call again after a reload; `write`, the default, does not. */
  effect?: ToolEffect;
  /** Time limit of `fn` in milliseconds; 15 000 by default. */
  timeoutMs?: number;
};

export type IBrowserTools = Record<string, IBrowserTool>;

/** An action as it is declared to the oracle. */
export type AgAction = {
  name: string;
  description: string;
  parameters: ZodSchema;
  hasRender: boolean;
};

/** Declarations sent with each message. */
export type DeclaredTools = {
  tools?: { name: string; description: string; schema: JsonObject }[];
  agActions?: { name: string; description: string; schema: JsonObject; hasRender: boolean }[];
};

export async function declareTools(
  tools: readonly IBrowserTool[],
  actions: readonly AgAction[],
): Promise<DeclaredTools> {
  const declared = await Promise.all(
    tools.map(async ({ toolName: name, description, schema }) => {
      return { name, description, schema: await jsonSchemaOf(schema) };
    }),
  );
  const agActions = await Promise.all(
    actions.map(async ({ name, description, parameters, hasRender }) => {
      return { name, description, schema: await jsonSchemaOf(parameters), hasRender };
    }),
  );
  return { ...(declared.length > 0 ? { tools: declared } : {}), ...(agActions.length > 0 ? { agActions } : {}) };
}

/** Default time limit of a call in milliseconds; the oracle uses the same. */
const callTimeoutMs = 15_000;

type Call = {
  name: string;
  schema: ZodSchema;
  run: (args: unknown) => Promise<unknown> | unknown;
  timeoutMs?: number | undefined;
};

/** Validate a call's arguments and run it. Never throws: failures are results too. */
export async function runCall(
  { name, schema, run, timeoutMs = callTimeoutMs }: Call,
  args: unknown,
): Promise<{ result: unknown } | { error: string }> {
  try {
    const parsed = await schema.safeParseAsync(args);
    if (!parsed.success) return { error: `Invalid arguments for "${name}": ${parsed.error.message}` };
    const result = (await within(timeoutMs, name, () => run(parsed.data))) ?? null;
    // Only JSON can be sent.
    return { result: JSON.parse(JSON.stringify(result) ?? "null") as unknown };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message || thrown.name : String(thrown) };
  }
}

async function within(timeoutMs: number, name: string, run: () => Promise<unknown> | unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`"${name}" did not answer within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
