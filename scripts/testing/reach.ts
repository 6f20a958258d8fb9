import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";

const code = new Set([".ts", ".tsx", ".mjs", ".cjs", ".cts", ".sol"]);
/** Files that every program uses. */
export const everywhere = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "scripts/launch.cjs",
  "scripts/quick-resolve.mjs",
];
/** Users of files that no text names: compiled contracts, and files that Ponder finds by their folder. */
const unnamed = [
  {
    users: /^(scripts\/deploy\/artifacts\.ts|test\/contracts\/.*\.ts)$/,
    used: /^(contracts\/.*\.sol|hardhat\.config\.ts)$/,
  },
  { users: /^indexer\/start\.ts$/, used: /^indexer\/(src|schema)\/|^indexer\/ponder/ },
];

/** Distance of each file that uses a changed file, directly or through others, in steps. */
export type Reach = ReadonlyMap<string, number>;

/**
 * Find the files that use changed ones. A file uses what it imports, and what its text names by a path, such as a program that it
 * starts, a folder of migrations or a document; imports of types do not count. A contract is used by files that read compiled contracts.
 * @param root the project's folder
 * @param files every file of the project, as paths from the root
 */
export function reachOf(root: string, files: readonly string[], changed: readonly string[]): Reach {
  // A deleted file is still named by the files that used it.
  const users = usersOf(root, [...new Set([...files, ...changed])]);
  const reach = new Map(changed.map((file) => [file, 0]));
  // A map's iterator also visits entries that are added meanwhile: nearest first.
  for (const [file, steps] of reach) {
    const next = everywhere.includes(file) ? files : (users.get(file) ?? []);
    for (const user of next) if (!reach.has(user)) reach.set(user, steps + 1);
  }
  return reach;
}

/** Every file that some files use, directly or through others; themselves too. */
export function usedBy(root: string, files: readonly string[], from: readonly string[]): Set<string> {
  const uses = new Map<string, string[]>();
  for (const [used, users] of usersOf(root, files)) {
    for (const user of users) uses.set(user, [...(uses.get(user) ?? []), used]);
  }
  const found = new Set(from);
  // A set's iterator also visits entries that are added meanwhile.
  for (const file of found) for (const used of uses.get(file) ?? []) found.add(used);
  return found;
}

function usersOf(root: string, files: readonly string[]): Map<string, string[]> {
  const known = new Set(files);
  const folders = new Map<string, string[]>();
  for (const file of files) {
    for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
    }
  }
  const users = new Map<string, string[]>();
  for (const file of files.filter((each) => code.has(extname(each)) && existsSync(join(root, each)))) {
    const rules = unnamed.filter((rule) => rule.users.test(file));
    const used = new Set(files.filter((each) => rules.some((rule) => rule.used.test(each))));
    for (const name of namesIn(readFileSync(join(root, file), "utf8"))) {
      for (const path of placesOf(name, file)) {
        if (known.has(path)) used.add(path);
        else for (const each of folders.get(path) ?? []) used.add(each);
      }
    }
    for (const each of used) users.set(each, [...(users.get(each) ?? []), file]);
  }
  return users;
}

/** The strings of a text that may be paths. */
function* namesIn(text: string): Generator<string> {
  const values = text.replace(/^\s*(?:import|export) type [^;]*? from "[^"]*";/gm, "");
  for (const [, name = ""] of values.matchAll(/["'`]([\w@./-]*[\w)-])(?:\?\w+)?["'`]/g)) {
    if (/[./]/.test(name)) yield name;
  }
}

/** Resolve a name in a file: relative to the file, or to the root. A folder's name alone is treated as a word. */
function placesOf(name: string, file: string): string[] {
  if (name.startsWith("@hearth/oracles-client-sdk")) return [`sdk/src/${name.split("/")[2] ?? "index"}.ts`];
  const beside = normalize(join(dirname(file), name));
  if (name.startsWith(".")) return [beside];
  return name.includes("/") ? [normalize(name), beside] : extname(name) === "" ? [] : [beside, normalize(name)];
}
