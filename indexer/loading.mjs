// Ponder loads the indexer's files through Vite's development server, which transforms each of them at every start and stays in
// memory. Node runs TypeScript directly and caches its compiled form, so here Node loads them. This module replaces the parts of
// Vite that Ponder imports, and provides Ponder's virtual modules.
//
// Ponder also opens an embedded database twice, first to see whether it can. Here both get one PGlite, so PostgreSQL starts once.
//
// Ponder guesses which rows the next events will read, and ends when PostgreSQL refuses the query for them, for example because a
// number is too large for the column. Anyone can write such a value on chain. Here no row has a key that its columns cannot hold.
//
// After each block Ponder marks the rows that the block changed, with a statement for each of its tables: fifty, also for a block that
// changed nothing. Here it marks those tables only that the block changed.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const importsVite = /\/ponder\/dist\/esm\/build\/index\.js$/;
const isVite = /^vite(-node\/.*|-tsconfig-paths)?$/;
const isVirtual = /^ponder:/;
const opensDatabase = /\/ponder\/dist\/esm\/(build|database)\/index\.js$/;
const onePglite = "ponder:one-pglite";
const commitsBlocks = /\/ponder\/dist\/esm\/runtime\/omnichain\.js$/;
const changedTables = "ponder:changed-tables";
const usesKeys = /\/ponder\/dist\/esm\/indexing-store\/(cache|profile)\.js$/;
const possibleKeys = "ponder:possible-keys";

/** Ponder's plugin returns the source of a virtual module, such as `ponder:registry`. */
let loadVirtual;
let rootUrl = import.meta.url;
let pgliteUrl;
let actionsUrl;
let keysUrl;

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

/**
 * Replaces Ponder's `commitBlock`, which it calls for each table at the end of a block. Ponder's triggers note the tables with changed rows
 * in `live_query_tables`, a table of the transaction.
 */
const changedTablesModule = () => `import { getTableName } from "drizzle-orm";
import { commitBlock as commit } from "${actionsUrl}";
export * from "${actionsUrl}";
let asked = {};
async function changedIn(transaction, context) {
  const { rows } = await transaction.wrap((tx) => tx.execute("SELECT table_name FROM live_query_tables"), context);
  return new Set(rows.map((row) => row.table_name));
}
export async function commitBlock(transaction, options, context) {
  const { checkpoint, table } = options;
  if (asked.transaction !== transaction || asked.checkpoint !== checkpoint)
    asked = { transaction, checkpoint, changed: changedIn(transaction, context) };
  const changed = await asked.changed;
  if (changed.has(getTableName(table))) await commit(transaction, options, context);
}
`;

/** Replaces the functions with which Ponder's cache and its guesses name a row. */
const possibleKeysModule = () => `import { sql } from "drizzle-orm";
import { canHold } from "${new URL("lib/possible-keys.ts", import.meta.url)}";
import { getCacheKey as cacheKey, getPrimaryKeyCache, getWhereCondition as whereCondition } from "${keysUrl}";
export * from "${keysUrl}";
const isPossible = (columns, key) => columns.every(([name, column]) => canHold(column, key[name]));
export const getCacheKey = (table, key, columns) =>
  isPossible(columns.get(table), key) ? cacheKey(table, key, columns) : "impossible";
export const getWhereCondition = (table, key) =>
  isPossible(getPrimaryKeyCache([table]).get(table), key) ? whereCondition(table, key) : sql\`false\`;
`;

const ownModules = {
  [onePglite]: onePgliteModule,
  [changedTables]: changedTablesModule,
  [possibleKeys]: possibleKeysModule,
};

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = "" } = context;
    if (isVite.test(specifier) && importsVite.test(parentURL)) return { url: import.meta.url, shortCircuit: true };
    if (specifier === "../utils/pglite.js" && opensDatabase.test(parentURL)) {
      pgliteUrl = new URL(specifier, parentURL).href;
      return { url: onePglite, format: "module", shortCircuit: true };
    }
    if (specifier === "../database/actions.js" && commitsBlocks.test(parentURL)) {
      actionsUrl = new URL(specifier, parentURL).href;
      return { url: changedTables, format: "module", shortCircuit: true };
    }
    if (specifier === "./utils.js" && usesKeys.test(parentURL)) {
      keysUrl = new URL(specifier, parentURL).href;
      return { url: possibleKeys, format: "module", shortCircuit: true };
    }
    if (isVirtual.test(specifier)) return { url: specifier, format: "module", shortCircuit: true };
    if (!isVirtual.test(parentURL)) return next(specifier, context);
    const name = specifier.startsWith("/") ? pathToFileURL(specifier).href : specifier;
    return next(name, { ...context, parentURL: rootUrl });
  },
  load(url, context, next) {
    if (!isVirtual.test(url)) return next(url, context);
    const source = ownModules[url]?.() ?? loadVirtual(url);
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
