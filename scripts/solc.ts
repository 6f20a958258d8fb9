import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

type Solc = { compile(input: string, callbacks: { import(path: string): { contents: string } }): string };
type Refusals = { errors?: { severity: string; formattedMessage: string }[] };

const solc = createRequire(import.meta.url)("solc") as Solc;

/** The production contracts' files. */
export const productionFiles = (): string[] =>
  globSync("contracts/**/*.sol")
    .filter((path) => !path.includes("/mocks/"))
    .sort();

/**
 * Run the compiler on contracts' files. Output that needs no code generation takes only seconds.
 * @param outputSelection as the compiler's JSON input has it
 * @throws the compiler's errors
 */
export function askCompiler<Output>(texts: ReadonlyMap<string, string>, outputSelection: object): Output {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...texts].map(([path, content]) => [path, { content }])),
    settings: { evmVersion: "prague", outputSelection },
  };
  const read = (path: string) => ({
    contents: readFileSync(path.startsWith("@") ? `node_modules/${path}` : path, "utf8"),
  });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as Output & Refusals;
  const refused = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (refused.length > 0) throw new Error(refused.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return output;
}

/** The files' texts by path. */
export const readTexts = (paths: readonly string[]): ReadonlyMap<string, string> =>
  new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
