import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Component, refusedLicences } from "./licences.ts";

const of = (name: string, ...licences: string[]): Component => ({
  name,
  version: "1.0.0",
  licenses: licences.map((id) => (/ (OR|AND) /.test(id) ? { expression: id } : { license: { id } })),
});
const refused = (...components: Component[]) => refusedLicences({ components }).map((line) => line.split(" ")[0]);

test("accepts permissive licences, one of several alternatives, and what was reviewed", () => {
  assert.deepEqual(
    refused(of("a", "MIT"), of("b", "(MIT OR GPL-3.0-or-later)"), of("c", "MIT AND ISC"), of("mediabunny", "MPL-2.0")),
    [],
  );
});

test("refuses copyleft licences, a licence that applies in addition, and packages that state none", () => {
  assert.deepEqual(
    refused(
      of("a", "GPL-3.0"),
      of("b", "MIT AND GPL-3.0"),
      of("c"),
      of("d", "MIT OR ISC AND GPL-2.0"),
      of("e", "MIT", "AGPL-3.0"),
    ),
    ["a", "b", "c", "d", "e"],
  );
});

test("CHANGELOG.md has a section for the version of each package", () => {
  const changes = readFileSync("CHANGELOG.md", "utf8");
  for (const path of ["package.json", "wire/package.json", "sdk/package.json"]) {
    const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(changes.includes(`\n## ${version}`), `${path}: ${version}`);
  }
});

test("packages that are published ask npm for a statement of their provenance", () => {
  for (const path of ["wire/package.json", "sdk/package.json"]) {
    const { publishConfig } = JSON.parse(readFileSync(path, "utf8")) as { publishConfig?: object };
    assert.deepEqual(publishConfig, { access: "public", provenance: true }, path);
  }
});
