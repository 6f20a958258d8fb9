import type { OpenAPIHono } from "@hono/zod-openapi";
import { globFiles } from "../../search/glob/glob-files.ts";
import { grepFiles } from "../../search/grep/grep-files.ts";
import { searchFiles } from "../../search/search-files.ts";
import { listFiles, listTrash } from "../../tree/list-files.ts";
import { readTree } from "../../tree/read-tree.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { filePage, grepPage, searchPage, treeResponse } from "../responses.ts";
import { fileRoute, fileRouter, respondsWith } from "../route.ts";
import { globQuery, grepQuery, listFilesQuery, searchQuery } from "../schemas.ts";

const list = fileRoute({
  method: "get",
  path: "/files",
  summary: "List the files below a folder, sorted by path",
  request: { query: listFilesQuery },
  responses: respondsWith("One page", filePage, 400, 403),
});
const tree = fileRoute({
  method: "get",
  path: "/tree",
  summary: "Read the folders and files directly in a folder",
  request: { query: listFilesQuery },
  responses: respondsWith("One page", treeResponse, 400, 403, 404),
});
const glob = fileRoute({
  method: "get",
  path: "/glob",
  summary: "List the files whose paths match a pattern",
  request: { query: globQuery },
  responses: respondsWith("One page", filePage, 400, 403),
});
const search = fileRoute({
  method: "get",
  path: "/search",
  summary: "Search text files by words",
  request: { query: searchQuery },
  responses: respondsWith("One page", searchPage, 400, 403),
});
const grep = fileRoute({
  method: "get",
  path: "/grep",
  summary: "Find lines of text files",
  request: { query: grepQuery },
  responses: respondsWith("One page", grepPage, 400, 403),
});
const trash = fileRoute({
  method: "get",
  path: "/trash",
  summary: "List trashed files",
  request: { query: listFilesQuery },
  responses: respondsWith("One page", filePage, 400, 403),
});

/** Lists, tree, glob, search, grep, trash. */
export function treeRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(list, async (c) => c.json(await listFiles(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(tree, async (c) => c.json(await readTree(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(glob, async (c) => c.json(await globFiles(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(search, async (c) => c.json(await searchFiles(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(grep, async (c) => c.json(await grepFiles(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(trash, async (c) => c.json(await listTrash(fileContext(deps, c), c.req.valid("query")), 200));
}
