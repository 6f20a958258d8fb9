import { join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";

const source = (file: string) => join(import.meta.dirname, "src", file);
/** The two ways to begin, each loaded when it is known which. */
const signIn = source("shell/sign-in-page.tsx");
const session = source("shell/signed-in.tsx");
const home = source("shell/home-page.tsx");
/** What so many pages use, the next one probably does, too. */
const manyPages = 7;

/**
 * Which modules are one file: those of every beginning, those of each of its two ways, and those that many pages share.
 * Left alone, a first load is seventy files, and on a slow network each costs a journey. What a beginning uses of a library is only
 * known when the rest has been shaken off: a first build, which writes nothing, tells.
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

/** Modules of these files and of all that they import. */
function reachable(from: readonly Chunk[], chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  if (from.length === 0) throw new Error("The console's beginnings are not where web/chunks.ts looks for them.");
  const reached = new Set(from);
  // A set goes on to what is put into it meanwhile.
  for (const { imports } of reached)
    for (const name of imports) if (chunks.has(name)) reached.add(chunks.get(name) as Chunk);
  return new Set([...reached].flatMap(({ moduleIds }) => moduleIds));
}
