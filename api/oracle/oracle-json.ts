import { buffer } from "node:stream/consumers";
import { ulid } from "ulid";
import { openContent } from "../files/read/open-content.ts";
import { moveFiles } from "../files/tree/moving/move-files.ts";
import { createFile } from "../files/write/create-file.ts";
import { writeFile } from "../files/write/write-file.ts";
import { AppError } from "../platform/errors.ts";
import type { Services } from "./services.ts";

type Store = Pick<Services, "oracleFiles">;
type Current<T> = { value: T; id: string; cid: string };

/** The current version of a JSON file of the oracle's own; null when there is none. */
export async function readOracleJson<T>(store: Store, path: string): Promise<T | null> {
  return (await readCurrent<T>(store, path))?.value ?? null;
}

async function readCurrent<T>({ oracleFiles }: Store, path: string): Promise<Current<T> | null> {
  try {
    const { stream, cid, file } = await openContent(await oracleFiles(), { ref: { path } });
    return { value: JSON.parse((await buffer(stream())).toString()) as T, cid, id: file.id };
  } catch (error) {
    if (isCode(error, "NOT_FOUND")) return null;
    throw error;
  }
}

/** So many changes of one file at a time all find their place. */
const attempts = 16;

/**
 * Change a JSON file of the oracle's own, as a new version. Of two changes at a time neither is lost: the later one sees the
 * earlier. A file that has all the versions it may have is put aside with them, and a new one begun.
 */
export async function changeOracleJson<T>(store: Store, path: string, change: (current: T | null) => T): Promise<T> {
  /** What the file held that was put aside: the new one begins with it. */
  let before: T | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const current = await readCurrent<T>(store, path);
    const value = change(current?.value ?? before);
    try {
      await write(store, path, current, Buffer.from(JSON.stringify(value)));
      return value;
    } catch (error) {
      if (isCode(error, "VERSION_LIMIT") && current !== null) {
        before = current.value;
        await putAside(store, path, current);
      } else if (!isRace(error) || attempt === attempts) throw error;
    }
  }
}

async function write<T>(
  { oracleFiles }: Store,
  path: string,
  current: Current<T> | null,
  bytes: Uint8Array,
): Promise<void> {
  const ctx = await oracleFiles();
  const content = once(bytes);
  if (current === null) await createFile(ctx, { path, mimeType: "application/json", content });
  else await writeFile(ctx, { ref: { path }, content, ifMatch: [current.cid] });
}

async function putAside<T>({ oracleFiles }: Store, path: string, { id }: Current<T>): Promise<void> {
  const destinationPath = path.replace(/(\.[a-z]+)$/, `-until-${ulid()}$1`);
  // Another one was faster when this item fails: the next attempt sees what is there then.
  await moveFiles(await oracleFiles(), { items: [{ id, destinationPath }] });
}

const isCode = (error: unknown, code: AppError["code"]) => error instanceof AppError && error.code === code;

const isRace = (error: unknown) =>
  isCode(error, "WRITE_CONFLICT") ||
  isCode(error, "PRECONDITION_FAILED") ||
  isCode(error, "CONFLICT") ||
  isCode(error, "NOT_FOUND");

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
