import { z } from "zod";
import { listCids } from "../read/list-cids.ts";
import { openCid } from "../read/open-cid.ts";
import { openContent } from "../read/open-content.ts";
import { globFiles } from "../search/glob/glob-files.ts";
import { grepFiles } from "../search/grep/grep-files.ts";
import { searchFiles } from "../search/search-files.ts";
import { listFiles } from "../tree/list-files.ts";
import { readTree } from "../tree/read-tree.ts";
import { diffVersions } from "../versions/diff-versions.ts";
import { listVersions } from "../versions/list-versions.ts";
import * as fields from "./fields.ts";
import { serializeContent } from "./serialize-content.ts";
import { defineTool, type Tool } from "./tool.ts";

const list = defineTool({
  name: "vfs_list",
  title: "List files",
  description:
    "List files below a folder in the order of their paths, with size, type, version and CID. `recursive: false` lists the folder's own files and subfolders instead. Page with `nextCursor`.",
  needs: "fs/list",
  changes: false,
  input: z.strictObject({
    path: fields.folderPath,
    recursive: z.boolean().default(true).describe("False: only the files and folders directly in the folder."),
    ...fields.pages,
  }),
  run: (ctx, { recursive, ...input }) => (recursive ? listFiles(ctx, input) : readTree(ctx, input)),
});

const glob = defineTool({
  name: "vfs_glob",
  title: "Find files by path",
  description: "List files whose whole path matches a pattern, such as `/reports/**/*.csv`.",
  needs: "fs/list",
  changes: false,
  input: z.strictObject({ pattern: fields.glob.describe("`*`, `**`, `?`, `[…]`, `{a,b}`."), ...fields.pages }),
  run: globFiles,
});

const grep = defineTool({
  name: "vfs_grep",
  title: "Find lines",
  description:
    "Find lines of text files that contain a text, or match an RE2 expression with `regex: true`. Returns path, line number and the line. For many files vfs_search is faster.",
  needs: "fs/read",
  changes: false,
  input: z.strictObject({
    q: fields.query.describe("The text or expression to find within single lines."),
    regex: z.boolean().optional().describe("`q` is an expression in RE2 syntax."),
    ignoreCase: z.boolean().optional(),
    glob: fields.glob.optional().describe("Only files whose paths match."),
    path: fields.folderPath,
    ...fields.pages,
  }),
  run: grepFiles,
});

const search = defineTool({
  name: "vfs_search",
  title: "Search text files",
  description: "Find text files that contain all of the given words, with the matching lines.",
  needs: "fs/read",
  changes: false,
  input: z.strictObject({ q: fields.query.describe("Words."), path: fields.folderPath, ...fields.pages }),
  run: searchFiles,
});

const read = defineTool({
  name: "vfs_read",
  title: "Read a file",
  description:
    "Read a text file by numbered lines (`offset` from 1; continue at offset + count while `hasMore`). Other files are returned whole as base64. `cid` and `version` identify the bytes that were read.",
  needs: "fs/read",
  changes: false,
  input: z.strictObject({
    path: fields.filePath,
    version: fields.version.optional().describe("A retained version; the current one when absent."),
    ...fields.lines,
  }),
  run: async (ctx, { path, version, ...lines }) =>
    serializeContent(await openContent(ctx, { ref: { path }, version }), lines),
});

const versions = defineTool({
  name: "vfs_versions",
  title: "List versions",
  description: "List the retained versions of a file, newest first: number, CID, size, author, time.",
  needs: "fs/read",
  changes: false,
  input: z.strictObject({ path: fields.filePath }),
  run: (ctx, { path }) => listVersions(ctx, { ref: { path } }),
});

const readCid = defineTool({
  name: "vfs_read_cid",
  title: "Read by CID",
  description:
    "Read the bytes of a CID, current or retained, as vfs_read does: text by numbered lines, anything else as base64.",
  needs: "cid",
  changes: false,
  input: z.strictObject({ cid: z.string().min(1).max(512).describe("In any multibase."), ...fields.lines }),
  run: async (ctx, { cid, ...lines }) => serializeContent(await openCid(ctx, { cid }), lines),
});

const listAllCids = defineTool({
  name: "vfs_list_cids",
  title: "List CIDs",
  description: "List the CIDs that the token can fetch with vfs_read_cid.",
  needs: "cid",
  changes: false,
  input: z.strictObject(fields.pages),
  run: listCids,
});

const diff = defineTool({
  name: "vfs_diff",
  title: "Compare versions",
  description: "Compare two versions of a text file: a unified diff, and a JSON patch when both are JSON.",
  needs: "fs/read",
  changes: false,
  input: z.strictObject({ path: fields.filePath, from: fields.version, to: fields.version }),
  run: (ctx, { path, from, to }) => diffVersions(ctx, { ref: { path }, from, to }),
});

export const findingTools: readonly Tool[] = [list, glob, grep, search, read, versions, readCid, listAllCids, diff];
