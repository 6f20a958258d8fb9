import { describe, expect, it } from "vitest";
import { formatBytes } from "./format-bytes.ts";
import { ancestorsOf, depthOf, joinPath, nameOf, parentOf, unusedPath, uploadPath } from "./paths.ts";
import { isEditable, previewKindOf } from "./preview/preview-kind.ts";

describe("paths", () => {
  it("are joined and split", () => {
    expect(joinPath("/", "a.txt")).toBe("/a.txt");
    expect(joinPath("/docs", "b/a.txt")).toBe("/docs/b/a.txt");
    expect(nameOf("/docs/a.txt")).toBe("a.txt");
    expect(parentOf("/docs/a.txt")).toBe("/docs");
    expect(parentOf("/a.txt")).toBe("/");
    expect(ancestorsOf("/a/b/c")).toEqual(["/", "/a", "/a/b"]);
    expect(depthOf("/a/b")).toBe(2);
  });

  it("keep the inner folders of a dropped folder", () => {
    expect(uploadPath("/in", { name: "a.txt", path: "./photos/a.txt" })).toBe("/in/photos/a.txt");
    expect(uploadPath("/in", { name: "a.txt", path: "/photos/a.txt" })).toBe("/in/photos/a.txt");
    expect(uploadPath("/", { name: "a.txt" })).toBe("/a.txt");
  });

  it("next to an existing file contain the time and keep the extension", () => {
    const now = new Date("2025-02-03T04:05:06.789Z");
    expect(unusedPath("/docs/a.b.txt", now)).toBe("/docs/a.b (2025-02-03 04.05.06).txt");
    expect(unusedPath("/.env", now)).toBe("/.env (2025-02-03 04.05.06)");
    expect(unusedPath("/dir.d/plain", now)).toBe("/dir.d/plain (2025-02-03 04.05.06)");
  });

  it("are in one Unicode normal form", () => {
    expect(uploadPath("/", { name: "u\u0308.txt" })).toBe("/\u00fc.txt");
  });
});

describe("a preview", () => {
  const file = (name: string, mimeType: string, size = 10) => ({ name, mimeType, size });

  it("shows HTML as text, never as a page", () => {
    expect(previewKindOf(file("page.html", "text/html; charset=utf-8"))).toBe("text");
  });

  it("follows the media type, and the name when the type is generic", () => {
    expect(previewKindOf(file("a", "image/png"))).toBe("image");
    expect(previewKindOf(file("a.pdf", "application/pdf"))).toBe("pdf");
    expect(previewKindOf(file("a.pdf", "text/html"))).toBe("text");
    expect(previewKindOf(file("a.md", "application/octet-stream"))).toBe("text");
    expect(previewKindOf(file("a.bin", "application/octet-stream"))).toBe("none");
    expect(previewKindOf(file("a", "application/ld+json"))).toBe("text");
  });

  it("is omitted for a file that is too large", () => {
    expect(previewKindOf(file("a.txt", "text/plain", 3_000_000))).toBe("none");
    expect(isEditable(file("a.txt", "text/plain", 1_500_000))).toBe(false);
    expect(isEditable(file("a.txt", "text/plain", 0))).toBe(true);
  });
});

describe("a size", () => {
  it("is formatted in the language's units", () => {
    expect(formatBytes(0, "en")).toBe("0 bytes");
    expect(formatBytes(1_500, "en")).toBe("1.5 kB");
    expect(formatBytes(2_000_000_000, "fr")).toMatch(/^2\sGo$/);
  });
});
