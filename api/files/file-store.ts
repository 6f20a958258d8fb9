import { AppError } from "../platform/errors.ts";
import type { FileCaller, FileStore, FileTool, StoredFile } from "../platform/ports/files.ts";
import type { FileContext, FileDeps } from "./deps.ts";
import { changingTools } from "./mcp/changing-tools.ts";
import { findingTools } from "./mcp/finding-tools.ts";
import type { Tool } from "./mcp/tool.ts";
import { purgeFiles } from "./purge/purge-files.ts";
import { openContent } from "./read/open-content.ts";
import { readFile } from "./read/read-file.ts";
import type { FileMetadata } from "./records.ts";
import { listFiles } from "./tree/list-files.ts";
import { moveFiles } from "./tree/move-files.ts";
import { createFile } from "./write/create-file.ts";
import { putFile } from "./write/put-file.ts";
import { writeFile } from "./write/write-file.ts";

/** The file store behind the port that the other features use. */
export function createFileStore(deps: FileDeps): FileStore {
  const contextOf = (caller: FileCaller): FileContext => ({ ...caller, deps });
  return {
    put: async (caller, input) => toStored(await putFile(contextOf(caller), input)),
    create: async (caller, { path, mimeType, content }) =>
      toStored(await createFile(contextOf(caller), { path, mimeType, content: once(content) })),
    open: async (caller, path) => {
      const { file, stream, size, mimeType, cid, contentHash } = await openContent(contextOf(caller), {
        ref: { path },
      });
      return { ...toStored(file), size, mimeType, cid, contentHash, stream: () => stream() };
    },
    describe: async (caller, path) => toStored(await readFile(contextOf(caller), { ref: { path } })),
    list: async (caller, folder, limit) =>
      (await listFiles(contextOf(caller), { path: folder, limit })).items.map(toStored),
    purge: async (caller, ids) => {
      await purgeFiles(contextOf(caller), { ids: [...ids] });
    },
    replace: async (caller, { path, content, ifMatch }) =>
      toStored(
        (await writeFile(contextOf(caller), { ref: { path }, content: once(content), ifMatch: [ifMatch] })).file,
      ),
    move: async (caller, item) => {
      const { results } = await moveFiles(contextOf(caller), { items: [item] });
      const [moved] = results;
      if (moved?.ok !== true) throw new AppError((moved?.code ?? "INTERNAL") as AppError["code"], moved?.error ?? "");
    },
    tools: [...findingTools, ...changingTools].map((tool) => toFileTool(tool, contextOf)),
  };
}

function toStored({ id, path, version, cid, contentHash, size, mimeType }: FileMetadata): StoredFile {
  return { id, path, version, cid, contentHash, size, mimeType };
}

function toFileTool(tool: Tool, contextOf: (caller: FileCaller) => FileContext): FileTool {
  const { name, description, inputSchema, annotations } = tool;
  return {
    name,
    description,
    inputSchema,
    readOnly: annotations.readOnlyHint === true,
    destructive: annotations.destructiveHint === true,
    call: (caller, input) => tool.call(contextOf(caller), input),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
