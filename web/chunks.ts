import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type InlineConfig, minifySync, type Rolldown } from "vite";
import { neededAtOnce, withImports } from "./follow-imports.ts";
import { firstOfAreas } from "./page-sources.ts";

const source = (file: string) => join(import.meta.dirname, "src", file);
/** The two first pages: signing in, and the signed-in console. Which one is needed is known only in the browser. */
const signIn = source("shell/sign-in-page.tsx");
const session = source("shell/signed-in.tsx");
const home = source("shell/home-page.tsx");
/** What another file costs a browser, in bytes: the headers of the response, and some for the time of a request. */
const fileCost = 1_100;
/** What a module adds to a compressed file, compared with its size when it is compressed by itself. */
const shareOfFile = 0.62;
/** How often a page is the first one that a browser loads, compared with a page that is opened later, and with a dialog. */
const weights = { home: 20, firstOfArea: 4, page: 1, other: 0.2 };

/**
 * Group modules into files: one with the code of every first page, one with the signed-in console, and some with what several pages
 * share. Without groups, a first load is seventy files, and each costs headers and a round trip on a slow network. With one file for
 * all, each page loads the code of all others. So modules begin in a file for each set of pages that use them, and two files become
 * one as long as that makes the pages' loads smaller.
 * Which parts of a library a page uses is known only after tree shaking, so a first build that writes nothing finds out.
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
  const entries = [...chunks.values()]
    .filter(({ isDynamicEntry }) => isDynamicEntry)
    .map((chunk) => entryOf(chunk, chunks));
  const ofHome = ofSession.union(
    modulesOf((chunk) => neededAtOnce("shell/home-page.tsx").some((file) => isOf(source(file))(chunk))),
  );
  const names = new Map<string, string>();
  for (const id of first.union(ofSignIn.intersection(ofHome))) names.set(id, "first");
  for (const id of ofSession) if (!names.has(id)) names.set(id, "session");
  const sizes = compressedSizes(chunks);
  for (const id of first.union(ofSignIn.intersection(ofHome))) sizes.delete(id);
  const sets = setsOfUsers(entries, sizes, chunks);
  mergeFiles(sets, entries, (id) => names.has(id)).forEach(({ modules }, index) => {
    for (const id of modules) names.set(id, `shared-${index}`);
  });
  return [{ name: (id) => names.get(id) ?? null, debugName: "shared", includeDependenciesRecursively: false }];
}

type Chunk = Rolldown.OutputChunk;
const isOf = (file: string) => (chunk: Chunk) => chunk.facadeModuleId === file;

/** The modules of these files and of all files that they import. */
function reachable(from: readonly Chunk[], chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  if (from.length === 0) throw new Error("The console's first pages are not where web/chunks.ts expects them.");
  const importsOf = ({ imports }: Chunk) => imports.flatMap((name) => chunks.get(name) ?? []);
  return new Set([...withImports(from, importsOf)].flatMap(({ moduleIds }) => moduleIds));
}

/** Code that `import()` loads: a page, a dialog, texts. */
type Entry = { modules: ReadonlySet<string>; weight: number };

function entryOf(chunk: Chunk, chunks: ReadonlyMap<string, Chunk>): Entry {
  const path = (chunk.facadeModuleId ?? "").replace(source(""), "").replace(/^\//, "");
  const atOnce = [...chunks.values()].filter(({ facadeModuleId }) =>
    neededAtOnce(path).some((file) => source(file) === facadeModuleId),
  );
  return { modules: reachable([chunk, ...atOnce], chunks), weight: weightOf(path) };
}

function weightOf(path: string): number {
  if ([signIn, home].includes(source(path))) return weights.home;
  if (firstOfAreas().some((page) => page.source === path)) return weights.firstOfArea;
  return path.endsWith("-page.tsx") ? weights.page : weights.other;
}

/** What each module adds to a file, in bytes as browsers receive it. */
function compressedSizes(chunks: ReadonlyMap<string, Chunk>): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { modules } of chunks.values()) {
    for (const [id, { code }] of Object.entries(modules)) {
      const minified = minifySync("module.js", code ?? "").code;
      sizes.set(id, brotliCompressSync(minified).length * shareOfFile);
    }
  }
  return sizes;
}

/** Modules that the same entries use. Numbers are the places of entries, and of other sets, in their lists. */
type ModuleSet = { users: ReadonlySet<number>; modules: readonly string[]; size: number; needs: ReadonlySet<number> };

/** Modules by the entries that use them, for those that several use. */
function setsOfUsers(
  entries: readonly Entry[],
  sizes: ReadonlyMap<string, number>,
  chunks: ReadonlyMap<string, Chunk>,
): ModuleSet[] {
  const found = new Map<string, string[]>();
  for (const id of new Set(entries.flatMap(({ modules }) => [...modules]))) {
    const users = entries.flatMap(({ modules }, index) => (modules.has(id) ? [index] : []));
    if (users.length > 1 && sizes.has(id)) found.set(users.join(), [...(found.get(users.join()) ?? []), id]);
  }
  const setOf = new Map([...found.values()].flatMap((modules, index) => modules.map((id) => [id, index] as const)));
  return [...found].map(([users, modules]) => {
    const own = [...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => modules.includes(id)));
    return {
      users: new Set(users.split(",").map(Number)),
      modules,
      size: modules.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
      needs: new Set([...reachable(own, chunks)].flatMap((id) => setOf.get(id) ?? [])),
    };
  });
}

/** What becomes one file. */
type SharedFile = Pick<ModuleSet, "users" | "modules" | "needs">;

/** Join the two files whose joining saves most, as long as one saves anything. Files with a `fixed` module stay as they are. */
function mergeFiles(
  sets: readonly ModuleSet[],
  entries: readonly Entry[],
  isFixed: (id: string) => boolean,
): SharedFile[] {
  const weightOf = (user: number) => entries[user]?.weight ?? 0;
  /** What these users load in addition when they load this file, and all that it imports. */
  const addedBy = ({ needs }: SharedFile, users: ReadonlySet<number>) =>
    [...users].reduce((sum, user) => {
      const missing = [...needs].filter((index) => sets[index]?.users.has(user) === false);
      return sum + weightOf(user) * missing.reduce((size, index) => size + (sets[index]?.size ?? 0), 0);
    }, 0);
  const saving = (a: SharedFile, b: SharedFile) =>
    fileCost * [...a.users.intersection(b.users)].reduce((sum, user) => sum + weightOf(user), 0) -
    addedBy(b, a.users.difference(b.users)) -
    addedBy(a, b.users.difference(a.users));
  const join = (a: SharedFile, b: SharedFile): SharedFile => ({
    users: a.users.union(b.users),
    modules: [...a.modules, ...b.modules],
    needs: a.needs.union(b.needs),
  });
  const files = new Set<SharedFile>(sets.filter(({ modules }) => !modules.some(isFixed)));
  const savings = new Map<SharedFile, Map<SharedFile, number>>();
  const compare = (file: SharedFile, others: Iterable<SharedFile>) =>
    savings.set(file, new Map([...others].map((other) => [other, saving(file, other)])));
  [...files].forEach((file, index, all) => void compare(file, all.slice(index + 1)));
  for (;;) {
    let best: { pair: [SharedFile, SharedFile]; saved: number } | undefined;
    for (const [a, others] of savings)
      for (const [b, saved] of others) if (saved > (best?.saved ?? 0)) best = { pair: [a, b], saved };
    if (best === undefined) return [...files];
    for (const file of best.pair) {
      files.delete(file);
      savings.delete(file);
      for (const others of savings.values()) others.delete(file);
    }
    const joined = join(...best.pair);
    compare(joined, files);
    files.add(joined);
  }
}
