import ts from "typescript";

/**
 * A file's text with everything blanked that people do not read as prose, so that positions and lines stay the same. Prose is a
 * document's text, a program's comments, and string literals with a space in them; code in backticks is no prose.
 */
export function proseOf(file: string, text: string): string {
  if (file.endsWith(".md")) return proseOfDocument(text);
  return keep(text, file.endsWith(".sol") ? partsOfSolidity(text) : partsOfTypeScript(file, text));
}

type Part = { start: number; end: number };

const blank = (text: string) => text.replace(/[^\n]/g, " ");
const withoutCode = (text: string) => text.replace(/`[^`\n]*`/g, blank);

function proseOfDocument(text: string): string {
  const withoutBlocks = text.replace(/^(```+)[\s\S]*?^\1/gm, blank).replace(/<!--[\s\S]*?-->/g, blank);
  return withoutCode(withoutBlocks).replace(/\]\([^)\n]*\)/g, blank);
}

/** The text with only these parts left. A comment's leading asterisks are blanked too, so that a phrase may cross its lines. */
function keep(text: string, parts: readonly Part[]): string {
  let kept = "";
  let end = 0;
  for (const part of [...parts].sort((a, b) => a.start - b.start)) {
    if (part.start < end) continue;
    kept += blank(text.slice(end, part.start));
    kept += withoutCode(text.slice(part.start, part.end)).replace(/^[ \t]*(?:\*(?!\/)|\/\/+)/gm, blank);
    end = part.end;
  }
  return kept + blank(text.slice(end));
}

function partsOfTypeScript(file: string, text: string): Part[] {
  const kind = /\.[tj]sx$/.test(file) ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const parts: Part[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length === 0) {
      const start = node.getStart(source);
      const comments = [
        ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.pos) ?? []),
      ];
      for (const { pos, end } of comments) if (pos >= node.pos && end <= start) parts.push({ start: pos, end });
      // Without its first character: the backtick of a template begins no code.
      if (isText(node) && / /.test(node.getText(source))) parts.push({ start: start + 1, end: node.end });
    }
    for (const child of children) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return parts;
}

const isText = (node: ts.Node) =>
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddle(node) ||
  ts.isTemplateTail(node) ||
  ts.isJsxText(node);

const solidityParts = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g;
const partsOfSolidity = (text: string): Part[] =>
  [...text.matchAll(solidityParts)]
    .filter(([found]) => !found.startsWith('"') || found.includes(" "))
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
