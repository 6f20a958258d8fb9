import assert from "node:assert/strict";
import { it } from "node:test";
import { z } from "zod";
import { checkArguments, requireSchema } from "./check-arguments.ts";

it("allows any object where the schema is empty, and nothing but objects", () => {
  assert.deepEqual(checkArguments({}, { any: [1] }), []);
  for (const args of [null, 1, "x", []]) assert.equal(checkArguments({}, args)[0]?.rule, "type");
});

it("names every argument that the schema of either draft does not allow", () => {
  const shape = z.object({ email: z.email(), n: z.int().min(1), s: z.string().regex(/^a+$/) });
  for (const target of ["draft-7", "draft-2020-12"] as const) {
    const schema = z.toJSONSchema(shape, { target }) as Record<string, unknown>;
    assert.deepEqual(checkArguments(schema, { email: "a@b.ch", n: 1, s: "aa" }), []);
    const broken = checkArguments(schema, { email: "no", n: 0, s: "b" }).map(({ path }) => path);
    assert.deepEqual([...new Set(broken)].sort(), ["args.email", "args.n", "args.s"]);
  }
});

it("does not let a client's pattern stand still", () => {
  const schema = { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } };
  const began = performance.now();
  assert.equal(checkArguments(schema, { s: `${"a".repeat(50)}!` }).length, 1);
  assert.ok(performance.now() - began < 1_000);
});

it("refuses an invalid schema", () => {
  assert.throws(() => requireSchema({ type: "nonsense" }, "tool"), { code: "INVALID_INPUT" });
  assert.throws(() => requireSchema({ $ref: "#/nowhere" }, "tool"), { code: "INVALID_INPUT" });
});
