import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const source = join(import.meta.dirname, "../..");
/** Tables that are not a list of records, or whose records are downloaded in another way, with the reason. */
const exceptions: Record<string, string> = {
  "chat/components/chart-view.tsx": "for screen readers: the numbers of a chart",
  "chat/preferences-dialog.tsx": "settings of one person",
  "files/text/diff-view.tsx": "the lines of two versions of a file, which have their own downloads",
  "files/preview/rich-preview.tsx": "shows a file, which has its own download",
  "implementer/campaigns/result-figures.tsx": "the regulator’s page of the result has the same figures",
  "implementer/records/answers-table.tsx": "the fields of one record",
  "payouts/payout-steps.tsx": "the fields of one payout",
  "regulator/actors/actor-lines.tsx": "the fields of one record",
  "regulator/trace/event-details.tsx": "the arguments of one event",
  "regulator/trace/record-table.tsx": "the fields of one record",
};

/** Lines of a file with a table that is in no `WideTable`, which has the download. */
function tablesWithoutDownload(file: string): number[] {
  const text = readFileSync(join(source, file), "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const lines: number[] = [];
  const visit = (node: ts.Node, isInside: boolean): void => {
    const name = ts.isJsxElement(node) ? node.openingElement.tagName.getText() : "";
    if ((name === "Table" || name === "table") && !isInside) {
      lines.push(tree.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    }
    ts.forEachChild(node, (child) => visit(child, isInside || name === "WideTable"));
  };
  visit(tree, false);
  return lines;
}

describe("every table of a page", () => {
  const found = globSync("**/*.tsx", { cwd: source })
    .filter((file) => !file.includes(".test."))
    .map((file) => [file, tablesWithoutDownload(file)] as const)
    .filter(([, lines]) => lines.length > 0);

  it("can be downloaded", () => {
    expect(found.filter(([file]) => !Object.hasOwn(exceptions, file))).toEqual([]);
  });

  it("is an exception only where there is such a table", () => {
    const files = found.map(([file]) => file);
    expect(Object.keys(exceptions).filter((file) => !files.includes(file))).toEqual([]);
  });
});
