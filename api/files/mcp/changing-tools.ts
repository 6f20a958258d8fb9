import { getMimeType } from "hono/utils/mime";
import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { readFile } from "../read/read-file.ts";
import { onlyItem } from "../records/batch-result.ts";
import { findFile } from "../records/find-file.ts";
import { setFileHidden, setFilePublic } from "../tree/marks/mark-file.ts";
import { moveFiles } from "../tree/moving/move-files.ts";
import { restoreFile, trashFile } from "../tree/moving/trash-files.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { editFile } from "../write/edit-file.ts";
import { putFile } from "../write/put-file.ts";
import * as fields from "./fields.ts";
import { defineTool, type Tool } from "./tool.ts";

const encoding = z.enum(["utf8", "base64"]);
type Encoding = z.output<typeof encoding>;

/** Largest file that vfs_write accepts, in bytes. */
export const maxWrittenBytes = 16 * 1024 ** 2;

const write = defineTool({
  name: "vfs_write",
  title: "Write a file",
  description:
    "Create a file, or write a new version of the one at the path; earlier versions are kept (at most 50, including the current one). Writing the same bytes again changes nothing. Parent folders need not exist.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: true,
  input: z.strictObject({
    path: fields.filePath,
    content: z.string().describe("The whole content, at most 16 MiB."),
    encoding: encoding.default("utf8").describe("`base64` for bytes that are not text."),
  }),
  content: "content",
  run: (ctx, { path, content, encoding }) =>
    putFile(ctx, { path, mimeType: mimeTypeOf(path, encoding), content: decode(content, encoding) }),
});

const edit = defineTool({
  name: "vfs_edit",
  title: "Edit a file",
  description:
    "Replace `oldString` by `newString` in a text file, as a new version. `oldString` must occur exactly once unless `replaceAll`; leave out the line numbers that vfs_read shows.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: false,
  input: z.strictObject({
    path: fields.filePath,
    oldString: z.string().min(1),
    newString: z.string(),
    replaceAll: z.boolean().optional(),
  }),
  run: (ctx, { path, oldString, newString, replaceAll = false }) =>
    editFile(ctx, { ref: { path }, oldString, newString, replaceAll }),
});

const move = defineTool({
  name: "vfs_move",
  title: "Move or rename a file",
  description: "Move a file to a free path. Its history and marks move with it.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: false,
  input: z.strictObject({ path: fields.filePath, destinationPath: fields.destinationPath }),
  run: async (ctx, { path, destinationPath }) => {
    const { id } = await findFile(ctx, "fs/write", { path });
    onlyItem(await moveFiles(ctx, { items: [{ id, destinationPath }] }));
    return await readFile(ctx, { ref: { id } });
  },
});

const remove = defineTool({
  name: "vfs_delete",
  title: "Delete a file",
  description: "Put a file into the trash with its whole history; vfs_restore brings it back.",
  needs: "fs/delete",
  changes: true,
  destroys: true,
  repeatable: false,
  input: z.strictObject({ path: fields.filePath }),
  run: trashFile,
});

const restore = defineTool({
  name: "vfs_restore",
  title: "Restore a deleted file",
  description: "Take the file that was deleted last at a path out of the trash, with its whole history.",
  needs: "fs/delete",
  changes: true,
  destroys: false,
  repeatable: false,
  input: z.strictObject({ path: fields.filePath }),
  run: restoreFile,
});

const revert = defineTool({
  name: "vfs_restore_version",
  title: "Restore a version",
  description:
    "Make an earlier version's content the current one, as a new version. Nothing is lost: the current one becomes history.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: false,
  input: z.strictObject({ path: fields.filePath, version: fields.version }),
  run: async (ctx, { path, version }) => (await restoreVersion(ctx, { ref: { path }, version })).file,
});

const hide = defineTool({
  name: "vfs_set_hidden",
  title: "Hide a file",
  description: "Hide a file from every token that does not reveal hidden files (perhaps yours too), or unhide it.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: true,
  input: z.strictObject({ path: fields.filePath, hidden: z.boolean() }),
  run: (ctx, { path, hidden }) => setFileHidden(ctx, { ref: { path }, hidden }),
});

const publish = defineTool({
  name: "vfs_set_public",
  title: "Publish a file",
  description:
    "Make the current version of a file readable without a token, at its `publicUrl`, or make it private again. History is never public.",
  needs: "fs/write",
  changes: true,
  destroys: false,
  repeatable: true,
  input: z.strictObject({ path: fields.filePath, public: z.boolean() }),
  run: (ctx: FileContext, input) => setFilePublic(ctx, { ref: { path: input.path }, public: input.public }),
});

export const changingTools: readonly Tool[] = [write, edit, move, remove, restore, revert, hide, publish];

function mimeTypeOf(path: string, encoding: Encoding): string {
  return getMimeType(path) ?? (encoding === "utf8" ? "text/plain; charset=utf-8" : "application/octet-stream");
}

/** @throws AppError INVALID_INPUT; TOO_LARGE for more than 16 MiB */
function decode(content: string, encoding: Encoding): Uint8Array {
  if (encoding === "base64" && !isBase64(content)) {
    throw malformed("base64", "`content` must be base64 in the standard alphabet, without spaces.");
  }
  if (!content.isWellFormed()) throw malformed("text", "`content` holds an unpaired surrogate.");
  const bytes = Buffer.from(content, encoding);
  if (bytes.byteLength <= maxWrittenBytes) return bytes;
  const message = `vfs_write takes at most ${maxWrittenBytes} bytes; upload larger files over HTTP.`;
  throw new AppError("TOO_LARGE", message, { details: [{ path: "content", rule: "content-size", message }] });
}

/** A regular expression would overflow the stack at a few megabytes. */
function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  const fits = padding === 0 ? digits % 4 !== 1 : digits % 4 === 4 - padding;
  return fits && !/[^A-Za-z0-9+/]/.test(text.slice(0, digits));
}

function malformed(rule: string, message: string): AppError {
  return new AppError("INVALID_INPUT", message, { details: [{ path: "content", rule, message }] });
}
