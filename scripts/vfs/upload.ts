import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable, Transform } from "node:stream";
import { getMimeType } from "hono/utils/mime";
import { DetailedError, Upload } from "tus-js-client";
import type { FileMetadata } from "../../api/files/records/file-metadata.ts";
import { RefusedError } from "./client.ts";
import { type Progress, showProgress } from "./progress.ts";
import type { Session } from "./session.ts";

/** New files from this size on go up in parts, so that an interruption loses little; bytes. */
const resumableSize = Number(process.env.VFS_RESUMABLE_BYTES ?? 64 * 1024 ** 2);
const partSize = 32 * 1024 ** 2;

/**
 * Upload a file, or standard input for `-`: as a new version where there is a file, else as a new one.
 * @throws RefusedError
 */
export async function upload(session: Session, source: string, path: string, type?: string): Promise<FileMetadata> {
  const client = await session.client();
  const before = await client.look(path);
  const size = source === "-" ? undefined : (await stat(source)).size;
  const progress = showProgress(path, size, !session.json && !session.quiet);
  // An existing file keeps its type unless one is given.
  const mimeType = type ?? (before === undefined ? (getMimeType(path) ?? "application/octet-stream") : undefined);
  try {
    if (before === undefined && size !== undefined && size >= resumableSize) {
      const id = await uploadInParts(session, { source, path, size, mimeType: mimeType ?? "" }, progress);
      return await client.json("GET", `/files/${id}`);
    }
    const body = Readable.toWeb(counted(source === "-" ? process.stdin : createReadStream(source), progress));
    const headers = {
      ...(mimeType === undefined ? {} : { "content-type": mimeType }),
      ...(size === undefined ? {} : { "content-length": String(size) }),
    };
    const sent = { body: body as unknown as NonNullable<RequestInit["body"]>, headers };
    if (before !== undefined) return await client.json("PUT", `/files/${before.id}`, sent);
    return await client.json("POST", "/files", { ...sent, query: { path } });
  } finally {
    progress.end();
  }
}

function counted(stream: Readable, progress: Progress): Readable {
  let bytes = 0;
  return stream.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        progress.at(bytes);
        done(null, chunk);
      },
    }),
  );
}

type Parts = { source: string; path: string; size: number; mimeType: string };

/** Upload by tus, without sending again what has arrived. The upload's address is stored until it is complete. */
async function uploadInParts(session: Session, parts: Parts, progress: Progress): Promise<string> {
  const client = await session.client();
  const { source, path, size, mimeType } = parts;
  const note = uploadNote(session, parts, await stat(source));
  await mkdir(dirname(note), { recursive: true, mode: 0o700 });
  const begun = await readFile(note, "utf8").catch(() => undefined);
  let fileId: string | undefined;
  await new Promise<void>((done, fail) => {
    const task = new Upload(createReadStream(source) as unknown as Blob, {
      endpoint: `${client.url}/api/fs/upload`,
      ...(begun === undefined ? {} : { uploadUrl: begun }),
      headers: { authorization: `Bearer ${client.bearer}` },
      metadata: { path, filetype: mimeType, filename: basename(path) },
      uploadSize: size,
      chunkSize: partSize,
      retryDelays: [500, 1_000, 3_000, 5_000, 10_000],
      storeFingerprintForResuming: false,
      onProgress: (sent) => progress.at(sent),
      onUploadUrlAvailable: () => {
        if (task.url !== null) void writeFile(note, task.url, { mode: 0o600 }).catch(fail);
      },
      onAfterResponse: (_request, response) => {
        fileId = response.getHeader("x-vfs-file-id") ?? fileId;
      },
      onSuccess: () => done(),
      onError: (error) => fail(errorOf(error)),
    });
    task.start();
  });
  await rm(note, { force: true });
  return fileId ?? (await client.find(path)).id;
}

/** Path where the address of this file's upload is stored; another size or time is another upload. */
export function uploadNote(
  { dataDir, url }: Pick<Session, "dataDir" | "url">,
  { source, path }: Pick<Parts, "source" | "path">,
  { size, mtimeMs }: { size: number; mtimeMs: number },
): string {
  const about = [url, resolve(source), path, size, mtimeMs].join("\n");
  return join(dataDir, "vfs-uploads", createHash("sha256").update(about).digest("hex"));
}

function errorOf(error: Error): Error {
  const body = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined;
  try {
    return body === undefined ? error : new RefusedError(JSON.parse(body) as RefusedError["body"]);
  } catch {
    return error;
  }
}
