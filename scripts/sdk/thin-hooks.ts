import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Most lines of code in a file that declares a hook: logic belongs to functions that need no React. */
export const mostLines = 60;

/**
 * List the files of a folder that declare a hook and hold more than `mostLines` lines of code. Imports, types, comments and blank
 * lines do not count.
 */
export function thickHooks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return files.sort().flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(folder, file), "utf8"), ts.ScriptTarget.Latest, true);
    const lines = source.statements.some(isHook) ? codeLines(source) : 0;
    return lines > mostLines
      ? [`${join(folder, file)} has ${lines} lines of code; a file of a hook has ${mostLines} at most.`]
      : [];
  });
}

const isHook = (node: ts.Statement) => ts.isFunctionDeclaration(node) && /^use[A-Z]/.test(node.name?.text ?? "");

function codeLines(source: ts.SourceFile): number {
  const counted = source.statements.filter(
    (node) => !(ts.isImportDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)),
  );
  return counted.reduce((sum, node) => sum + linesOf(node.getText(source)), 0);
}

/** A line that begins with `//`, `/*` or `*` is a comment. */
const linesOf = (text: string) => text.split("\n").filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line)).length;
