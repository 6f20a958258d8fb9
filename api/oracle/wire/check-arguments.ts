import { Ajv, type CodeOptions, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { RE2JS } from "re2js";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { JsonObject } from "./turn.ts";

/**
 * Compile a client's pattern with RE2, which matches in linear time. A pattern that RE2 does not support matches anything here: the
 * client checks the arguments again.
 */
function safePattern(pattern: string): { test: (text: string) => boolean; toString: () => string } {
  // The validator identifies patterns by their text.
  const text = () => pattern;
  try {
    const compiled = RE2JS.compile(pattern);
    return { test: (value) => compiled.matcher(value).find(), toString: text };
  } catch {
    return { test: () => true, toString: text };
  }
}
const regExp = Object.assign(safePattern, { code: "safePattern" }) as unknown as RegExpEngine;
type RegExpEngine = NonNullable<CodeOptions["regExp"]>;

/** Not strict: clients send what their schema libraries write, draft 7 or 2020-12, with extra keywords. */
const options = { strict: false, allErrors: true, addUsedSchema: false, logger: false, code: { regExp } } as const;
/** Most characters of a schema as JSON. */
const largestSchema = 64 * 1024;
const compiled = new BoundedCache<string, ValidateFunction>(1_000);

function compile(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  if (key.length > largestSchema) throw new Error(`a schema has at most ${largestSchema} characters`);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const { $schema, $id: _, ...rest } = schema;
  const ajv = String($schema ?? "").includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  formats.default(ajv);
  const validate = ajv.compile(rest);
  compiled.set(key, validate);
  return validate;
}

/** @throws AppError INVALID_INPUT for an invalid JSON schema */
export function requireSchema(schema: JsonObject, path: string): void {
  try {
    compile(schema);
  } catch (cause) {
    const details = [{ path, rule: "json-schema", message: (cause as Error).message.slice(0, 300) }];
    throw new AppError("INVALID_INPUT", "A tool's schema is not a JSON schema that can be used.", { cause, details });
  }
}

/** List every argument that breaks the schema. An empty schema allows any object. */
export function checkArguments(schema: JsonObject, args: unknown): RuleDetail[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return [{ path: "args", rule: "type", message: "Arguments must be an object." }];
  }
  const validate = compile(schema);
  return validate(args) ? [] : (validate.errors ?? []).slice(0, 50).map(toDetail);
}

function toDetail({ instancePath, keyword, message = "is not allowed" }: ErrorObject): RuleDetail {
  const path = ["args", ...instancePath.split("/").slice(1)].join(".");
  return { path, rule: keyword.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), message };
}
