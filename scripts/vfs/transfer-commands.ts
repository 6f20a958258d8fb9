import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { Command } from "commander";
import type { FileMetadata } from "../../api/files/records/file-metadata.ts";
import { makeControlsVisible } from "../../api/platform/ucan/paths.ts";
import { UsageError } from "./client.ts";
import { download } from "./download.ts";
import { fileLine } from "./lines.ts";
import { type Session, withSession } from "./session.ts";
import { upload } from "./upload.ts";

/** Bytes to the server and back. */
export function transferCommands(program: Command): void {
  program
    .command("put <source> [path]")
    .description("Upload a file, a folder with -r, or - for standard input; an existing file gets a new version")
    .option("-r, --recursive", "the source is a folder")
    .option("--type <type>", "media type")
    .action(
      withSession((session, source: string, path: string | undefined, options: PutOptions) =>
        put(session, source, path, options),
      ),
    );
  program
    .command("get <path> [target]")
    .description("Download a file, or a folder with -r; repeat it after an interruption to continue")
    .option("-r, --recursive", "the path is a folder")
    .option("--version <number>", "a retained version")
    .action(
      withSession((session, path: string, target: string | undefined, options: GetOptions) =>
        get(session, path, target, options),
      ),
    );
  program
    .command("cat <path>")
    .description("Write a file to standard output")
    .option("--version <number>", "a retained version")
    .action(
      withSession(async (session, path: string, { version }: GetOptions) => {
        await download(session, await routeOf(session, path, version), "-");
      }),
    );
  program
    .command("cid <cid> [target]")
    .description("Download by CID, current or retained; to standard output when no target is given")
    .action(
      withSession(async (session, cid: string, target = "-") => {
        await download(session, { path: `/cid/${encodeURIComponent(cid)}` }, target as string);
      }),
    );
  program
    .command("zip <path> <target>")
    .description("Download a folder as a zip")
    .action(
      withSession(async (session, path: string, target: string) => {
        await download(session, { path: "/folder/download", query: { path }, whole: true }, target);
      }),
    );
}

type PutOptions = { recursive?: boolean; type?: string };
type GetOptions = { recursive?: boolean; version?: string };

async function put(session: Session, source: string, path: string | undefined, options: PutOptions): Promise<void> {
  if (source === "-") {
    if (path === undefined) throw new UsageError("Say the path that standard input is to be written to.");
    const file = await upload(session, source, path, options.type);
    return session.print(file, fileLine(file));
  }
  const about = await stat(source).catch(() => undefined);
  if (about === undefined) throw new UsageError(`There is no ${source} here.`);
  if (!about.isDirectory()) {
    const file = await upload(session, source, targetOf(path, source), options.type);
    return session.print(file, fileLine(file));
  }
  if (!options.recursive) throw new UsageError(`${source} is a folder: say -r.`);
  const folder = targetOf(path, source).replace(/\/$/, "");
  const files: FileMetadata[] = [];
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const local = join(entry.parentPath, entry.name);
    const inside = local.slice(join(source).length).split("\\").join("/").replace(/^\/?/, "/");
    files.push(await upload(session, local, `${folder}${inside}`, options.type));
    if (!session.json) session.print(null, fileLine(files.at(-1) as FileMetadata));
  }
  if (session.json) session.print(files, "");
}

/** A path that ends with a slash is a folder to put the source into, under its own name. */
function targetOf(path: string | undefined, source: string): string {
  if (path === undefined) return `/${basename(source)}`;
  return path.endsWith("/") ? `${path}${basename(source)}` : path;
}

async function get(session: Session, path: string, target: string | undefined, options: GetOptions): Promise<void> {
  if (!options.recursive) {
    const place = target ?? basename(path);
    const into = place !== "-" && (await stat(place).catch(() => undefined))?.isDirectory();
    return await download(
      session,
      await routeOf(session, path, options.version),
      into ? join(place, basename(path)) : place,
    );
  }
  const client = await session.client();
  for await (const file of client.items<FileMetadata>("/files", { path })) {
    const inside = file.path.slice(path === "/" ? 1 : path.length + 1);
    const folder = target ?? (path === "/" ? "." : basename(path));
    const local = join(folder, makeControlsVisible(inside === "" ? file.name : inside));
    // An untrusted server could name any path of this machine.
    if (relative(folder, local).split(sep)[0] === "..") throw new UsageError(`${file.path} is outside of ${path}.`);
    await download(session, { path: `/files/${file.id}/content` }, local);
  }
}

async function routeOf(session: Session, path: string, version: string | undefined) {
  if (version === undefined) return { path: "/content", query: { path } };
  const { id } = await (await session.client()).find(path);
  return { path: `/files/${id}/versions/${encodeURIComponent(version)}/content` };
}
