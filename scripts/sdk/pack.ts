import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "tsdown";
import config from "../../sdk/tsdown.config.ts";

const run = promisify(execFile);
const sdk = fileURLToPath(new URL("../../sdk", import.meta.url));

/** Which React and zod stand beside the package: the folder of node_modules that holds them. */
export const peers = {
  "react 19, zod 4": fileURLToPath(new URL("../../node_modules", import.meta.url)),
  "react 18, zod 3": fileURLToPath(new URL("../../test/react-18/node_modules", import.meta.url)),
};

export type PackedSdk = {
  /** What would be published. */
  tarball: string;
  /** Paths in it, sorted. */
  files: string[];
  /** A new project with the package installed beside these peers; its folder. */
  install: (pair: keyof typeof peers) => Promise<string>;
  close: () => Promise<void>;
};

/** Build the SDK and pack it as `npm publish` would, in a folder of its own that `close` removes. */
export async function packSdk(): Promise<PackedSdk> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-sdk-"));
  const source = join(folder, "source");
  await mkdir(source);
  for (const name of ["package.json", "README.md", "LICENSE"]) await cp(join(sdk, name), join(source, name));
  await build({ ...config, config: false, cwd: sdk, outDir: join(source, "dist"), logLevel: "warn" });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: source });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const tarball = join(folder, packed.filename);
  return {
    tarball,
    files: packed.files.map(({ path }) => path).sort(),
    install: async (pair) => install(tarball, await mkdtemp(join(folder, "project-")), peers[pair]),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The package unpacked, and beside it what it says that it needs and nothing else. */
async function install(tarball: string, project: string, peerFolder: string): Promise<string> {
  const modules = join(project, "node_modules");
  const own = join(modules, "@hearth", "oracles-client-sdk");
  await mkdir(own, { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", own]);
  const { dependencies } = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const link = async (name: string, from: string) => {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(from, name), join(modules, name));
  };
  for (const name of Object.keys(dependencies)) await link(name, peers["react 19, zod 4"]);
  for (const name of ["react", "react-dom", "zod", "@types/react", "@types/react-dom"]) await link(name, peerFolder);
  return project;
}
