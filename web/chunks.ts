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
/** A module that at least this many pages use is probably needed by the next page too. */
const manyPages = 20;
/** The share of a module's pages that have a table, or a dialog, from which other pages mostly do without it. */
const nearlyAll = 0.95;

/**
 * Group modules into files: one with the code of every first page, one for each of the two first pages, one for the figures, one with
 * what signing in shares with other pages, and some with what else many pages share: what only pages with a table use, what a few
 * others use too, what dialogs are made of, and the rest. Without groups, a first load is seventy files, and each costs a round trip
 * on a slow network.
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
  const beginning = (id: string) => {
    if (first.has(id) || (ofSignIn.has(id) && ofHome.has(id))) return "first";
    if (ofSession.has(id)) return "session";
    if (ofHome.has(id)) return "home";
    if (!ofSignIn.has(id)) return null;
    // The sign-in page is a page, too.
    return usersOf(id).length > 1 ? "forms" : "sign-in";
  };
  const ofMany = (id: string) => {
    const users = usersOf(id);
    if (users.length < manyPages) return null;
    const shareWith = (other: string) => users.filter((modules) => modules.has(other)).length / users.length;
    if (shareWith(dataTable) === 1) return "tables";
    if (shareWith(dialog) >= nearlyAll) return "dialogs";
    return shareWith(dataTable) >= nearlyAll ? "lists" : "pages";
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
