import { globSync, readFileSync } from "node:fs";
import { readOptions } from "./command-options.ts";
import { describeFinding, findPhrases } from "./plain-language/find.ts";
import { ruledOutSynonyms, withoutSynonyms } from "./plain-language/glossary.ts";
import { phrases } from "./plain-language/phrases.ts";
import { findInTranslations } from "./plain-language/translations.ts";

const help = `node scripts/plain-language.ts
Find words that docs/glossary.md rules out and phrases of scripts/plain-language/phrases.ts, in the documents, comments and texts
below the current folder. In the French, Portuguese and Swahili texts, find English words, and second words for one term.
It prints file, line and the plain words, and exits with 1.`;

readOptions(help, {});

const glossaryFile = "docs/glossary.md";
const generated = ["deployments/abi", "sdk/docs/api", "wire/src/schema.ts"];
/** It quotes what it looks for. */
const ownTests = ["scripts/plain-language"];

const isIn = (file: string, paths: readonly string[]) =>
  paths.some((path) => file === path || file.startsWith(`${path}/`));
const skipped = new Set(["node_modules", "dist", "artifacts", "cache", "generated", ".node", ".hearth", ".ponder"]);
const exclude = (path: string) => skipped.has(path.split("/").at(-1) ?? "");
const listed = (patterns: string[]) =>
  globSync(patterns, { exclude }).filter((file) => !isIn(file, [...generated, ...ownTests]));

/** Texts that people read in the console, in mails and on phones are in files of JSON too. */
const files = listed([
  "**/*.{md,ts,tsx,mjs,cjs,sol}",
  "**/i18n/en/*.json",
  "**/{reason-texts,texts}/en.json",
  "**/forms/texts.json",
]);
const translations = listed([
  "**/*.{ts,tsx}",
  "**/i18n/*/*.json",
  "**/{reason-texts,texts}/*.json",
  "**/forms/texts.json",
  "**/sentences.json",
]);

const glossary = readFileSync(glossaryFile, "utf8");
const unwanted = [...phrases, ...ruledOutSynonyms(glossary)];
const findings = files.sort().flatMap((file) => {
  const text = file === glossaryFile ? withoutSynonyms(glossary) : readFileSync(file, "utf8");
  return findPhrases(file, text, unwanted);
});
const inTranslations = translations.sort().flatMap((file) => findInTranslations(file, readFileSync(file, "utf8")));
const all = [...findings, ...inTranslations];
for (const finding of all) console.error(describeFinding(finding));
if (files.length === 0) throw new Error("There is nothing to check: run it in the repository's folder.");
process.exitCode = all.length === 0 ? 0 : 1;
