import { sql } from "drizzle-orm";
import { decodeCursor, toPage } from "../../platform/http/index.ts";
import { ancestorsOf, isDotPath, nameOf, notFound, parseFolder } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { countFiles, type FolderCount } from "./count-files.ts";
import { limitOf, metadataOf, type Page, type PageInput, pathInCursor } from "./pages.ts";
import { type Child, walkChildren } from "./walk-children.ts";

/** A folder that contains something visible to the caller. `files` counts files at all depths; it is a lower bound if `more`. */
export type FolderEntry = FolderCount & {
  kind: "folder";
  path: string;
  name: string;
  hidden: boolean;
  hiddenEffective: boolean;
  public: boolean;
};
export type TreeEntry = FolderEntry | ({ kind: "file" } & FileMetadata);
export type Tree = Page<TreeEntry> & { path: string };

/**
 * List a folder's direct files and folders that the caller may see, sorted by path. @throws AppError NOT_FOUND when nothing is
 * visible there, unless it is `/` or the root of the token's scope; FORBIDDEN; INVALID_INPUT
 */
export async function readTree(ctx: FileContext, input: PageInput & { path?: string | undefined } = {}): Promise<Tree> {
  ctx.access.requireAbility("fs/list");
  const path = parseFolder(input.path ?? "/");
  const limit = limitOf(input);
  const after = childOf(input.cursor);
  const visibility = ctx.access.visibility("fs/list");
  const children = await walkChildren(ctx.deps.db, {
    namespace: ctx.access.grant.owner,
    visibility,
    folder: path,
    limit: limit + 1,
    ...(after === undefined ? {} : { after }),
  });
  const expected = path === "/" || visibility.some(({ prefix }) => prefix === path);
  if (children.length === 0 && after === undefined && !expected) throw notFound();
  const { items, nextCursor } = toPage(children, limit, (child) => [child.path, child.id ?? ""]);
  return { path, items: await describeChildren(ctx, items), nextCursor };
}

function childOf(cursor: string | undefined): Child | undefined {
  const position = decodeCursor(cursor, 2);
  if (position === undefined) return undefined;
  const [path, id] = position.map(String) as [string, string];
  return { path: pathInCursor(path), id: id === "" ? null : id };
}

async function describeChildren(ctx: FileContext, children: readonly Child[]): Promise<TreeEntry[]> {
  const found = children.flatMap(({ id }) => (id === null ? [] : [{ id }]));
  const paths = children.flatMap(({ path, id }) => (id === null ? [path] : []));
  const files = new Map((await metadataOf(ctx, "fs/list", found)).map((file) => [file.id, file]));
  const folders = await describeFolders(ctx, paths);
  return children.flatMap(({ path, id }): TreeEntry[] => {
    if (id === null) return folders.get(path) ?? [];
    const file = files.get(id);
    return file === undefined ? [] : [{ kind: "file", ...file }];
  });
}

async function describeFolders(ctx: FileContext, paths: readonly string[]) {
  const folders = new Map<string, FolderEntry[]>();
  if (paths.length === 0) return folders;
  const { db } = ctx.deps;
  const namespace = ctx.access.grant.owner;
  const counts = await countFiles(db, { namespace, visibility: ctx.access.visibility("fs/list"), folders: paths });
  const concerned = [...new Set(paths.flatMap((path) => [...ancestorsOf(path), path]))];
  const marks = await db.execute<{ path: string; hidden: boolean; public: boolean }>(sql`
    select path, hidden, public from folder_flags
    where namespace = ${namespace} and path = any(${sql.param(concerned)}::text[])`);
  const hidden = new Set(marks.rows.filter((mark) => mark.hidden).map((mark) => mark.path));
  const open = new Set(marks.rows.filter((mark) => mark.public).map((mark) => mark.path));
  for (const path of paths) {
    const chain = [...ancestorsOf(path), path];
    folders.set(path, [
      {
        kind: "folder",
        path,
        name: nameOf(path),
        hidden: hidden.has(path),
        hiddenEffective: isDotPath(path) || chain.some((folder) => hidden.has(folder)),
        public: chain.some((folder) => open.has(folder)),
        ...(counts.get(path) ?? { files: 0, more: false }),
      },
    ]);
  }
  return folders;
}
