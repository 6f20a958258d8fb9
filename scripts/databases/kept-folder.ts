import { createHash } from "node:crypto";
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tryLock } from "../process-lock.cjs";

/** A folder that takes seconds to make and always has the same content: it is made once, kept, and copied. */
export type KeptFolder = {
  /** Lower-case letters and hyphens; no name begins with another one and a hyphen. */
  name: string;
  /** From `versionOf`: differs when the content would. Kept folders of the same name and another version are deleted. */
  version: string;
  /** How many of those stay, the newest: for a content that processes use where it is kept. Default: none. */
  others?: number;
  /** Make the content in an empty folder. It must hold no secret and nothing of a user. */
  make: (folder: string) => Promise<void>;
};

/** With the installed packages: `npm ci` deletes it with them. */
const defaultCache = fileURLToPath(new URL("../../node_modules/.cache/hearth", import.meta.url));

/** Errors of a place where nothing can be stored, such as a read-only image. */
const notStorable = new Set<unknown>(["EACCES", "EDQUOT", "ENOSPC", "EPERM", "EROFS"]);
/** How long to wait for another process that makes the same folder. To make it twice is better than to wait for a stopped process. */
const longestWaitMs = 60_000;

/** Identify a content by texts and files that decide it. */
export function versionOf(texts: readonly string[], files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of [...texts, ...files.map((file) => readFileSync(file, "utf8"))]) {
    hash.update(`${text.length}\n`).update(text);
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * Make the folder at the first need, in one process at a time. It gets its name when all its files are on the disk, so a kill or a
 * loss of power leaves no incomplete one.
 * @returns where it is kept, for reading only; undefined where nothing can be stored, or when another process takes too long
 */
export async function keepFolder(kept: KeptFolder, cache = defaultCache): Promise<string | undefined> {
  const folder = join(cache, `${kept.name}-${kept.version}`);
  try {
    for (const until = Date.now() + longestWaitMs; !existsSync(folder); await sleep(100)) {
      const lock = tryLock(join(cache, `${kept.name}.lock`));
      if (lock.release === undefined) {
        if (Date.now() > until) return undefined;
        continue;
      }
      try {
        if (!existsSync(folder)) await makeKept(kept, cache, folder);
      } finally {
        lock.release();
      }
    }
    return folder;
  } catch (error) {
    if (notStorable.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

async function makeKept({ name, make, others = 0 }: KeptFolder, cache: string, folder: string): Promise<void> {
  await removeFrom(cache, (each) => each.startsWith(`${name}.draft-`));
  const draft = await mkdtemp(join(cache, `${name}.draft-`));
  await make(draft);
  await writeToDisk(draft);
  await rename(draft, folder);
  // A reader of another version may be copying it: under another name it notices that before a file is missing.
  const old = (await readdir(cache)).filter((each) => each.startsWith(`${name}-`) && each !== basename(folder));
  const madeAt = (each: string) => statSync(join(cache, each)).mtimeMs;
  for (const each of old.sort((a, b) => madeAt(b) - madeAt(a)).slice(others)) {
    await rename(join(cache, each), join(cache, `${name}.draft-of-${each}`));
  }
  await removeFrom(cache, (each) => each.startsWith(`${name}.draft-`));
}

/** Copy a kept folder's content into an empty folder. Where nothing can be kept, make the content there. */
export async function fillFolder(folder: string, kept: KeptFolder, cache = defaultCache): Promise<void> {
  const source = await keepFolder(kept, cache);
  if (source !== undefined && copyWhole(source, folder)) return;
  await removeFrom(folder, () => true);
  await kept.make(folder);
}

/** @returns false when the source cannot be read, or was deleted meanwhile */
function copyWhole(source: string, folder: string): boolean {
  try {
    copyTree(source, folder);
  } catch (error) {
    if (existsSync(source) && (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    return false;
  }
  return existsSync(source);
}

/**
 * Copy a thousand small files: the synchronous functions take an eighth of the processor time. Not `cpSync`, which ends the process
 * when it cannot open a folder (Node 24).
 */
function copyTree(source: string, target: string): void {
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(to);
      copyTree(from, to);
    } else copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

/**
 * Create a folder that only its owner can open. It gets its name when it is filled: a kill leaves only drafts next to it, which the
 * next call deletes. A process that a killed start left running may still be writing there. The caller must hold the folder's lock.
 */
export async function placeFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const prefix = `${basename(folder)}.draft-`;
  await removeFrom(dirname(folder), (name) => name.startsWith(prefix));
  const draft = await mkdtemp(join(dirname(folder), prefix));
  await fill(draft);
  await rename(draft, folder);
}

async function removeFrom(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  for (const name of (await readdir(folder)).filter(isWanted)) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Wait until the disk has all files and folders. */
async function writeToDisk(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))].values();
  const lane = async () => {
    for (const path of paths) {
      const handle = await open(path, "r");
      await handle.sync().finally(() => handle.close());
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}
