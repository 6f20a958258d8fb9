import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../platform/errors.ts";
import { parseGlob } from "./glob-pattern.ts";

function brokenRules(pattern: string): string[] {
  try {
    parseGlob(pattern);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "INVALID_INPUT");
    return error.details.map(({ rule }) => rule);
  }
}

test("matches whole paths, stars within a segment and double stars across them", () => {
  const cases: [string, string[], string[]][] = [
    ["/a/*", ["/a/b", "/a/.b"], ["/a", "/a/b/c", "/x/a/b"]],
    ["/a/**", ["/a/b", "/a/b/c"], ["/ab", "/a2/b"]],
    ["/**/*.md", ["/x.md", "/a/b/x.md"], ["/x.mdx"]],
    ["/**/b/*", ["/b/x", "/a/b/x"], ["/ab/x"]],
    ["/[a-c]?.{md,txt}", ["/a1.md", "/c2.txt"], ["/d1.md", "/a/.md", "/a12.md"]],
    ["/[!a]", ["/b"], ["/a", "/bb"]],
    ["/v{1..3}", ["/v1", "/v3"], ["/v4"]],
    ["/a(b)+$", ["/a(b)+$"], ["/abb"]],
    ["*.md", ["/x.md"], ["/a/x.md"]],
    ["/é*", ["/e\u0301tude".normalize("NFC")], ["/etude"]],
    ["/a[*]", ["/a*"], ["/ab"]],
  ];
  for (const [pattern, matching, others] of cases) {
    const { matches } = parseGlob(pattern);
    for (const path of matching) assert.ok(matches(path), `${pattern} ${path}`);
    for (const path of others) assert.ok(!matches(path), `${pattern} not ${path}`);
  }
});

test("says which folder holds every match, and never one too deep", () => {
  const within = (pattern: string) => parseGlob(pattern).within;
  assert.deepEqual(["/a/b/*.md", "/a/b*/c", "/a/b", "**", "/a/{b,c}/d", "/a/[b]", "/a[*]/b/c"].map(within), [
    "/a/b",
    "/a",
    "/a/b",
    "/",
    "/a",
    "/a",
    "/",
  ]);
});

test("refuses patterns that are not well formed or too large", () => {
  assert.deepEqual(brokenRules(`/${"a".repeat(512)}`), ["pattern-length"]);
  assert.deepEqual(brokenRules("/{1..65}"), ["pattern-alternatives"]);
  assert.deepEqual(brokenRules("/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), ["pattern-alternatives"]);
  assert.deepEqual(brokenRules("/{1..1000000000}"), ["pattern-alternatives"]);
  assert.deepEqual(brokenRules("/a\\*"), ["pattern-backslash"]);
  assert.deepEqual(brokenRules("/[z-a]"), ["pattern-syntax"]);
  assert.deepEqual(brokenRules(`/${"{1..8}".repeat(2)}${"x*".repeat(200)}`), ["pattern-size"]);
});

test("takes linear time for patterns that make others try every way", () => {
  const path = `/${"a".repeat(1_000)}`;
  for (const pattern of [`/${"*a".repeat(200)}b`, `/${"**/".repeat(100)}b`, `/${"?*".repeat(100)}b`]) {
    const begun = performance.now();
    assert.equal(parseGlob(pattern).matches(path), false);
    assert.ok(performance.now() - begun < 3_000, pattern);
  }
});
