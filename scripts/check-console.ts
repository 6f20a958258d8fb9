// Checks the size of the script that a browser loads first, and of each page, against the budgets.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { withImports as followImports, neededAtOnce, signing } from "../web/follow-imports.ts";
import { firstOfAreas, pageSources } from "../web/page-sources.ts";
import { textSource } from "../web/src/i18n/texts-of.ts";
import { readOptions } from "./command-options.ts";
import { consoleFolder } from "./console/sources.ts";
import { runCommand } from "./run-command.ts";

const help = `node scripts/check-console.ts
Build the console, and compare the size of what a browser fetches with its limits.`;

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[]; isEntry?: boolean };
type Manifest = Record<string, Chunk>;

/**
 * Script in kB (1 000 bytes), as Chromium transfers it: compressed (Brotli), with the headers of each response, and with the texts of
 * one language. Of a first load; and of each page on top of what signing in has loaded. A page that uses the person's key also needs the
 * code that signs with it. `html`: the largest page before any script, with the sign-in, the frame and the page itself in each language,
 * and their styles.
 */
const budgets = { html: 30, firstLoad: 175, page: 86, pageWithKey: 88, areaPage: 200 };
/** Headers of the response to a script, in bytes. `npm run bench:console -- --only load` measures what Chromium transfers. */
const headers = 450;
/** First pages of an area that are still above `areaPage`, and what they may not exceed until they are below it. */
const notYet: Record<string, number> = {
  "files/files-page.tsx": 237,
  "chat/chat-page.tsx": 217,
};

readOptions(help, {});
const { code, output } = await runCommand(process.execPath, ["scripts/build-console.ts"], { atOnce: true });
if (code !== 0) throw new Error(`The console does not build.\n${output}`);
const manifest = JSON.parse(readFileSync(join(consoleFolder, ".vite/manifest.json"), "utf8")) as Manifest;

/** These chunks and all that they import. */
const withImports = (keys: Iterable<string>) => followImports(keys, (key) => manifest[key]?.imports ?? []);

const compressedSize = (file: string | undefined): number => {
  const compressed = join(consoleFolder, `${file}.br`);
  return existsSync(compressed) ? statSync(compressed).size : 0;
};
const sizeOf = (keys: Iterable<string>) =>
  [...keys].reduce((sum, key) => sum + headers + compressedSize(manifest[key]?.file), 0);
const entry = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
/** The manifest's keys are paths below `web`. */
const neededBy = (page: string) => neededAtOnce(page.replace(/^src\//, "")).map((path) => `src/${path}`);
const sources = pageSources();
/** A page's chunk, what it loads in addition, and its texts. */
function partsOf(page: string): string[] {
  const texts = sources.find(({ source }) => `src/${source}` === page)?.texts ?? [];
  const parts = [page, ...neededBy(page), ...texts.map((name) => textSource("en", name))];
  const missing = parts.filter((key) => manifest[key] === undefined);
  if (missing.length > 0) throw new Error(`The build has no ${missing.join(", ")}.`);
  return parts;
}
const home = "src/shell/home-page.tsx";
const withSession = [...entry, "src/i18n/en.ts", "src/shell/signed-in.tsx"];
/** Both kinds of first load: the sign-in, and a return with a session. */
const beginnings = {
  "to sign in": withImports([...entry, "src/i18n/en.ts", ...partsOf("src/shell/sign-in-page.tsx")]),
  "with a session": withImports([...withSession, ...partsOf(home)]),
};
/** After signing in, a browser has both. */
const known = new Set([...beginnings["to sign in"], ...beginnings["with a session"]]);
const kilobytes = (bytes: number) => Number((bytes / 1_000).toFixed(1));
const firstLoads = Object.entries(beginnings).map(([name, chunks]) => ({
  name,
  size: kilobytes(sizeOf(chunks)),
}));
const pages = Object.keys(manifest)
  .filter((key) => /^src\/.*-page\.tsx$/.test(key))
  .map((key) => {
    const parts = partsOf(key);
    return {
      key,
      size: kilobytes(sizeOf([...withImports(parts)].filter((part) => !known.has(part)))),
      whole: kilobytes(sizeOf(withImports([...withSession, ...parts]))),
      limit: neededBy(key).includes(`src/${signing}`) ? budgets.pageWithKey : budgets.page,
    };
  })
  .sort((a, b) => b.size - a.size);

const html = readdirSync(join(consoleFolder, "pages"))
  .filter((name) => name.endsWith(".html"))
  .map((name) => `pages/${name}`)
  .concat("index.html")
  .map((name) => ({ name, size: kilobytes(compressedSize(name)) }))
  .sort((a, b) => b.size - a.size);
for (const { name, size } of html.slice(0, 3))
  console.log(`page before any script, ${name}: ${size} kB (at most ${budgets.html})`);
for (const { name, size } of firstLoads) {
  console.log(`first load ${name}: ${size} kB of script (at most ${budgets.firstLoad})`);
}
for (const { key, size, whole, limit } of pages.slice(0, 8)) {
  console.log(`  ${key}: ${size} kB on top (at most ${limit}); ${whole} kB when it is opened first`);
}
/** Opened first, with a session. */
const areaPages = firstOfAreas().map(({ source }) => ({
  source,
  size: pages.find(({ key }) => key === `src/${source}`)?.whole ?? Number.NaN,
  limit: notYet[source] ?? budgets.areaPage,
}));
for (const { source, size, limit } of areaPages) {
  const aim = limit > budgets.areaPage ? `; the aim is ${budgets.areaPage}` : "";
  console.log(`opened first: src/${source}: ${size} kB (at most ${limit}${aim})`);
}
const areasTooLarge = areaPages.filter(({ size, limit }) => !(size <= limit));
for (const { source, size, limit } of areasTooLarge)
  console.error(`src/${source} has ${size} kB of script when it is opened first; the limit is ${limit}.`);
/** Clearly within the limit: sizes change by a tenth with each build. */
const reached = Object.keys(notYet).filter((source) =>
  areaPages.some((each) => each.source === source && each.size < budgets.areaPage - 1),
);
for (const source of reached) console.error(`src/${source} is within the limit now: take it off the list \`notYet\`.`);
const tooLarge = pages.filter(({ size, limit }) => size > limit);
for (const { key, size, limit } of tooLarge) console.error(`${key} has ${size} kB of script; the limit is ${limit}.`);
const isTooLarge =
  html.some(({ size }) => size > budgets.html) ||
  firstLoads.some(({ size }) => size > budgets.firstLoad) ||
  tooLarge.length > 0 ||
  areasTooLarge.length > 0 ||
  reached.length > 0;
process.exitCode = isTooLarge ? 1 : 0;
