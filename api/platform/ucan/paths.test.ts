import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../errors.ts";
import { ancestorsOf, isDotPath, isWithin, nameOf, parentOf, parseFolder, parsePath, segmentsOf } from "./paths.ts";

function rulesOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "INVALID_INPUT");
    assert.ok(error.details.every(({ path }) => path === "path"));
    return error.details.map(({ rule }) => rule);
  }
  return [];
}

describe("paths", () => {
  it("keeps a path unchanged, in NFC", () => {
    assert.equal(parsePath("/docs/a b.txt"), "/docs/a b.txt");
    assert.equal(parsePath("/cafe\u0301"), "/caf\u00e9");
    assert.equal(parsePath("/%2e%2e/x"), "/%2e%2e/x");
    assert.equal(parsePath("/.../a..b"), "/.../a..b");
  });

  const refused: [string, string[]][] = [
    ["", ["path-length", "path-absolute"]],
    ["docs", ["path-absolute"]],
    ["/docs/", ["path-trailing-slash"]],
    ["//", ["path-trailing-slash", "path-empty-segment"]],
    ["/a//b", ["path-empty-segment"]],
    ["/a/./b", ["path-dot-segment"]],
    ["/a/..", ["path-dot-segment"]],
    ["/a\0", ["path-nul", "path-text"]],
    ["/a\u0001", ["path-text"]],
    ["/a\n", ["path-text"]],
    ["/a\u009b", ["path-text"]],
    ["/a\u2028b", ["path-text"]],
    ["/a\u202egnp.exe", ["path-text"]],
    ["/a\\b", ["path-backslash"]],
    ["/\ud800", ["path-text"]],
    [`/${"a".repeat(1024)}`, ["path-length"]],
    ["a\\..//../\0/", ["path-absolute", "path-trailing-slash", "path-empty-segment", "path-dot-segment", "path-nul"]],
  ];
  for (const [text, rules] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))} for ${rules.join(", ")}`, () => {
      const found = rulesOf(() => parsePath(text));
      for (const rule of rules) assert.ok(found.includes(rule), `${rule} not in ${found.join()}`);
      assert.deepEqual(
        rulesOf(() => parseFolder(text)),
        found,
      );
    });
  }

  it("counts characters after normalisation, not code units", () => {
    assert.equal(parsePath(`/${"e\u0301".repeat(1023)}`).length, 1024);
    assert.equal([...parsePath(`/${"😀".repeat(1023)}`)].length, 1024);
  });

  it("accepts the root as a folder and refuses it as a file", () => {
    assert.equal(parseFolder("/"), "/");
    assert.deepEqual(
      rulesOf(() => parsePath("/")),
      ["path-is-folder"],
    );
  });

  it("compares whole segments", () => {
    assert.ok(isWithin("/docs", "/docs"));
    assert.ok(isWithin("/docs", "/docs/a"));
    assert.ok(!isWithin("/docs", "/docs2"));
    assert.ok(!isWithin("/docs", "/"));
    assert.ok(isWithin("/", "/docs2"));
  });

  it("splits paths", () => {
    assert.deepEqual(segmentsOf("/a/b"), ["a", "b"]);
    assert.deepEqual(segmentsOf("/"), []);
    assert.equal(nameOf("/a/b.txt"), "b.txt");
    assert.equal(parentOf("/a/b"), "/a");
    assert.equal(parentOf("/a"), "/");
    assert.equal(parentOf("/"), "/");
    assert.deepEqual(ancestorsOf("/a/b/c"), ["/", "/a", "/a/b"]);
    assert.deepEqual(ancestorsOf("/"), []);
  });

  it("knows dotfiles and files in dotfolders", () => {
    assert.ok(isDotPath("/.env"));
    assert.ok(isDotPath("/a/.git/config"));
    assert.ok(!isDotPath("/a.b/c"));
  });
});
