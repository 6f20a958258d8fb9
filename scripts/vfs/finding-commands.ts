import type { Command } from "commander";
import type { FileEventRecord } from "../../api/files/audit/list-events.ts";
import type { FileMetadata } from "../../api/files/records/file-metadata.ts";
import type { GrepMatch } from "../../api/files/search/grep/grep-files.ts";
import type { SearchHit } from "../../api/files/search/search-files.ts";
import type { TreeEntry } from "../../api/files/tree/read-tree.ts";
import { fileLine, formatSize, formatTime, shownPath, treeLines } from "./lines.ts";
import { type Session, withSession } from "./session.ts";

/** Lists, searches, usage, events. */
export function findingCommands(program: Command): void {
  program
    .command("ls [path]")
    .description("List the contents of a folder")
    .option("-r, --recursive", "all files below it")
    .action(
      withSession(async (session, path: string | undefined, { recursive = false }: { recursive?: boolean }) => {
        if (recursive) return await list<FileMetadata>(session, "/files", { path }, fileLine);
        await list<TreeEntry>(session, "/tree", { path }, entryLine);
      }),
    );
  program
    .command("tree [path]")
    .description("Draw the folders and files below a folder")
    .action(
      withSession(async (session, path = "/") => {
        const files = await all<FileMetadata>(session, "/files", { path: path as string });
        const paths = files.map((file) => file.path);
        session.print(paths, treeLines(path as string, paths));
      }),
    );
  program
    .command("glob <pattern>")
    .description("List the files whose paths match, such as '/reports/**/*.csv'")
    .action(withSession((session, pattern: string) => list<FileMetadata>(session, "/glob", { pattern }, fileLine)));
  program
    .command("search <words> [path]")
    .description("Search text files by words")
    .action(
      withSession((session, q: string, path: string | undefined) =>
        list<SearchHit>(session, "/search", { q, path }, ({ file, snippets }) =>
          [shownPath(file.path), ...snippets.map(({ line, text }) => `  ${line}: ${text}`)].join("\n"),
        ),
      ),
    );
  program
    .command("grep <text> [path]")
    .description("Find lines of text files")
    .option("-e, --regex", "the text is an expression in RE2 syntax")
    .option("-i, --ignore-case")
    .option("--glob <pattern>", "only files whose paths match")
    .action(
      withSession((session, q: string, path: string | undefined, options: Record<string, string | boolean>) =>
        list<GrepMatch>(
          session,
          "/grep",
          { q, path, ...options },
          ({ path, line, text }) => `${shownPath(path)}:${line}:${text}`,
        ),
      ),
    );
  program
    .command("trash [path]")
    .description("List trashed files")
    .action(
      withSession((session, path: string | undefined) => list<FileMetadata>(session, "/trash", { path }, fileLine)),
    );
  program
    .command("cids")
    .description("List the CIDs that the token can fetch")
    .action(
      withSession((session) =>
        list<{ cid: string; size: number; path?: string }>(session, "/cids", {}, ({ cid, size, path = "" }) =>
          [cid, formatSize(size).padStart(9), shownPath(path)].join("  ").trimEnd(),
        ),
      ),
    );
  program.command("usage").description("What the namespace holds, and its quota").action(withSession(showUsage));
  program
    .command("events [path]")
    .description("What happened to a file, or to the whole namespace (only for its owner)")
    .action(
      withSession(async (session, path: string | undefined) => {
        const client = await session.client();
        const route = path === undefined ? "/events" : `/files/${(await client.find(path)).id}/events`;
        await list<FileEventRecord>(session, route, {}, eventLine);
      }),
    );
}

async function all<T>(session: Session, path: string, query: Parameters<typeof list>[2]): Promise<T[]> {
  const client = await session.client();
  const items: T[] = [];
  for await (const item of client.items<T>(path, query)) items.push(item);
  return items;
}

async function list<T>(
  session: Session,
  path: string,
  query: Record<string, string | boolean | undefined>,
  line: (item: T) => string,
): Promise<void> {
  const items = await all<T>(session, path, query);
  session.print(items, items.map(line));
}

function entryLine(entry: TreeEntry): string {
  if (entry.kind === "file") return fileLine(entry);
  const count = `${entry.files}${entry.more ? "+" : ""} ${entry.files === 1 ? "file" : "files"}`;
  return `${count.padStart(9)}  ${" ".repeat(16)}  ${" ".repeat(5)}  ${shownPath(entry.path)}/`;
}

function eventLine({ at, kind, version, invoker, runId }: FileEventRecord): string {
  const parts = [formatTime(at), kind.padEnd(16), version === undefined ? "" : `v${version}`, invoker ?? ""];
  return [...parts, ...(runId === undefined ? [] : [`run ${runId}`])].join("  ");
}

async function showUsage(session: Session): Promise<void> {
  type Usage = { bytes: number; files: number; versions: number; quota: number | null };
  const usage = await (await session.client()).json<Usage>("GET", "/usage");
  const { bytes, files, versions, quota } = usage;
  const limit = quota === null ? "no quota" : `quota ${formatSize(quota)}`;
  session.print(usage, `${formatSize(bytes)} in ${files} files and ${versions} versions, ${limit}`);
}
