// Builds web/ into web/dist, which the API serves at /console. Nothing is done when the sources have not changed.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { readOptions } from "./command-options.ts";
import { consoleFolder, hashConsole, isBuilt } from "./console/sources.ts";
import { tryLock } from "./process-lock.cjs";
import { runCommand } from "./run-command.ts";

const help = `node scripts/build-console.ts
Build the console, unless it is built from these sources already.`;

const root = join(import.meta.dirname, "..");
const cache = join(root, "cache");
const compressible = /\.(js|css|html|svg|json|wasm)$/;
/** Brotli's level. The best one makes scripts 7 % smaller than level 9, and takes seconds for maps and WebAssembly. */
const qualityOf = (name: string) => (/\.(js|css|html)$/.test(name) ? 11 : 9);

/** Write a compressed copy of each file, which the server sends to browsers that accept it. */
async function compress(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress);
  const names = await readdir(folder, { recursive: true });
  const compressOne = async (name: string) => {
    const bytes = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: qualityOf(name) };
    await writeFile(join(folder, `${name}.br`), await brotli(bytes, { params }));
  };
  const waiting = names.filter((each) => compressible.test(each));
  const next = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await compressOne(name);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

/** Built in another folder and then moved, so that an incomplete build is never served. */
async function build(): Promise<void> {
  const stamp = hashConsole();
  const folder = join(cache, `console-${process.pid}`);
  const vite = join(root, "web/node_modules/vite/bin/vite.js");
  const { code, output } = await runCommand(process.execPath, [
    vite,
    "build",
    "web",
    "--outDir",
    folder,
    "--emptyOutDir",
    "--logLevel",
    "warn",
  ]);
  if (code !== 0) throw new Error(`The console does not build.\n${output}`);
  await compress(folder);
  await writeFile(join(folder, "sources.sha256"), stamp);
  await rm(`${folder}-old`, { recursive: true, force: true });
  await rename(consoleFolder, `${folder}-old`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(folder, consoleFolder);
  await rm(`${folder}-old`, { recursive: true, force: true });
}

async function main(): Promise<void> {
  await mkdir(cache, { recursive: true });
  while (!isBuilt()) {
    const lock = tryLock(join(cache, "console.lock"));
    if (lock.owner === undefined) {
      try {
        await build();
      } finally {
        lock.release();
      }
      return;
    }
    // Another process is building already, perhaps from the same sources.
    await sleep(200);
  }
}

readOptions(help, {});
await main();
