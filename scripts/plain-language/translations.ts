import ts from "typescript";
import type { Finding } from "./find.ts";
import type { Phrase } from "./phrases.ts";

/** Languages that texts are translated into, with the names of files that contain only one of them. */
const languages = { fr: "french", pt: "portuguese", sw: "swahili" } as const;
type Language = keyof typeof languages;
const tags = Object.keys(languages) as Language[];
const isTag = (name: string): name is Language => Object.hasOwn(languages, name);

/** Each English text with its translations, in the order of `tags`. */
const listsOfTranslations = ["connect/records/forms/texts.json"];

/** Words of English sentences that none of the other languages has. */
const english: Phrase = {
  pattern: /the|and|of|with|this|that|your|from|which|not|is|are|was|has|been|cannot/,
  plain: "the translation of this English word",
};

/** Words of a language that mean the same as its word for a term. A term has one word in each language, as in the glossary. */
const otherWords: Record<Language, readonly Phrase[]> = {
  fr: [{ pattern: /familles?/, plain: "ménage" }],
  pt: [{ pattern: /famílias?/, plain: "agregado familiar" }],
  sw: [{ pattern: /familia/, plain: "kaya" }],
};

/**
 * Find English words, and second words for a term, in a file's texts in other languages: those of a file or folder that is named for a
 * language, and those of properties that are.
 */
export function findInTranslations(file: string, text: string): Finding[] {
  const language = languageOfFile(file);
  if (language === undefined && !/\b(?:fr|pt|sw)"?:/.test(text) && !listsOfTranslations.includes(file)) return [];
  const kind = file.endsWith(".json")
    ? ts.ScriptKind.JSON
    : file.endsWith(".tsx")
      ? ts.ScriptKind.TSX
      : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const findings: Finding[] = [];
  const visit = (node: ts.Node, of: Language | undefined): void => {
    if (of !== undefined && isText(node)) findings.push(...findInText(source, node, of));
    ts.forEachChild(node, (child) => visit(child, languageOfChild(file, child) ?? of));
  };
  visit(source, language);
  return findings;
}

function languageOfFile(file: string): Language | undefined {
  const names = file.replace(/\.\w+$/, "").split("/");
  return tags.find((tag) => names.includes(tag) || names.at(-1) === languages[tag]);
}

function languageOfChild(file: string, child: ts.Node): Language | undefined {
  if (ts.isPropertyAssignment(child)) {
    const name = ts.isStringLiteral(child.name) || ts.isIdentifier(child.name) ? child.name.text : "";
    return isTag(name) ? name : undefined;
  }
  const { parent } = child;
  const isListed = listsOfTranslations.includes(file) && ts.isArrayLiteralExpression(parent);
  return isListed ? tags[parent.elements.indexOf(child as ts.Expression)] : undefined;
}

/** A text that is shown, not the name of a property or module. */
function isText(node: ts.Node): boolean {
  if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return true;
  if (!ts.isStringLiteralLike(node)) return false;
  const { parent } = node;
  return !(ts.isPropertyAssignment(parent) && parent.name === node) && !ts.isImportDeclaration(parent);
}

/** Values that are filled in, and what another program shows, which is in quotation marks. */
const notTranslated = /\{[^}]*\}|“[^”]*”/g;

function findInText(source: ts.SourceFile, node: ts.Node, language: Language): Finding[] {
  const start = node.getStart(source);
  const text = node.getText(source).replace(notTranslated, (found) => " ".repeat(found.length));
  return [english, ...otherWords[language]].flatMap(({ pattern, plain }) =>
    [...text.matchAll(new RegExp(`(?<!\\p{L})(?:${pattern.source})(?!\\p{L})`, "giu"))].map(({ 0: found, index }) => ({
      file: source.fileName,
      line: source.getLineAndCharacterOfPosition(start + index).line + 1,
      found,
      plain,
    })),
  );
}
