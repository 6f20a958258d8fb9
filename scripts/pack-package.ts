import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type UserConfig } from "tsdown";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder of node_modules that holds what this repository installs. */
export const rootModules = join(root, "node_modules");

export type PackedPackage = {
  /** What would be published. */
  tarball: string;
  /** Paths in it, sorted. */
  files: string[];
  /** Make a new project with the package and what it depends on; `links` adds packages from folders. Returns the project's folder. */
  install: (links?: Record<string, string>) => Promise<string>;
  close: () => Promise<void>;
};

/**
 * Build a package of this repository and pack it as `npm publish` would, in a temporary folder that `close` removes.
 * @param repository URL of the repository that publishes it; undefined leaves it out
 */
export async function packPackage(name: string, config: UserConfig, repository?: string): Promise<PackedPackage> {
  const source = join(root, name);
  const folder = await mkdtemp(join(tmpdir(), `hearth-${name}-`));
  const copy = join(folder, "source");
  await mkdir(copy);
  for (const file of ["package.json", "README.md", "LICENSE"]) await cp(join(source, file), join(copy, file));
  if (repository !== undefined) await nameRepository(join(copy, "package.json"), { url: repository, directory: name });
  await build({ ...config, config: false, cwd: source, outDir: join(copy, "dist"), logLevel: "warn" });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const tarball = join(folder, packed.filename);
  return {
    tarball,
    files: packed.files.map(({ path }) => path).sort(),
    install: async (links = {}) => install(tarball, await mkdtemp(join(folder, "project-")), links),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** npm publishes with provenance only what names the repository whose CI publishes it. */
async function nameRepository(file: string, place: { url: string; directory: string }): Promise<void> {
  const manifest = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, `${JSON.stringify({ ...manifest, repository: { type: "git", ...place } }, null, 2)}\n`);
}

type Manifest = { name: string; dependencies: Record<string, string> };

/** Unpack the package, and link its dependencies and nothing else. */
async function install(tarball: string, project: string, links: Record<string, string>): Promise<string> {
  const unpacked = join(project, "unpacked");
  await mkdir(unpacked);
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", unpacked]);
  const { name, dependencies } = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8")) as Manifest;
  const modules = join(project, "node_modules");
  const place = async (path: string) => {
    await mkdir(dirname(join(modules, path)), { recursive: true });
    return join(modules, path);
  };
  await cp(unpacked, await place(name), { recursive: true });
  await rm(unpacked, { recursive: true });
  for (const each of Object.keys(dependencies)) await symlink(join(rootModules, each), await place(each));
  for (const [each, from] of Object.entries(links)) await symlink(join(from, each), await place(each));
  return project;
}
