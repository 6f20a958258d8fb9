import { DetailedError, Upload } from "tus-js-client";
import { errorOf, HearthError } from "../../../wire/src/errors.ts";
import { offlineError } from "../api/error.ts";
import type { FileStore } from "./file-store.ts";
import { nameOf } from "./paths.ts";
import { uploadAddresses, uploadFingerprint } from "./upload-addresses.ts";
import type { SendFile } from "./upload-queue.ts";

const partSize = 16 * 1024 ** 2;

/** Sends files to a store: a new one in parts that survive a broken connection, over one that is there as its new version. */
export function fileSender(store: FileStore): SendFile {
  return async (task) => {
    const before = await store.at(task.path);
    const { file, report, signal } = task;
    if (before !== undefined) return await store.replace(before, { content: file, onSent: report }, signal);
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
      onError: (error) => void uploadError(error).then(fail),
    });
    signal.addEventListener("abort", () => void upload.abort(true).then(() => fail(signal.reason), fail));
    void upload.findPreviousUploads().then(([earlier]) => {
      if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
      if (!signal.aborted) upload.start();
    }, fail);
  });
  const made = id ?? (await store.at(path))?.id;
  if (made === undefined) throw new HearthError({ status: 502, code: "UPSTREAM", message: "" });
  return made;
}

async function uploadError(error: Error): Promise<Error> {
  const answer = error instanceof DetailedError ? error.originalResponse : undefined;
  if (!answer) return offlineError();
  return await errorOf(new Response(answer.getBody(), { status: answer.getStatus() }));
}
