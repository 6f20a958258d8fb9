import { globSync, readFileSync } from "node:fs";
import { readOptions } from "./command-options.ts";
import { describeFinding, findPhrases } from "./plain-language/find.ts";
import { ruledOutSynonyms, withoutSynonyms } from "./plain-language/glossary.ts";
import { phrases } from "./plain-language/phrases.ts";

const help = `node scripts/plain-language.ts
Find words that docs/glossary.md rules out and phrases of scripts/plain-language/phrases.ts, in the documents, comments and texts
below the current folder. It prints file, line and the plain words, and exits with 1.`;

readOptions(help, {});

const glossaryFile = "docs/glossary.md";
const notEnglish = ["web/src/i18n/fr"];
const generated = ["deployments/abi", "sdk/docs/api", "wire/src/schema.ts"];
/** It quotes what it looks for. */
const ownTests = ["scripts/plain-language"];

const isIn = (file: string, paths: readonly string[]) =>
  paths.some((path) => file === path || file.startsWith(`${path}/`));
const skipped = new Set(["node_modules", "dist", "artifacts", "cache", "generated", ".node", ".hearth", ".ponder"]);
const files = globSync(["**/*.{md,ts,tsx,mjs,cjs,sol}", "web/src/i18n/en/*.json"], {
  exclude: (path) => skipped.has(path.split("/").at(-1) ?? ""),
}).filter((file) => !isIn(file, [...notEnglish, ...generated, ...ownTests]));

const glossary = readFileSync(glossaryFile, "utf8");
const unwanted = [...phrases, ...ruledOutSynonyms(glossary)];
const findings = files.sort().flatMap((file) => {
  const text = file === glossaryFile ? withoutSynonyms(glossary) : readFileSync(file, "utf8");
  return findPhrases(file, text, unwanted);
});
for (const finding of findings) console.error(describeFinding(finding));
if (files.length === 0) throw new Error("There is nothing to check: run it in the repository's folder.");
process.exitCode = findings.length === 0 ? 0 : 1;
