import { readFileSync } from "node:fs";
import ts from "typescript";

/**
 * A test or suite as its file's text declares it. `title` matches the names that it may have; `around` is the suite that contains
 * it.
 */
export type Declared = {
  file: string;
  line: number;
  isSuite: boolean;
  name: string;
  title: RegExp;
  around?: Declared;
};

const suites = new Set(["describe", "suite", "describeReal"]);
const tests = new Set(["test", "it", "itReal"]);

/** List every test and suite that a file's text declares, without running it. */
export function declaredTests(file: string): Declared[] {
  const text = readFileSync(file, "utf8");
  return file.endsWith(".sol") ? solidityTests(file, text) : typescriptTests(file, text);
}

function typescriptTests(file: string, text: string): Declared[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: Declared[] = [];
  const visit = (node: ts.Node, around: Declared | undefined): void => {
    const kind = ts.isCallExpression(node) ? kindOf(node) : undefined;
    let inner = around;
    if (kind !== undefined && ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const name = title?.getText(source) ?? "";
      inner = {
        file,
        line: lineOf(node.expression.getStart(source)),
        isSuite: kind === "suite",
        name: name.replace(/^["'`]|["'`]$/g, ""),
        title: titlePattern(title),
        ...(around === undefined ? {} : { around }),
      };
      found.push(inner);
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, undefined);
  return found;
}

/**
 * `test("…", …)`, `describe.skip(…)`, `it.each(rows)("…", …)`, `t.test("…", …)`. Its function argument shows that the last is not a
 * pattern's `test`.
 */
function kindOf({ expression, arguments: given }: ts.CallExpression): "suite" | "test" | undefined {
  const last = given.at(-1);
  if (given.length < 2 || last === undefined || !(ts.isArrowFunction(last) || ts.isFunctionExpression(last))) return;
  let callee: ts.Expression = ts.isCallExpression(expression) ? expression.expression : expression;
  if (ts.isPropertyAccessExpression(callee)) callee = tests.has(callee.name.text) ? callee.name : callee.expression;
  if (!ts.isIdentifier(callee)) return;
  if (suites.has(callee.text)) return "suite";
  return tests.has(callee.text) ? "test" : undefined;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function titlePattern(title: ts.Expression | undefined): RegExp {
  const parts = (texts: string[]) => new RegExp(`^${texts.map(escaped).join("[^]*")}$`);
  if (title === undefined) return /^/;
  // Values from a table's row are not in the text.
  if (ts.isStringLiteralLike(title)) return parts(title.text.split(/%[a-z#]|\$\w+/));
  if (ts.isTemplateExpression(title))
    return parts([title.head.text, ...title.templateSpans.map((span) => span.literal.text)]);
  return /^/;
}

/** Functions that Hardhat runs: `test…` and `invariant…` of a file's contracts. */
function solidityTests(file: string, text: string): Declared[] {
  const lineAt = (index: number) => text.slice(0, index).split("\n").length;
  return [...text.matchAll(/^\s*function ((?:test|invariant)\w*)\(/gm)].map((match) => {
    const [, name = ""] = match;
    const line = lineAt(match.index) + (match[0].match(/\n/g)?.length ?? 0);
    return { file, line, isSuite: false, name, title: new RegExp(`^${name}$`) };
  });
}

/** A test or suite that a runner reported. If it reports no line or no file, the name is compared. */
export type Ran = { file?: string; line?: number; name: string; skipped?: boolean };

/** List the declared tests and suites that did not run, except those in a skipped suite. */
export function neverRan(declared: readonly Declared[], ran: readonly Ran[]): Declared[] {
  const places = new Map(
    ran.filter(({ line }) => line !== undefined).map((each) => [`${each.file}:${each.line}`, each]),
  );
  const names = ran.filter(({ line }) => line === undefined);
  const find = (one: Declared) =>
    places.get(`${one.file}:${one.line}`) ??
    names.find(({ file, name }) => (file ?? one.file) === one.file && one.title.test(name));
  const isSkipped = (one: Declared | undefined): boolean =>
    one !== undefined && (find(one)?.skipped === true || isSkipped(one.around));
  return declared.filter((one) => find(one) === undefined && !isSkipped(one.around));
}
