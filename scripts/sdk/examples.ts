import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** One piece of code that a reader may copy. */
type Example = {
  /** Its file and line, for messages. */
  place: string;
  code: string;
};

const fence = /^```tsx?\n([\s\S]*?)^```$/gm;

/**
 * List every exported function, hook, component and class that has no `@example` which uses it, and every example or `tsx` block of
 * the given pages that the type check refuses. The kept tools read Markdown alone, and cannot tell which export has no example.
 * @param project path of the tsconfig.json that the examples are compiled with; its `paths` lead to the entry points
 * @param pages paths of Markdown files
 * @throws Error when the project itself cannot be read
 */
export function exampleProblems(project: string, entries: readonly string[], pages: readonly string[] = []): string[] {
  const options = readProject(project);
  const program = ts.createProgram([...entries], options);
  const exported = entries.flatMap((entry) => callablesOf(program, entry));
  const declarations = new Map(exported.map((symbol) => [symbol.declarations?.[0], symbol]));
  const examples: Example[] = pages.flatMap(blocksOf);
  const missing: string[] = [];
  for (const symbol of declarations.values()) {
    const own = examplesOf(symbol);
    const uses = new RegExp(`\\b${symbol.name}\\b`);
    if (!own.some(({ code }) => uses.test(code))) missing.push(`${placeOf(symbol)} has no @example that uses it.`);
    examples.push(...own);
  }
  return [...missing, ...compile(examples, dirname(project), options)];
}

function readProject(project: string): ts.CompilerOptions {
  const { config, error } = ts.readConfigFile(project, ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve(dirname(project)));
  return { ...options, noEmit: true, incremental: false, tsBuildInfoFile: undefined };
}

/** Everything that can be called or constructed; other names of the same thing lead to one symbol. */
function callablesOf(program: ts.Program, entry: string): ts.Symbol[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} exports nothing.`);
  const originals = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  return originals.filter((symbol) => {
    const declaration = symbol.valueDeclaration;
    if (declaration === undefined) return false;
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
  });
}

const placeOf = (symbol: ts.Symbol) =>
  `${relative(".", symbol.valueDeclaration?.getSourceFile().fileName ?? "")}: ${symbol.name}`;

function examplesOf(symbol: ts.Symbol): Example[] {
  const tags = (symbol.declarations ?? []).flatMap((each) => ts.getJSDocTags(documentedNode(each)));
  return tags
    .filter(({ tagName }) => tagName.text === "example")
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .map((text) => ({
      place: `${placeOf(symbol)}, @example`,
      code: [...text.matchAll(fence)].map(([, code]) => code).join("\n"),
    }));
}

/** The docstring of `const f = …` belongs to the statement. */
function documentedNode(declaration: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function blocksOf(page: string): Example[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(fence)].map(({ 1: code = "", index }) => {
    const line = text.slice(0, index).split("\n").length + 1;
    return { place: `${page}, block of line ${line}`, code };
  });
}

/** Type check the examples, each as a separate module in the project's folder. Nothing is written. */
function compile(examples: readonly Example[], folder: string, options: ts.CompilerOptions): string[] {
  const files = new Map(examples.map((example, i) => [resolve(folder, `example-${i}.tsx`), example]));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name)?.code ?? readFile(name);
  host.getSourceFile = (name, target, ...rest) => {
    const code = files.get(name)?.code;
    return code === undefined ? getSourceFile(name, target, ...rest) : ts.createSourceFile(name, code, target);
  };
  // Two examples may declare the same name.
  const program = ts.createProgram(
    [...files.keys()],
    { ...options, moduleDetection: ts.ModuleDetectionKind.Force },
    host,
  );
  return [...files].flatMap(([name, { place }]) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ start = 0, messageText }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${place}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}

/** The entry points of the SDK, as its package.json names them. */
export const sdkEntries = ["index", "core", "live-agent"].map((name) => join("sdk/src", `${name}.ts`));
