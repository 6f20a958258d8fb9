import { type Command, InvalidArgumentError } from "commander";
import type { BatchResult } from "../../api/files/deps.ts";
import type { FileMetadata, VersionEntry, VersionList } from "../../api/files/records/file-metadata.ts";
import { UsageError } from "./client.ts";
import { fileLine, shownPath, versionLine } from "./lines.ts";
import { type Session, withSession } from "./session.ts";

const wholeNumber = (text: string) => {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
};

/** Edit, move, trash, restore, purge; versions; marks. */
export function changingCommands(program: Command): void {
  organising(program);
  history(program);
  marks(program);
}

function organising(program: Command): void {
  program
    .command("edit <path> <old> <new>")
    .description("Replace a passage of a text file, which must occur once, as a new version")
    .option("--every", "replace every occurrence")
    .action(
      withSession(async (session, path: string, oldString: string, newString: string, options: { every?: boolean }) => {
        const client = await session.client();
        const { id } = await client.find(path);
        const json = { oldString, newString, ...(options.every ? { replaceAll: true } : {}) };
        const edited = await client.json<FileMetadata>("PATCH", `/files/${id}/edit`, { json });
        session.print(edited, fileLine(edited));
      }),
    );
  program
    .command("mv <from> <to>")
    .description("Move or rename a file; its history goes along")
    .action(
      withSession(async (session, from: string, to: string) => {
        const client = await session.client();
        const { id, name, version } = await client.find(from);
        const destinationPath = to.endsWith("/") ? `${to}${name}` : to;
        await batch(session, "/batch/move", { items: [{ id, destinationPath, version }] }, "Moved to");
      }),
    );
  program
    .command("rm <paths...>")
    .description("Put files into the trash")
    .action(
      withSession(async (session, paths: string[]) => {
        const client = await session.client();
        const files = await Promise.all(paths.map((path) => client.find(path)));
        await batch(session, "/batch/delete", { ids: files.map(({ id }) => id) }, "Trashed");
      }),
    );
  program
    .command("restore <paths...>")
    .description("Take files out of the trash")
    .action(
      withSession(async (session, paths: string[]) => {
        const client = await session.client();
        const files = await Promise.all(paths.map((path) => client.findTrashed(path)));
        await batch(session, "/batch/restore", { ids: files.map(({ id }) => id) }, "Restored");
      }),
    );
  program
    .command("purge <paths...>")
    .description("Destroy trashed files (--live: files that are not), their history and keys, permanently")
    .option("--live", "files that are not in the trash")
    .option("--yes", "you are sure")
    .action(
      withSession(async (session, paths: string[], { live, yes }: { live?: boolean; yes?: boolean }) => {
        if (!yes) throw new UsageError("Purged files cannot be recovered. Add --yes to continue.");
        const client = await session.client();
        const files = await Promise.all(paths.map((path) => (live ? client.find(path) : client.findTrashed(path))));
        await batch(session, "/batch/purge", { ids: files.map(({ id }) => id) }, "Purged");
      }),
    );
}

/** @throws UsageError for items that failed, after every item's outcome was shown */
async function batch(session: Session, route: string, json: unknown, done: string): Promise<void> {
  const answer = await (await session.client()).json<BatchResult>("POST", route, { json });
  const lines = answer.results.map((item) =>
    item.ok ? `${done} ${shownPath(item.path ?? item.id)}` : `${item.id}: ${item.error} (${item.code})`,
  );
  session.print(answer, lines);
  if (answer.failed > 0) process.exitCode = 1;
}

function history(program: Command): void {
  program
    .command("versions <path>")
    .description("List the retained versions of a file")
    .action(
      withSession(async (session, path: string) => {
        const client = await session.client();
        const versions = await client.json<VersionList>("GET", `/files/${(await client.find(path)).id}/versions`);
        session.print(versions, versions.versions.map(versionLine));
      }),
    );
  program
    .command("restore-version <path>")
    .argument("<version>", "as `versions` lists it", wholeNumber)
    .description("Make an earlier version the current one, as a new version")
    .action(
      withSession(async (session, path: string, version: number) => {
        const client = await session.client();
        const { id } = await client.find(path);
        const file = await client.json<FileMetadata>("POST", `/files/${id}/versions/${version}/restore`);
        session.print(file, fileLine(file));
      }),
    );
  program
    .command("diff <path>")
    .argument("<from>", "a version", wholeNumber)
    .argument("[to]", "another one; the current one when absent", wholeNumber)
    .description("Compare two versions")
    .action(
      withSession(async (session, path: string, from: number, to: number | undefined) => {
        const client = await session.client();
        const { id, version } = await client.find(path);
        const query = { from, to: to ?? version };
        const diff = await client.json<{ diff: string }>("GET", `/files/${id}/versions/diff`, { query });
        session.print(diff, diff.diff.trimEnd());
      }),
    );
  program
    .command("label <path>")
    .argument("<version>", "as `versions` lists it", wholeNumber)
    .argument("[label]", "its name")
    .option("--pin", "keep it from being pruned")
    .option("--unpin", "no longer")
    .description("Name a version, or pin it")
    .action(
      withSession(
        async (session, path: string, version: number, label: string | undefined, options: Record<string, boolean>) => {
          const client = await session.client();
          const { id } = await client.find(path);
          const pinned = options.pin ? true : options.unpin ? false : undefined;
          const json = { ...(label === undefined ? {} : { label }), ...(pinned === undefined ? {} : { pinned }) };
          const entry = await client.json<VersionEntry>("PUT", `/files/${id}/versions/${version}/label`, { json });
          session.print(entry, versionLine(entry));
        },
      ),
    );
  program
    .command("prune <path>")
    .requiredOption("--keep <count>", "how many of the newest versions stay", wholeNumber)
    .description("Destroy older versions that are not pinned (only the owner)")
    .action(
      withSession(async (session, path: string, { keep }: { keep: number }) => {
        const client = await session.client();
        const { id } = await client.find(path);
        type Pruned = { count: number; pruned: number[] };
        const pruned = await client.json<Pruned>("POST", `/files/${id}/versions/prune`, { json: { keep } });
        session.print(pruned, `Pruned ${pruned.pruned.length} versions, ${pruned.count} are left`);
      }),
    );
}

function marks(program: Command): void {
  const mark = (name: string, field: "hidden" | "public", value: boolean, description: string) =>
    program
      .command(`${name} <path>`)
      .description(`${description}; a folder when the path ends with /`)
      .action(withSession((session, path: string) => setMark(session, path, field, value)));
  mark("hide", "hidden", true, "Hide a file from tokens that do not reveal it");
  mark("unhide", "hidden", false, "Take a file's hidden mark away (with --reveal)");
  mark("publish", "public", true, "Let anyone read a file's current version without a token");
  mark("unpublish", "public", false, "Take a file's public mark away");
}

async function setMark(session: Session, path: string, field: "hidden" | "public", value: boolean): Promise<void> {
  const client = await session.client();
  if (path.endsWith("/")) {
    const folder = path === "/" ? path : path.slice(0, -1);
    const marked = await client.json("PUT", `/folders/${field}`, { json: { path: folder, [field]: value } });
    return session.print(marked, `${path} ${field}: ${value}`);
  }
  const { id } = await client.find(path);
  const file = await client.json<FileMetadata>("PATCH", `/files/${id}/${field}`, { json: { [field]: value } });
  session.print(file, [fileLine(file), ...(file.publicUrl === undefined ? [] : [file.publicUrl])]);
}
