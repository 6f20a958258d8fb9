import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { en } from "./en.ts";
import { fr } from "./fr.ts";

const source = join(import.meta.dirname, "..");

/** Every key of a tree of texts, such as `shell.signIn.title`. */
function keysOf(texts: object, prefix = ""): string[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "string" ? [`${prefix}${name}`] : keysOf(value, `${prefix}${name}.`),
  );
}

const placeholders = (text: string) => (text.match(/\{\{[^}]+\}\}/g) ?? []).sort();
const textAt = (texts: object, key: string) =>
  key.split(".").reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], texts) as string;

describe("texts", () => {
  it("have the same keys and the same placeholders in every language", () => {
    expect(keysOf(fr).sort()).toEqual(keysOf(en).sort());
    for (const key of keysOf(en)) {
      expect(textAt(fr, key).trim(), key).not.toBe("");
      // A form for one may omit the number: "one row".
      if (!/_(one|other)$/.test(key)) expect(placeholders(textAt(fr, key)), key).toEqual(placeholders(textAt(en, key)));
    }
  });

  it("are in these files only, and not in components", () => {
    expect(literals()).toEqual([]);
    // Every component is parsed, which is slow on a busy machine.
  }, 30_000);
});

/** Attributes that are shown or read out. */
const spoken = new Set(["label", "title", "placeholder", "aria-label", "description", "alt"]);
/** Words that are the same in every language: names of formats, fields, codes, signs. */
const universal = /^([^\p{L}]*|ZMB|XLSX|JSON|CSV.*|did[:,].*|hk_.*|0x.*)$/u;

/** Texts for users in components, as `file: text`. */
function literals(): string[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".tsx") && !name.includes(".test."),
  );
  return files.flatMap((name) => {
    const text = readFileSync(join(source, name), "utf8");
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
    const found: string[] = [];
    const visit = (node: ts.Node) => {
      if (ts.isJsxText(node) && !universal.test(node.text.trim())) found.push(`${name}: ${node.text.trim()}`);
      if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer !== undefined) {
        const value = node.initializer;
        if (ts.isStringLiteral(value) && !universal.test(value.text)) found.push(`${name}: ${value.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}
