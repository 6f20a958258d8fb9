import { toJSONSchema } from "zod/v4/core";
import type { JsonObject } from "./types.ts";

/** The part of a zod 3 or zod 4 schema that the SDK uses. */
export type ZodSchema<Output = unknown> = {
  parse: (value: unknown) => Output;
  safeParseAsync: (
    value: unknown,
  ) => Promise<{ success: true; data: Output } | { success: false; error: { message: string } }>;
};

/** The type of a schema's parsed value. */
export type OutputOf<Schema> = Schema extends { _output: infer Output } ? Output : unknown;

/** Convert a zod schema of either version to JSON Schema, draft 7. */
export async function jsonSchemaOf(schema: ZodSchema): Promise<JsonObject> {
  const described = "_zod" in schema ? fromZod4(schema) : await fromZod3(schema);
  const { $schema: _, ...rest } = described;
  return rest;
}

function fromZod4(schema: ZodSchema): JsonObject {
  const options = { target: "draft-7", io: "input", unrepresentable: "any" } as const;
  return toJSONSchema(schema as unknown as Parameters<typeof toJSONSchema>[0], options) as JsonObject;
}

async function fromZod3(schema: ZodSchema): Promise<JsonObject> {
  const { zodToJsonSchema } = await import("zod-to-json-schema");
  const options = { target: "jsonSchema7", $refStrategy: "none" } as const;
  return zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], options) as JsonObject;
}
