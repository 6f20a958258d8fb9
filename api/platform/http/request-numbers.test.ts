import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "@hono/zod-openapi";
import { openRegistryTest } from "../../../test/support/registry.ts";

type Schema = z.core.$ZodType;

/** The JSON-RPC requests of the file store are read by the MCP library, which uses JSON.parse. */
const readByTheirLibrary = ["/mcp"];

/** The schemas directly inside a schema, with what to add to the path; of a pipe, what it reads. */
function partsOf({ _zod: { def } }: Schema): [part: string, Schema | undefined][] {
  const one = def as unknown as Record<string, Schema> & {
    shape: Record<string, Schema>;
    options: Schema[];
    items: Schema[];
    getter: () => Schema;
  };
  switch (def.type) {
    case "object":
      return [
        ...Object.entries(one.shape).map(([name, each]): [string, Schema] => [`.${name}`, each]),
        ["", one.catchall],
      ];
    case "union":
      return one.options.map((each) => ["", each]);
    case "tuple":
      return one.items.map((each, index) => [`[${index}]`, each]);
    case "lazy":
      return [["", one.getter()]];
    case "intersection":
      return [
        ["", one.left],
        ["", one.right],
      ];
    default:
      return [["", one.innerType ?? one.in ?? one.element ?? one.valueType]];
  }
}

function numbersOf(schema: Schema | undefined, path = ""): string[] {
  // Bodies of bytes are described by plain OpenAPI.
  if (schema === undefined || !("_zod" in schema)) return [];
  if (schema._zod.def.type === "number") return [path];
  return partsOf(schema).flatMap(([part, inner]) => numbersOf(inner, path + part));
}

test("no body is asked for a JavaScript number: numbers of bodies keep every digit, and are no such numbers", async () => {
  const t = await openRegistryTest();
  const routes = t.app.openAPIRegistry.definitions.flatMap((each) => (each.type === "route" ? [each.route] : []));
  const bodies = routes.flatMap(({ path, method, request }) =>
    Object.values(request?.body?.content ?? {}).flatMap((content) =>
      content !== undefined && "schema" in content ? [{ name: `${method} ${path}`, path, schema: content.schema }] : [],
    ),
  );
  await t.close();
  assert.ok(bodies.length > 100, `${bodies.length} bodies`);
  assert.ok(bodies.some(({ path }) => path === "/v1/phones/gateways"));
  const found = bodies
    .filter(({ path }) => !readByTheirLibrary.includes(path))
    .flatMap(({ name, schema }) => numbersOf(schema as Schema).map((place) => name + place));
  assert.deepEqual(found, []);
});
