import type { BatchAnswer, FileMetadata, Page } from "../file-types.ts";

/** Most items of one batch. */
const batchSize = 500;

/** Read all pages of a list. */
export async function allOf<Item>(read: (cursor?: string) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await read(cursor);
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

export type BatchFailure = { path: string; error: string };

/** Apply an action to many files in batches, and return the refused ones. */
export async function inBatches(
  files: readonly Pick<FileMetadata, "id" | "path">[],
  work: (ids: readonly string[]) => Promise<BatchAnswer>,
): Promise<BatchFailure[]> {
  const failures: BatchFailure[] = [];
  for (let from = 0; from < files.length; from += batchSize) {
    const batch = files.slice(from, from + batchSize);
    const { results } = await work(batch.map(({ id }) => id));
    for (const { id, ok, error, code } of results) {
      const path = batch.find((file) => file.id === id)?.path ?? id;
      if (!ok) failures.push({ path, error: error ?? code ?? "" });
    }
  }
  return failures;
}
