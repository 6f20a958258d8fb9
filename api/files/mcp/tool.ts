import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import { zodDetails } from "../../platform/http/index.ts";
import type { Ability, Access } from "../../platform/ucan/index.ts";
import { brokenTexts } from "../../platform/values/json.ts";
import type { FileContext } from "../deps.ts";

/** A tool for agents: a named service function. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  /** True when the token has the needed ability. Other tools are not listed. */
  usable: (access: Access) => boolean;
  /**
   * @throws AppError INVALID_INPUT naming every invalid field; FORBIDDEN when the token may not use the tool; what the service
   * throws
   */
  call: (ctx: FileContext, input: unknown) => Promise<Record<string, unknown>>;
};

type Definition<Input extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  /** `cid`: for tokens that are bound to CIDs, and for all that can read. */
  needs: Ability | "cid";
  input: Input;
  /** Name of the field that contains a file's content: it may contain any character. */
  content?: keyof z.output<Input> & string;
  run: (ctx: FileContext, input: z.output<Input>) => Promise<object>;
} & (
  | { changes: false }
  /**
   * `destroys`: the replaced or removed data is hard to find afterwards. `repeatable`: calling twice has the same effect as
   * calling once.
   */
  | { changes: true; destroys: boolean; repeatable: boolean }
);

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, title, description, needs, input, content, run } = definition;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    title,
    description,
    annotations: annotationsOf(definition),
    inputSchema: { ...schema, type: "object" },
    usable: (access) => (needs === "cid" ? access.allowsCids : access.allows(needs)),
    call: async (ctx, given) => {
      const read = parseInput(input, given, content);
      if (needs !== "cid") ctx.access.requireAbility(needs);
      else if (!ctx.access.allowsCids) ctx.access.requireAbility("fs/read");
      return { ...(await run(ctx, read)) };
    },
  };
}

function annotationsOf(tool: Pick<Definition<z.ZodObject>, "title"> & Parameters<typeof changeHints>[0]) {
  return { title: tool.title, ...changeHints(tool), openWorldHint: false };
}

function changeHints(
  tool: { changes: false } | { changes: true; destroys: boolean; repeatable: boolean },
): ToolAnnotations {
  if (!tool.changes) return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: tool.destroys, idempotentHint: tool.repeatable };
}

function parseInput<Input extends z.ZodObject>(schema: Input, given: unknown, content?: string): z.output<Input> {
  const parsed = schema.safeParse(given ?? {});
  const details = parsed.success ? [] : zodDetails(parsed.error);
  // No tool takes nested values, so only top-level texts are checked.
  const texts = Object.entries(given ?? {}).filter(([name, value]) => typeof value === "string" && name !== content);
  details.push(...brokenTexts(Object.fromEntries(texts)));
  if (parsed.success && details.length === 0) return parsed.data;
  throw new AppError("INVALID_INPUT", "The arguments are not well formed; see details for each field.", {
    details: details.slice(0, 200),
  });
}
