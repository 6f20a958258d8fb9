import type { Random } from "./random.ts";

/** JSON Schema as OpenAPI 3.1 writes it, as far as our document uses it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  example?: unknown;
};

/** Text that is put into the body unchanged: numbers with their digits, and invalid JSON. */
export class RawText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Values that exist in the tested scheme, by the field that holds them. */
export type Known = Record<string, readonly string[]>;

export type Generator = { random: Random; known: Known; components: Record<string, Schema> };

/** A value that fits the schema, or nearly: what the schema leaves open is filled with values known to the scheme. */
export function generate(schema: Schema, field: string, use: Generator, depth = 0): unknown {
  const { random, components } = use;
  if (schema.$ref !== undefined)
    return generate(components[schema.$ref.split("/").at(-1) ?? ""] ?? {}, field, use, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return generate(random.pick(branches), field, use, depth);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => generate(part, field, use, depth) as object));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === "object" || schema.properties !== undefined) return generateObject(schema, use, depth);
  if (type === "array") return generateArray(schema, field, use, depth);
  if (type === "integer" || type === "number") return generateNumber(schema, type, random);
  if (type === "boolean") return random.chance(0.5);
  if (type === "null") return null;
  return generateText(schema, field, use);
}

function generateObject(
  { properties = {}, required = [] }: Schema,
  use: Generator,
  depth: number,
): Record<string, unknown> {
  const kept = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (depth < 4 && use.random.chance(0.4)),
  );
  return Object.fromEntries(kept.map(([name, schema]) => [name, generate(schema, name, use, depth + 1)]));
}

function generateArray({ items = {}, minItems = 0 }: Schema, field: string, use: Generator, depth: number): unknown[] {
  const length = depth > 4 ? minItems : minItems + use.random.below(3);
  return Array.from({ length }, () => generate(items, field.replace(/s$/, ""), use, depth + 1));
}

function generateNumber({ minimum = 0, maximum = 1000 }: Schema, type: string, random: Random): RawText {
  const value = minimum + random.next() * (Math.min(maximum, minimum + 2000) - minimum);
  return new RawText(type === "integer" ? String(Math.floor(value)) : value.toFixed(random.below(7)));
}

function generateText(schema: Schema, field: string, { random, known }: Generator): string {
  const candidates = known[field];
  if (candidates !== undefined && random.chance(0.8)) return random.pick(candidates);
  if (schema.format === "date") return `20${20 + random.below(10)}-0${1 + random.below(9)}-1${random.below(10)}`;
  if (schema.format === "date-time") return new Date(1.7e12 + random.below(1e11)).toISOString();
  if (schema.pattern?.includes("0x"))
    return `0x${Array.from({ length: 40 }, () => random.below(16).toString(16)).join("")}`;
  if (typeof schema.example === "string" && random.chance(0.7)) return schema.example;
  if (/did$/i.test(field)) return `did:example:${random.below(1e6)}`;
  return `text-${random.below(1e6)}`;
}
