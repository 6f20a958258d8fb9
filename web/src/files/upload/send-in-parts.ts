import { DetailedError, Upload } from "tus-js-client";
import { errorOf, HearthError } from "../../../../wire/src/errors.ts";
import { offlineError } from "../../api/error.ts";
import type { FileStore } from "../file-store.ts";
import { nameOf } from "../paths.ts";
import { uploadAddresses, uploadFingerprint } from "./upload-addresses.ts";
import type { SendFile } from "./upload-queue.ts";

const partSize = 16 * 1024 ** 2;

type Task = Parameters<SendFile>[0];

/** Upload a new file with tus. Returns its id. */
export async function sendInParts(store: FileStore, { file, path, report, signal }: Task): Promise<string> {
  let id: string | undefined;
  await new Promise<void>((done, fail) => {
    const upload = new Upload(file, {
      endpoint: `${window.location.origin}/api/fs/upload`,
      metadata: { path, filetype: file.type || "application/octet-stream", filename: nameOf(path) },
      chunkSize: partSize,
      uploadDataDuringCreation: true,
      retryDelays: [500, 1_000, 3_000, 5_000, 10_000, 20_000],
      // The upload's URL is kept in the tab, so that an upload resumes after a reload.
      urlStorage: uploadAddresses,
      fingerprint: () => uploadFingerprint(store.owner, path, file),
      removeFingerprintOnSuccess: true,
      // Made for each request: a long upload outlives a bearer token.
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
