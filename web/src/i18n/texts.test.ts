import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { pageSources } from "../../page-sources.ts";
import { withMany } from "./i18n.ts";
import { languages, partial } from "./languages.ts";
import { textsOf } from "./texts-of.ts";

const source = join(import.meta.dirname, "..");
/** Texts that phones show too. */
const reasons = join(source, "../../wire/src/reason-texts");
const en = textsIn("en");

/** Every text of a language. */
function textsIn(language: string): object {
  const folder = join(import.meta.dirname, language);
  const files = readdirSync(folder).map((name) => [
    name.replace(".json", ""),
    readFileSync(join(folder, name), "utf8"),
  ]);
  files.push(["reasons", readFileSync(join(reasons, `${language}.json`), "utf8")]);
  return Object.fromEntries(files.map(([area, text]) => [area, JSON.parse(text as string)]));
}

/** Every key of a tree of texts, such as `shell.signIn.title`. */
function keysOf(texts: object, prefix = ""): string[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "string" ? [`${prefix}${name}`] : keysOf(value, `${prefix}${name}.`),
  );
}

const placeholders = (text: string) => (text.match(/\{\{[^}]+\}\}/g) ?? []).sort();
const textAt = (texts: object, key: string) =>
  key.split(".").reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], texts) as string;

const withoutPlaces = (text: string) => text.replace(/\{\{[^}]+\}\}/g, "").trim();

/** What is called the same in every language: products, standards, units, countries and the system's own names. */
const names =
  /^(Africa’s Talking|Article 6\.[24]|CAD Trust|CARBON|CORSIA|DID|Hearth|Kannel|Kenya|KoboToolbox|LPG|Malawi|OMGE|PIN|SMPP 3\.4|SMS|Stablecoin|Twilio|URL|USD|USSD|Zambia|k?g CO₂e|t( CO₂e)?|,\s+t|°C|(mecd|smec|tpddtec|vm\d+)[-\w]*)$/;

/** Words that a language writes as English does. A new one is either added here, or is a text that nobody has translated. */
const sameWord: Partial<Record<(typeof languages)[number], string[]>> = {
  fr: [
    "30 minutes",
    "Action",
    "Actions",
    "Active",
    "Administration",
    "Arguments",
    "Attestation",
    "Briquettes",
    "Code",
    "Codes",
    "Contradiction",
    "Conversation",
    "Conversations",
    "Conversion",
    "Conversions",
    "Date",
    "Exceptions",
    "Format",
    "Intervention",
    "Invitations",
    "Lots",
    "Menu",
    "Minimum",
    "Nonce",
    "Note",
    "Notes",
    "Notifications",
    "Oracle",
    "Participant",
    "Phase",
    "Phases",
    "Place",
    "Position",
    "Public",
    "Secret",
    "Signature",
    "Source",
    "Tonnes",
    "Total",
    "Total (kg)",
    "Transaction",
    "Transactions",
    "Version",
    "Versions",
    "Veto",
    "Village",
    "Zoom",
    "absent",
    "conversion",
    "conversions",
    "version",
    "versions",
  ],
  pt: ["Id", "Menu", "Nonce", "Token", "Total", "Total (kg)", "Veto"],
  sw: ["Data", "Oracle"],
};

describe("texts", () => {
  it.each(languages)("in %s have the same keys and the same placeholders as the English ones", (language) => {
    const texts = textsIn(language);
    const keys = keysOf(texts);
    const known = new Set(keysOf(en));
    expect(keys.filter((key) => !known.has(key))).toEqual([]);
    const own = new Set(keys);
    if (!partial.includes(language)) expect([...known].filter((key) => !own.has(key))).toEqual([]);
    for (const key of keys) {
      const text = textAt(texts, key);
      expect(text.trim(), key).not.toBe("");
      // A form for one may omit the number: "one row".
      if (!/_(one|other)$/.test(key)) expect(placeholders(text), key).toEqual(placeholders(textAt(en, key)));
    }
  });

  it.each(languages.filter((language) => language !== "en"))("in %s are not left in English", (language) => {
    const texts = textsIn(language);
    const entries = keysOf(texts).map((key) => [key, textAt(texts, key)] as const);
    const unchanged = entries.filter(([key, text]) => text === textAt(en, key)).map(([, text]) => withoutPlaces(text));
    const words = [...new Set(unchanged)].filter((text) => /\p{L}/u.test(text) && !names.test(text));
    expect(words.sort()).toEqual([...(sameWord[language] ?? [])].sort());
  });

  it("have a form for whole millions where the language has one", () => {
    expect(withMany({ rows_one: "une ligne", rows_other: "{{count}} lignes" })).toHaveProperty("rows_many");
  });

  it("are laid out from start to end, so that they can also run from right to left", () => {
    expect(physicalSides()).toEqual([]);
  });

  it("are loaded with the pages that use them", () => {
    const ofEveryPage = ["common", "nav", "shell", "state"];
    const isOfRecords = (files: readonly string[]) => files.includes("reasons");
    const others = (used: string[]) => used.filter((file) => !ofEveryPage.includes(file));
    const answers = "chat/answer.tsx";
    // A notice of an error loads the sentences of its reasons, and names fuels where the page has their names.
    const reasons = "show/use-reason-text.ts";
    for (const { source: page, texts } of pageSources()) {
      // The oracle's answers are loaded after the page, with separate texts.
      const missing = others(filesUsedFrom(page, isOfRecords(texts) ? [answers] : [answers, reasons])).filter(
        (file) => !(texts as string[]).includes(file),
      );
      expect(missing, page).toEqual([]);
      for (const part of partsFrom(page)) {
        const known: readonly string[] = [...texts, ...part.texts];
        const unknown = others(filesUsedFrom(part.source, [answers, reasons])).filter((file) => !known.includes(file));
        expect(unknown, `${part.source} on ${page}`).toEqual([]);
      }
    }
    const parts = pageSources().flatMap(({ source: page }) => partsFrom(page));
    for (const [name, files] of Object.entries(textsOf)) {
      const own = parts.filter((part) => part.texts === files);
      if (own.length > 0) {
        const used = own.flatMap((part) => filesUsedFrom(part.source));
        expect(
          files.filter((file) => !used.includes(file)),
          name,
        ).toEqual([]);
        continue;
      }
      const pages = pageSources().filter(({ texts }) => texts === files);
      const starts = name === "answers" ? [answers] : pages.map(({ source: page }) => page);
      const except = name === "answers" ? [reasons] : isOfRecords(files) ? [answers] : [answers, reasons];
      const used = new Set(starts.flatMap((start) => others(filesUsedFrom(start, except))));
      expect([...used].sort(), name).toEqual([...files].sort());
    }
    // The layout's panel and the pages of links load the texts of their area themselves.
    const withOwnTexts = [reasons, "chat/oracle-panel.tsx", "files/shared-page.tsx", "shell/home-page.tsx"];
    expect(others(filesUsedFrom("main.tsx", withOwnTexts))).toEqual([]);
  });

  it("are in these files only, and not in components", () => {
    expect(literals()).toEqual([]);
    // Every component is parsed, which is slow on a busy machine.
  }, 30_000);
});

/** Styles that name the left or the right side, as `file: style`. Charts are drawn from left to right in every language. */
function physicalSides(): string[] {
  const inStyles =
    /\b(?:margin|padding|border|scroll-margin)-(?:left|right)|\b(?:text-align|float): (?:left|right)\b|^\s*(?:left|right):/gm;
  const inCode =
    /\b(?:margin|padding|border)(?:Left|Right)\b|\b(?:ml|mr|pl|pr)=|\bta="(?:left|right)"|\b(?:textAlign|float): "(?:left|right)"/g;
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  return files.flatMap((name) => {
    const pattern = name.endsWith(".css") ? inStyles : /\.tsx$/.test(name) ? inCode : undefined;
    if (pattern === undefined) return [];
    return (readFileSync(join(source, name), "utf8").match(pattern) ?? []).map((style) => `${name}: ${style.trim()}`);
  });
}

const partPattern = /lazyPart\(\s*"([\w/]+)",\s*\(\) => import\("([^"]+)"\)/g;

/** The parts that a page loads on use, with the texts that they load. */
function partsFrom(start: string): { source: string; texts: readonly string[] }[] {
  return [...modulesFrom(start)].flatMap((module) =>
    [...readFileSync(module, "utf8").matchAll(partPattern)].map(([, name = "", path = ""]) => ({
      source: relative(source, join(module, "..", path)),
      texts: textsOf[name as keyof typeof textsOf],
    })),
  );
}

/** The files of texts that a module and all that it imports use, immediately or later, without the router's pages. */
function filesUsedFrom(start: string, except: string[] = []): string[] {
  const key = new RegExp(`["\`](${Object.keys(en).join("|")})\\.[\\w$]`, "g");
  const used = new Set<string>();
  for (const module of modulesFrom(start, except)) {
    const text = readFileSync(module, "utf8");
    for (const [, file] of text.matchAll(key)) used.add(file as string);
    // participants/participant-gate.tsx asks for whom its reader acts in the words of the page's area.
    for (const [, area] of text.matchAll(/<ParticipantGate kind="(\w+)"/g)) used.add(area as string);
  }
  return [...used].sort();
}

/** A module and all that it imports, immediately or later, without the router's pages and the parts that load their texts themselves. */
function modulesFrom(start: string, except: string[] = []): Set<string> {
  const reached = new Set([join(source, start)]);
  for (const module of reached) {
    const text = readFileSync(module, "utf8");
    const parts = [...text.matchAll(partPattern)].map(([, , path]) => path);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      const next = join(module, "..", fileName);
      const isOurs = next.startsWith(source) && /\.tsx?$/.test(next) && !/\/(routes|pages)\.tsx?$/.test(next);
      if (isOurs && !parts.includes(fileName) && !except.includes(relative(source, next))) reached.add(next);
    }
  }
  return reached;
}

/** Attributes that are shown or read out. */
const spoken = new Set(["label", "title", "placeholder", "aria-label", "description", "alt"]);
/** Words that are the same in every language: names of formats, fields, codes, signs. */
const universal = /^([^\p{L}]*|ZMB|XLSX|JSON|CSV.*|did[:,].*|hk_.*|0x.*)$/u;

/** Whether a text is shown because an expression between tags gives it, such as in `{isOpen ? "Open" : "Closed"}`. */
function isShown(node: ts.Node): node is ts.StringLiteral | ts.NoSubstitutionTemplateLiteral {
  if (!ts.isStringLiteral(node) && !ts.isNoSubstitutionTemplateLiteral(node)) return false;
  let outer: ts.Node = node;
  const isBranch = ({ parent }: ts.Node) =>
    ts.isParenthesizedExpression(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== outer) ||
    (ts.isBinaryExpression(parent) &&
      parent.right === outer &&
      /^(&&|\|\||\?\?)$/.test(parent.operatorToken.getText()));
  while (isBranch(outer)) outer = outer.parent;
  return ts.isJsxExpression(outer.parent) && !ts.isJsxAttribute(outer.parent.parent);
}

/** Texts for users in components, as `file: text`. */
function literals(): string[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".tsx") && !name.includes(".test."),
  );
  return files.flatMap((name) => {
    const text = readFileSync(join(source, name), "utf8");
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
    const found: string[] = [];
    const visit = (node: ts.Node) => {
      if (isShown(node) && !universal.test(node.text.trim()) && /\p{Lu}|\s/u.test(node.text))
        found.push(`${name}: ${node.text.trim()}`);
      if (ts.isJsxText(node) && !universal.test(node.text.trim())) found.push(`${name}: ${node.text.trim()}`);
      if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer !== undefined) {
        const value = node.initializer;
        if (ts.isStringLiteral(value) && !universal.test(value.text)) found.push(`${name}: ${value.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}
