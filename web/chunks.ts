import { join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import { neededAtOnce, withImports } from "./follow-imports.ts";

const source = (file: string) => join(import.meta.dirname, "src", file);
/** The two first pages: signing in, and the signed-in console. Which one is needed is known only in the browser. */
const signIn = source("shell/sign-in-page.tsx");
const session = source("shell/signed-in.tsx");
const home = source("shell/home-page.tsx");
const figures = neededAtOnce("shell/home-page.tsx").map(source);
/** Every page with a table uses the one, every page with a dialog the other. */
const dataTable = source("table/data-table.tsx");
const dialog = source("show/dialog.tsx");
/** What every list to choose from is positioned by, and what every form is. */
const [choices, forms] = ["@floating-ui/react/dist/floating-ui.react.mjs", "@mantine/form/esm/use-form.mjs"];
/** A module that at least this many pages use is probably needed by the next page too. */
const manyPages = 20;
/** The share of a module's pages that have a table, or a dialog, from which other pages mostly do without it. */
const nearlyAll = 0.95;

/**
 * Group modules into files: one with the code of every first page, one for each of the two first pages, two for the figures (what only
 * they use, and what other pages use too), and some with what many pages share: what only pages with a table use, what a few others use
 * too, what dialogs, forms and lists to choose from are made of, and the rest. Without groups, a first load is seventy files, and each
 * costs a round trip on a slow network.
 * Which parts of a library a first page uses is known only after tree shaking, so a first build that writes nothing
 * finds out.
 */
export async function chunkGroups(config: InlineConfig): Promise<Rolldown.CodeSplittingGroup[]> {
  const { output } = (await build({
    ...config,
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    build: { ...config.build, write: false, minify: false },
  })) as Rolldown.RolldownOutput;
  const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])));
  const modulesOf = (test: (chunk: Chunk) => boolean) => reachable([...chunks.values()].filter(test), chunks);
  const first = modulesOf(({ isEntry }) => isEntry);
  const ofSignIn = modulesOf(isOf(signIn));
  const ofSession = modulesOf((chunk) => isOf(session)(chunk) || isOf(home)(chunk));
  const ofHome = ofSession.union(modulesOf((chunk) => figures.some((file) => isOf(file)(chunk))));
  const pages = [...chunks.values()].filter(({ facadeModuleId }) => facadeModuleId?.endsWith("-page.tsx"));
  const ofPages = pages.map((page) => reachable([page], chunks));
  const usersOf = (id: string) => ofPages.filter((modules) => modules.has(id));
  const moduleOf = (path: string) => {
    const found = [...new Set(ofPages.flatMap((modules) => [...modules]))].find((id) => id.endsWith(path));
    if (found === undefined)
      throw new Error(`No page of the console has ${path}, which web/chunks.ts groups modules by.`);
    return found;
  };
  const [choice, form] = [moduleOf(choices), moduleOf(forms)];
  /** The share of the pages with this module that have the other one, too. */
  const shareOf = (other: string, id: string) => {
    const users = usersOf(id);
    return users.filter((modules) => modules.has(other)).length / users.length;
  };
  const beginning = (id: string) => {
    if (first.has(id) || (ofSignIn.has(id) && ofHome.has(id))) return "first";
    if (ofSession.has(id)) return "session";
    const users = usersOf(id).length;
    if (ofHome.has(id)) return users < manyPages ? "home" : "figures";
    if (!ofSignIn.has(id)) return null;
    // The sign-in page is a page, too. It has a form, and nothing to choose from.
    if (users === 1) return "sign-in";
    return users < manyPages ? null : shareOf(form, id) >= nearlyAll ? "forms" : "inputs";
  };
  const ofMany = (id: string) => {
    if (usersOf(id).length < manyPages) return null;
    if (shareOf(dataTable, id) === 1) return "tables";
    if (shareOf(dialog, id) >= nearlyAll) return "dialogs";
    // It is large, so what any page has without it is elsewhere.
    if (shareOf(choice, id) === 1) return "choices";
    if (shareOf(form, id) >= nearlyAll) return "forms";
    return shareOf(dataTable, id) >= nearlyAll ? "lists" : "pages";
  };
  const name = (id: string) => beginning(id) ?? ofMany(id);
  return [{ name, debugName: "shared", includeDependenciesRecursively: false }];
}

type Chunk = Rolldown.OutputChunk;
const isOf = (file: string) => (chunk: Chunk) => chunk.facadeModuleId === file;

/** The modules of these files and of all files that they import. */
function reachable(from: readonly Chunk[], chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  if (from.length === 0) throw new Error("The console's first pages are not where web/chunks.ts expects them.");
  const importsOf = ({ imports }: Chunk) => imports.flatMap((name) => chunks.get(name) ?? []);
  return new Set([...withImports(from, importsOf)].flatMap(({ moduleIds }) => moduleIds));
}
