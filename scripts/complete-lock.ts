// npm drops an optional platform package from package-lock.json when the registry in use lacks it, and `npm ci` then
// refuses that lock. This adds the dropped ones again, each with the platform in its name, so that every machine installs from
// the same lock. `node scripts/complete-lock.ts` repairs the file after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "./command-options.ts";

const help = `node scripts/complete-lock.ts [--check]
Add the platform packages that package-lock.json lacks. --check writes nothing and fails when one is missing.`;

type LockEntry = {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
export type PackageLock = { packages: Record<string, LockEntry> };

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32", "aix"];
const PROCESSORS: Record<string, string> = { amd64: "x64", x64: "x64", arm64: "arm64", arm: "arm", ia32: "ia32" };
for (const name of ["loong64", "mips64el", "ppc64", "riscv64", "s390x"]) PROCESSORS[name] = name;

/** The platform in a package name such as `@rollup/rollup-linux-arm64-musl`; undefined when it names none. */
export function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> | undefined {
  const words = name.split(/[-/]/);
  const system = words.find((word) => SYSTEMS.includes(word));
  const processor = words.map((word) => PROCESSORS[word]).find((word) => word !== undefined);
  if (system === undefined || processor === undefined) return undefined;
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : words.includes("gnu") ? ["glibc"] : undefined;
  return { cpu: [processor], ...(system === "linux" && libc !== undefined ? { libc } : {}), os: [system] };
}

function isResolved(lock: PackageLock, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("node_modules/") - 1, 0))) {
    if (lock.packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === "") return false;
  }
}

/** Adds what is missing to the lock and returns the paths that it added. */
export function completeLock(lock: PackageLock): string[] {
  const added: string[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = platformOf(name);
      if (isResolved(lock, path, name) || platform === undefined || !/^\d/.test(version)) continue;
      const place = `${path.slice(0, path.lastIndexOf("node_modules/"))}node_modules/${name}`;
      const { os, ...rest } = platform;
      // Keys in npm's own order, so that the next `npm install` leaves them alone.
      lock.packages[place] = { version, ...rest, ...(entry.dev ? { dev: true } : {}), optional: true, os };
      added.push(place);
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  lock.packages = Object.fromEntries(sorted);
  return added;
}

if (import.meta.main) {
  const { check: isCheck } = readOptions(help, { check: { type: "boolean", default: false } });
  const file = join(import.meta.dirname, "..", "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8")) as PackageLock;
  const added = completeLock(lock);
  if (added.length > 0 && isCheck) {
    console.error(`package-lock.json lacks ${added.join(", ")}: run node scripts/complete-lock.ts`);
    process.exitCode = 1;
  } else if (added.length > 0) {
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
    console.log(`added to package-lock.json: ${added.join(", ")}`);
  }
}
