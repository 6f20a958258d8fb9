import { join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";

const source = (file: string) => join(import.meta.dirname, "src", file);
/** The two first pages: signing in, and the signed-in console. Which one is needed is known only in the browser. */
const signIn = source("shell/sign-in-page.tsx");
const session = source("shell/signed-in.tsx");
const home = source("shell/home-page.tsx");
/** A module that at least this many pages use is probably needed by the next page too. */
const manyPages = 20;

/**
 * Group modules into files: one with the code of every first page, one for each of the two first pages, and one with
 * the code that many pages share. Without groups, a first load is seventy files, and each costs a round trip on a slow
 * network.
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
  const beginning = (id: string) => {
    if (first.has(id) || (ofSignIn.has(id) && ofSession.has(id))) return "first";
    if (ofSession.has(id)) return "session";
    return ofSignIn.has(id) ? "sign-in" : null;
  };
  const pages = [...chunks.values()].filter(({ facadeModuleId }) => facadeModuleId?.endsWith("-page.tsx"));
  const ofPages = pages.map((page) => reachable([page], chunks));
  const ofMany = (id: string) => (ofPages.filter((modules) => modules.has(id)).length >= manyPages ? "pages" : null);
  const name = (id: string) => beginning(id) ?? ofMany(id);
  return [{ name, debugName: "shared", includeDependenciesRecursively: false }];
}

type Chunk = Rolldown.OutputChunk;
const isOf = (file: string) => (chunk: Chunk) => chunk.facadeModuleId === file;

/** The modules of these files and of all files that they import. */
function reachable(from: readonly Chunk[], chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  if (from.length === 0) throw new Error("The console's first pages are not where web/chunks.ts expects them.");
  const reached = new Set(from);
  // Files added during the loop are visited too.
  for (const { imports } of reached)
    for (const name of imports) if (chunks.has(name)) reached.add(chunks.get(name) as Chunk);
  return new Set([...reached].flatMap(({ moduleIds }) => moduleIds));
}
