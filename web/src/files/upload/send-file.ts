import type { FileStore } from "../file-store.ts";
import type { SendFile } from "./upload-queue.ts";

/** Upload files: a new file with tus, so that it resumes after a broken connection; an existing one as its new version. */
export function fileSender(store: FileStore): SendFile {
  return async (task) => {
    const before = await store.at(task.path);
    const { file, report, signal } = task;
    if (before !== undefined) return await store.replace(before, { content: file, onSent: report }, signal);
    // Loaded with the first new file.
    const { sendInParts } = await import("./send-in-parts.ts");
    return await store.file(await sendInParts(store, task));
  };
}
