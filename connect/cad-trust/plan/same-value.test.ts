import assert from "node:assert/strict";
import { test } from "node:test";
import { tables } from "../model/tables.ts";
import { changedFields, isSame } from "./same-value.ts";

test("a value is the same however a server writes it", () => {
  for (const [kind, ours, theirs] of [
    ["date", "2024-02-01", "2024-02-01T00:00:00.000Z"],
    ["instant", "2024-02-01T10:00:00.000Z", "2024-02-01T11:00:00+01:00"],
    ["number", "12000.5", 12000.5],
    ["number", "12000.5", "12000.500000"],
    ["list", ["b", "a"], ["a", "b"]],
    ["list", ["a", "b"], '["a","b"]'],
    ["text", "10", 10],
    ["text", null, undefined],
    ["text", null, ""],
  ] as const)
    assert.ok(isSame(kind, ours as never, theirs), `${ours} is ${theirs}`);
});

test("another value is not the same, such as a day that a server moved by its time zone", () => {
  for (const [kind, ours, theirs] of [
    ["date", "2024-02-01", "2024-01-31T22:00:00.000Z"],
    ["number", "12000.5", "12000.51"],
    ["number", "9007199254740993", "9007199254740992"],
    ["list", ["a"], ["a", "b"]],
    ["text", "Zambia", "Zimbabwe"],
    ["text", "Zambia", null],
    ["text", null, "Zambia"],
  ] as const)
    assert.ok(!isSame(kind, ours as never, theirs), `${ours} is not ${theirs}`);
});

test("names the fields that changed", () => {
  const before = { projectName: "A", projectStatusDate: "2024-02-01", projectSector: ["x"] };
  assert.deepEqual(changedFields("project", before, { ...before, projectName: "B" }), [
    { field: "projectName", from: "A", to: "B" },
  ]);
});

test("every table knows the fields that its records are found by", () => {
  for (const [name, { ownId, fields }] of Object.entries(tables))
    for (const field of ownId)
      assert.ok(
        fields.some((each) => each.name === field),
        `${name}.${field}`,
      );
});
