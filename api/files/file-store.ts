import { AppError } from "../platform/errors.ts";
import type { FileCaller, FileInput, FileStore, FileTool, OpenedFile, StoredFile } from "../platform/ports/files.ts";
import type { FileContext, FileDeps } from "./deps.ts";
import { changingTools } from "./mcp/changing-tools.ts";
import { findingTools } from "./mcp/finding-tools.ts";
import type { Tool } from "./mcp/tool.ts";
import { type PurgedItem, purgeFiles } from "./purge/purge-files.ts";
import { type OpenedContent, openContent } from "./read/open-content.ts";
import { readFile } from "./read/read-file.ts";
import { onlyItem } from "./records/batch-result.ts";
import type { FileMetadata } from "./records/file-metadata.ts";
import { listFiles } from "./tree/list-files.ts";
import { moveFiles } from "./tree/moving/move-files.ts";
import { createFile } from "./write/create-file.ts";
import { putFile } from "./write/put-file.ts";
import { writeFile } from "./write/write-file.ts";

const filesPerPage = 500;

/** Create the file store's port for other features. It calls the same services as the routes. */
export function createFileStore(deps: FileDeps): FileStore {
  const contextOf = (caller: FileCaller): FileContext => ({
    deps,
    access: caller.access,
    requestId: caller.requestId,
    signal: caller.signal,
    quotaPercent: caller.quotaPercent,
  });
  return {
    async put(caller: FileCaller, input: FileInput): Promise<StoredFile> {
      return toStoredFile(await putFile(contextOf(caller), input));
    },
    async create(caller: FileCaller, { path, mimeType, content }: FileInput): Promise<StoredFile> {
      const input = { path, mimeType, content: streamOf(content), declaredSize: content.byteLength };
      return toStoredFile(await createFile(contextOf(caller), input));
    },
    async open(caller: FileCaller, path: string): Promise<OpenedFile> {
      return toOpenedFile(await openContent(contextOf(caller), { ref: { path } }));
    },
    async describe(caller: FileCaller, path: string): Promise<StoredFile> {
      return toStoredFile(await readFile(contextOf(caller), { ref: { path } }));
    },
    async list(caller: FileCaller, folder: string, limit: number): Promise<StoredFile[]> {
      const { items } = await listFiles(contextOf(caller), { path: folder, limit });
      return items.map(toStoredFile);
    },
    async *walk(caller: FileCaller, folder: string): AsyncGenerator<StoredFile> {
      let cursor: string | undefined;
      do {
        const page = await listFiles(contextOf(caller), { path: folder, limit: filesPerPage, cursor });
        yield* page.items.map(toStoredFile);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
    async purge(caller: FileCaller, ids: readonly string[]): Promise<void> {
      const { results } = await purgeFiles(contextOf(caller), { ids: [...new Set(ids)] });
      const refused = results.filter(({ ok, code }) => !ok && code !== "NOT_FOUND");
      if (refused.length > 0) throw purgeRefused(refused);
    },
    async replace(caller: FileCaller, input): Promise<StoredFile> {
      const { path, content, ifMatch } = input;
      const { file } = await writeFile(contextOf(caller), {
        ref: { path },
        content: streamOf(content),
        declaredSize: content.byteLength,
        ifMatch: [ifMatch],
      });
      return toStoredFile(file);
    },
    async move(caller: FileCaller, input): Promise<void> {
      onlyItem(await moveFiles(contextOf(caller), { items: [input] }));
    },
    tools: [...findingTools, ...changingTools].map((tool) => toFileTool(tool, contextOf)),
  };
}

function purgeRefused(items: readonly PurgedItem[]): AppError {
  const details = items.map(({ id, error = "" }) => ({ path: id, rule: "purgeable", message: error }));
  return new AppError("CONFLICT", `${items.length} files cannot be destroyed.`, { details });
}

function toStoredFile({ id, path, version, cid, contentHash, size, mimeType }: FileMetadata): StoredFile {
  return { id, path, version, cid, contentHash, size, mimeType };
}

function toOpenedFile({ file, stream }: OpenedContent): OpenedFile {
  return { ...toStoredFile(file), stream: () => stream() };
}

function toFileTool(tool: Tool, contextOf: (caller: FileCaller) => FileContext): FileTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    readOnly: tool.annotations.readOnlyHint === true,
    destructive: tool.annotations.destructiveHint === true,
    call: (caller, input) => tool.call(contextOf(caller), input),
  };
}

async function* streamOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.byteLength > 0) yield content;
}
