import { DetailedError, Upload } from "tus-js-client";
import { ApiError, errorOf, errorOfBody } from "../api/error.ts";
import { sendBody } from "../api/send-body.ts";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";
import { nameOf } from "./paths.ts";
import { uploadAddresses, uploadFingerprint } from "./upload-addresses.ts";
import type { SendFile } from "./upload-queue.ts";

const partSize = 16 * 1024 ** 2;

/** Sends files to a store: a new one in parts that survive a broken connection, over one that is there as its new version. */
export function fileSender(store: FileStore): SendFile {
  return async (task) => {
    const before = await store.at(task.path);
    if (before !== undefined) return await sendVersion(store, before, task);
    return await store.file(await sendInParts(store, task));
  };
}

type Task = Parameters<SendFile>[0];

/** tus; answers the id of the file that was made. */
async function sendInParts(store: FileStore, { file, path, report, signal }: Task): Promise<string> {
  let id: string | undefined;
  await new Promise<void>((done, fail) => {
    const upload = new Upload(file, {
      endpoint: `${window.location.origin}/api/fs/upload`,
      metadata: { path, filetype: file.type || "application/octet-stream", filename: nameOf(path) },
      chunkSize: partSize,
      uploadDataDuringCreation: true,
      retryDelays: [500, 1_000, 3_000, 5_000, 10_000, 20_000],
      // The tab alone remembers the address, so a reload does not begin anew.
      urlStorage: uploadAddresses,
      fingerprint: () => uploadFingerprint(store.owner, path, file),
      removeFingerprintOnSuccess: true,
      // Asked anew for every request: a long upload outlives a bearer.
      onBeforeRequest: async (request) => request.setHeader("Authorization", await store.authorization()),
      onProgress: report,
      onAfterResponse: (_request, response) => {
        id = response.getHeader("x-vfs-file-id") ?? id;
      },
      onSuccess: () => done(),
      onError: (error) => fail(refusalOf(error)),
    });
    signal.addEventListener("abort", () => void upload.abort(true).then(() => fail(signal.reason), fail));
    void upload.findPreviousUploads().then(([earlier]) => {
      if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
      if (!signal.aborted) upload.start();
    }, fail);
  });
  const made = id ?? (await store.at(path))?.id;
  if (made === undefined) throw new ApiError({ status: 502, code: "UPSTREAM", message: "" });
  return made;
}

/** One PUT, guarded by the head that was seen. */
async function sendVersion(store: FileStore, before: FileMetadata, task: Task): Promise<FileMetadata> {
  const { file, signal, report: onSent } = task;
  const headers = {
    authorization: await store.authorization(),
    "content-type": file.type || before.mimeType,
    "if-match": `"${before.cid}"`,
  };
  const url = new URL(`/api/fs/files/${before.id}`, window.location.origin);
  const answer = await sendBody(url, { method: "PUT", headers, body: file, signal, onSent });
  if (!answer.ok) throw await errorOf(answer);
  return (await answer.json()) as FileMetadata;
}

function refusalOf(error: Error): Error {
  const answer = error instanceof DetailedError ? error.originalResponse : undefined;
  if (answer === undefined || answer === null) return new ApiError({ status: 0, code: "OFFLINE", message: "" });
  return errorOfBody(answer.getStatus(), answer.getBody());
}
