import assert from "node:assert/strict";
import { test } from "node:test";
import { validators } from "../../../test/support/cad-trust-schemas.ts";
import { tables } from "./tables.ts";

type Key = { type: string; flags?: { presence?: string } };

for (const [name, schema] of Object.entries(validators())) {
  test(`${name} has the fields that the server takes, and knows which it requires`, () => {
    const table = tables[name as keyof typeof tables];
    const keys = schema.describe().keys as Record<string, Key>;
    const own = [...table.fields.map((field) => field.name), ...table.parents];
    assert.deepEqual(
      own.filter((field) => keys[field] === undefined),
      [],
    );
    const required = Object.entries(keys).filter(([, { flags }]) => flags?.presence === "required");
    const optional = new Set(table.fields.filter(({ isRequired }) => !isRequired).map((field) => field.name));
    assert.deepEqual(
      required.map(([field]) => field).filter((field) => optional.has(field) || !own.includes(field)),
      [],
    );
    // A number that is sent as text, or a text as a number, would be refused.
    for (const { name: field, kind } of table.fields) {
      const type = keys[field]?.type;
      const wanted = { text: ["string"], number: ["number"], date: ["date"], instant: ["date"], list: ["array"] }[kind];
      assert.ok(wanted.includes(type ?? ""), `${field} is ${kind}, the server takes ${type}`);
    }
  });
}

test("all tables of the walk are known to the server", () => {
  assert.deepEqual(Object.keys(tables).sort(), Object.keys(validators()).sort());
});
