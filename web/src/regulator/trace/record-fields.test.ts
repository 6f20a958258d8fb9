import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { languages } from "../../i18n/languages.ts";
import { kindOf, linesOf } from "./record-fields.ts";

const root = join(import.meta.dirname, "../../../..");
/** What writes the records of a trace, and the fields of its history, which the drawer does not show. */
const serializers = ["serialize.ts", "serialize-itmo.ts", "serialize-campaign.ts"];
const notShown = ["event", "data", "actions"];

/** The names of all fields that the serializers write. */
function writtenFields(): string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node))
      for (const { name } of node.properties) if (name !== undefined && ts.isIdentifier(name)) names.add(name.text);
    ts.forEachChild(node, visit);
  };
  for (const name of serializers) {
    const text = readFileSync(join(root, "indexer/src/api", name), "utf8");
    visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
  }
  return [...names].filter((name) => !notShown.includes(name)).sort();
}

const textsOf = (language: string) =>
  JSON.parse(readFileSync(join(root, `web/src/i18n/${language}/traced.json`), "utf8")) as {
    field: Record<string, string>;
    word: Record<string, string>;
  };

describe("a record of a trace", () => {
  it.each(languages)("has a name for every field that the index writes, in %s", (language) => {
    expect(Object.keys(textsOf(language).field).sort()).toEqual(writtenFields());
  });

  it("does not name a field by its name in the index", () => {
    const { field } = textsOf("en");
    expect(Object.entries(field).filter(([name, label]) => name === label)).toEqual([]);
  });

  it("is laid out in lines: fields first, then each part below its heading; nothing that is not set", () => {
    const record = {
      id: "CLM-1",
      note: "",
      payment: null,
      disputes: [{ reason: "late" }, { reason: "other", upheld: false }],
      draw: {},
      status: "filed",
    };
    const lines = linesOf(record).map((line) =>
      "heading" in line ? `${line.depth} ${line.heading} ${line.number}` : `${line.depth} ${line.field}=${line.value}`,
    );
    expect(lines).toEqual([
      "0 id=CLM-1",
      "0 status=filed",
      "0 disputes 1",
      "1 reason=late",
      "0 disputes 2",
      "1 reason=other",
      "1 upheld=false",
    ]);
    expect(kindOf("toString", "x")).toBe("plain");
  });
});
