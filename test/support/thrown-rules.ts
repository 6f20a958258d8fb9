import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Where work begins, a function or a class: `api/scheme/devices/service.ts registerDevice`. */
export type Entry = `${string}.ts ${string}`;

export type ThrownRules = {
  /** English sentences of the rules that are stated, by their codes. */
  sentences: Map<string, string>;
  /** Rules without a code, as `file text`. */
  uncoded: string[];
};

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Find every broken rule that functions state, and all functions of ours that these call. A function that is called through a type
 * without a body, such as a store's, is not followed: name it as an entry, too.
 * @throws Error when an entry does not exist
 */
export function thrownRules(entries: readonly Entry[]): ThrownRules {
  const files = [...new Set(entries.map((entry) => root + (entry.split(" ")[0] as string)))];
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ["lib.es5.d.ts"],
  });
  const checker = program.getTypeChecker();
  const sentences = new Map<string, string>();
  const uncoded = new Set<string>();
  const seen = new Set<ts.Node>();
  const open: ts.Node[] = entries.map((entry) => {
    const [file = "", name = ""] = entry.split(" ");
    const found = program.getSourceFile(root + file)?.statements.find((each) => declaredIn(each).includes(name));
    if (found === undefined) throw new Error(`There is no ${name} in ${file}.`);
    return found;
  });
  for (let body = open.pop(); body !== undefined; body = open.pop()) {
    if (seen.has(body)) continue;
    seen.add(body);
    visit(body);
  }
  return { sentences, uncoded: [...uncoded].sort() };

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return;
    if (ts.isObjectLiteralExpression(node) && isUncoded(node)) note(node);
    if (ts.isNewExpression(node) && node.expression.getText() === "AppError" && isWithoutDetails(node)) note(node);
    if (ts.isIdentifier(node)) follow(node);
    ts.forEachChild(node, visit);
  }

  function follow(name: ts.Identifier): void {
    const symbol = checker.getSymbolAtLocation(name);
    const target = symbol && (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
    for (const declaration of target?.declarations ?? []) {
      if (!isOurs(declaration)) continue;
      if (isTableOfRules(declaration)) {
        if (ts.isCallExpression(name.parent) && name.parent.expression === name) noteCodes(name.parent, declaration);
        continue;
      }
      if (ts.isFunctionDeclaration(declaration) || isTopVariable(declaration)) open.push(declaration);
    }
  }

  /** The code may be one of several, such as of a condition. */
  function noteCodes({ arguments: [code] }: ts.CallExpression, table: ts.VariableDeclaration): void {
    if (code === undefined) return;
    const type = checker.getTypeAtLocation(code);
    const known = sentencesOf(table);
    for (const each of type.isUnion() ? type.types : [type]) {
      if (each.isStringLiteral()) sentences.set(each.value, known.get(each.value) ?? "");
      // A code that the types do not name cannot be checked.
      else note(code.parent);
    }
  }

  function note(node: ts.Node): void {
    const file = node.getSourceFile();
    const text = node.getText().replaceAll(/\s+/g, " ").slice(0, 120);
    uncoded.add(`${file.fileName.slice(root.length)} ${text}`);
  }
}

const isOurs = (node: ts.Node) => {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(root) && !fileName.includes("/node_modules/") && !fileName.endsWith(".d.ts");
};

/** Names that a statement declares. */
function declaredIn(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement.name?.text ?? ""];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.map(({ name }) => name.getText());
}

/** What is declared in a function is visited with the function. */
const isTopVariable = (node: ts.Node) =>
  ts.isVariableDeclaration(node) &&
  ts.isVariableStatement(node.parent.parent) &&
  ts.isSourceFile(node.parent.parent.parent);

/** Whether a variable is what `defineRules` returns. */
function isTableOfRules(node: ts.Node): node is ts.VariableDeclaration {
  return ts.isVariableDeclaration(node) && /^defineRules\(/.test(node.initializer?.getText() ?? "");
}

/** The sentences of a table, by their codes. The table is written in the call, or in a variable before it. */
function sentencesOf(table: ts.VariableDeclaration): Map<string, string> {
  const found = new Map<string, string>();
  const inTable = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer)) {
      const [, sentence] = node.initializer.elements;
      if (sentence !== undefined && ts.isStringLiteralLike(sentence)) found.set(nameOf(node.name), sentence.text);
    }
    ts.forEachChild(node, inTable);
  };
  const isByName = /^defineRules\(\w+\)/.test(table.initializer?.getText() ?? "");
  inTable(isByName ? table.getSourceFile() : table);
  return found;
}

const nameOf = (name: ts.PropertyName) => (ts.isStringLiteral(name) ? name.text : name.getText());

/** Whether an object is a broken rule, by its fields, and has no code. */
function isUncoded({ properties }: ts.ObjectLiteralExpression): boolean {
  const names = properties.map((each) => each.name?.getText());
  return names.includes("rule") && names.includes("message") && !names.includes("code");
}

/** Whether an error that refuses has no details: its sentence is then the only reason. */
function isWithoutDetails({ arguments: given }: ts.NewExpression): boolean {
  const isRefusal = !/^"(UNAVAILABLE|INTERNAL|UPSTREAM|RATE_LIMITED|IDEMPOTENCY_IN_PROGRESS)"$/.test(
    given?.[0]?.getText() ?? "",
  );
  return isRefusal && !/\bdetails?\b/.test(given?.[2]?.getText() ?? "");
}
