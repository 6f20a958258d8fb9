import { buffer } from "node:stream/consumers";
import pRetry from "p-retry";
import { ulid } from "ulid";
import { AppError } from "../../../platform/errors.ts";
import type { Services } from "./services.ts";

type OwnFiles = Pick<Services, "files" | "oracleFiles">;
type Current<T> = { value: T; id: string; cid: string };

/** Read a JSON file of the oracle; null when there is none. */
export async function readOracleJson<T>(own: OwnFiles, path: string): Promise<T | null> {
  return (await readCurrent<T>(own, path))?.value ?? null;
}

async function readCurrent<T>({ files, oracleFiles }: OwnFiles, path: string): Promise<Current<T> | null> {
  try {
    const { stream, cid, id } = await files.open(await oracleFiles(), path);
    return { value: JSON.parse((await buffer(stream())).toString()) as T, cid, id };
  } catch (error) {
    if (isCode(error, "NOT_FOUND")) return null;
    throw error;
  }
}

/** How often a change is applied again to a file that others change at the same time. */
const retries = 15;

/**
 * Change a JSON file of the oracle, as a new version. Concurrent changes are all applied: a change that loses the race is applied
 * again to the newer version. A file that has reached its limit of versions is renamed, and a new file is started.
 */
export async function changeOracleJson<T>(own: OwnFiles, path: string, change: (current: T | null) => T): Promise<T> {
  /** Content of the file that was renamed: the new file starts with it. */
  let archived: T | null = null;
  const attempt = async () => {
    const current = await readCurrent<T>(own, path);
    const value = change(current?.value ?? archived);
    await write(own, path, current, Buffer.from(JSON.stringify(value))).catch(async (error: unknown) => {
      if (current !== null && isCode(error, "VERSION_LIMIT")) {
        archived = current.value;
        await archive(own, path, current);
      }
      throw error;
    });
    return value;
  };
  const shouldRetry = ({ error }: { error: unknown }) => isRace(error) || isCode(error, "VERSION_LIMIT");
  return await pRetry(attempt, { retries, minTimeout: 0, shouldRetry });
}

async function write<T>(
  { files, oracleFiles }: OwnFiles,
  path: string,
  current: Current<T> | null,
  content: Uint8Array,
): Promise<void> {
  const caller = await oracleFiles();
  if (current === null) await files.create(caller, { path, mimeType: "application/json", content });
  else await files.replace(caller, { path, content, ifMatch: current.cid });
}

async function archive<T>({ files, oracleFiles }: OwnFiles, path: string, { id }: Current<T>): Promise<void> {
  const destinationPath = path.replace(/(\.[a-z]+)$/, `-until-${ulid()}$1`);
  await files.move(await oracleFiles(), { id, destinationPath }).catch((error: unknown) => {
    // Another process was faster. The next attempt reads the new state.
    if (!isRace(error)) throw error;
  });
}

const isCode = (error: unknown, code: AppError["code"]) => error instanceof AppError && error.code === code;

const isRace = (error: unknown) =>
  isCode(error, "WRITE_CONFLICT") ||
  isCode(error, "PRECONDITION_FAILED") ||
  isCode(error, "CONFLICT") ||
  isCode(error, "NOT_FOUND");
