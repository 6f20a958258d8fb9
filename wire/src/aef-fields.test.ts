import assert from "node:assert/strict";
import { test } from "node:test";
import { aefFileName } from "./aef-fields.ts";

test("names a report's file with the versions of the report and of the nomenclature", () => {
  assert.equal(aefFileName({ party: "ZMB", year: 2026, version: "1.0" }), "AEF-ZMB-2026-1.0-nomenclature-2026-02");
});
