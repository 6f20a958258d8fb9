// Ponder loads the indexer's files through Vite's development server, which transforms each of them at every start and stays in
// memory. Node runs TypeScript directly and caches its compiled form, so here Node loads them. This module replaces the parts of
// Vite that Ponder imports, and provides Ponder's virtual modules.
//
// Ponder also opens an embedded database twice, first to see whether it can. Here both get one PGlite, so PostgreSQL starts once.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const importsVite = /\/ponder\/dist\/esm\/build\/index\.js$/;
const isVite = /^vite(-node\/.*|-tsconfig-paths)?$/;
const isVirtual = /^ponder:/;
const opensDatabase = /\/ponder\/dist\/esm\/(build|database)\/index\.js$/;
const onePglite = "ponder:one-pglite";

/** Ponder's plugin returns the source of a virtual module, such as `ponder:registry`. */
let loadVirtual;
let rootUrl = import.meta.url;
let pgliteUrl;

/** Replaces Ponder's `createPglite`. The first close is that of Ponder's check, before the second opening. */
const onePgliteModule = () => `import { createPglite as open } from "${pgliteUrl}";
export * from "${pgliteUrl}";
let database;
export function createPglite(options) {
  if (database !== undefined) return database;
  database = open(options);
  database.close = async () => {
    delete database.close;
  };
  return database;
}
`;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = "" } = context;
    if (isVite.test(specifier) && importsVite.test(parentURL)) return { url: import.meta.url, shortCircuit: true };
    if (specifier === "../utils/pglite.js" && opensDatabase.test(parentURL)) {
      pgliteUrl = new URL(specifier, parentURL).href;
      return { url: onePglite, format: "module", shortCircuit: true };
    }
    if (isVirtual.test(specifier)) return { url: specifier, format: "module", shortCircuit: true };
    if (!isVirtual.test(parentURL)) return next(specifier, context);
    const name = specifier.startsWith("/") ? pathToFileURL(specifier).href : specifier;
    return next(name, { ...context, parentURL: rootUrl });
  },
  load(url, context, next) {
    if (!isVirtual.test(url)) return next(url, context);
    const source = url === onePglite ? onePgliteModule() : loadVirtual(url);
    return { format: "module", source, shortCircuit: true };
  },
});

export async function createServer({ root, plugins }) {
  loadVirtual = plugins.find((plugin) => plugin?.name === "ponder").load;
  rootUrl = pathToFileURL(`${root}/`).href;
  return { config: { root }, pluginContainer: { buildStart: async () => {} }, close: async () => {} };
}

export class ViteNodeServer {}

export class ViteNodeRunner {
  executeFile = (path) => import(pathToFileURL(path).href);
  executeId = (id) => import(id);
}

// No source maps or other paths are needed: Node runs the files themselves.
export const installSourcemapsSupport = () => {};
export const normalizeModuleId = (id) => id;
export const toFilePath = (path) => ({ path });
export default () => undefined;
