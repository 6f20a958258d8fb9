import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseNotes } from "./notes.ts";

const changelog = `# Changes

## 1.1.0

- New: roses.

## 1.0.0

- First.

## 0.9.0
`;
const all = (version: string) => ({ hearth: version, wire: version, sdk: version });

test("gives the version's section and no other", () => {
  assert.equal(releaseNotes(all("1.1.0"), changelog), "- New: roses.\n");
  assert.equal(releaseNotes(all("1.0.0"), changelog), "- First.\n");
});

test("names every reason not to release", () => {
  const refused = (versions: Record<string, string>, reasons: RegExp[]) =>
    assert.throws(
      () => releaseNotes(versions, changelog),
      (error: Error) => reasons.every((reason) => reason.test(error.message)),
    );
  refused(all("1.2.0"), [/no section 1\.2\.0/]);
  refused(all("0.9.0"), [/says nothing about 0\.9\.0/]);
  refused({ hearth: "1.1.0", wire: "1.0.0", sdk: "next" }, [
    /wire has version 1\.0\.0/,
    /sdk: next is not a semantic version/,
    /sdk has version next/,
  ]);
});
