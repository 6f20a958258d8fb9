import { on } from "node:events";
import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import { mayHaveExif } from "../../platform/values/exif-mark.ts";

/** EXIF data of a photo. A part that the photo does not have is null. */
export type PhotoFacts = {
  /** Time in the camera's time zone, such as 2024-02-01T17:30:00. */
  takenAt: string | null;
  /** Billionths of a degree. */
  latitude: bigint | null;
  longitude: bigint | null;
  /** Maker and model. */
  device: string | null;
};

const nothing: PhotoFacts = { takenAt: null, latitude: null, longitude: null, device: null };
const maxDevice = 128;
const billionth = 1_000_000_000;
/** Longest time to read a photo once its thread runs. */
const maxMs = 1_000;
/** Each thread may take some 100 MB. */
const threads = new PQueue({ concurrency: 2 });
/** Photos that wait or are being read, by who brought them. */
const waiting = new Map<string, number>();

/**
 * Read the EXIF data of a photo. Bytes that are not a photo, or whose data cannot be read, have none.
 * @param sender who brought it: a photo waits behind every one whose sender has fewer photos waiting before it
 */
export async function readPhotoFacts(bytes: Uint8Array, mimeType: string, sender: string): Promise<PhotoFacts> {
  if (!mimeType.startsWith("image/") || !mayHaveExif(bytes)) return nothing;
  const found = await inTurn(sender, () => readTags(bytes));
  if (found === undefined) return nothing;
  const { DateTimeOriginal, CreateDate, Make, Model, latitude, longitude } = found;
  const isPlace = isWithin(latitude, 90) && isWithin(longitude, 180);
  return {
    takenAt: timeOf(DateTimeOriginal) ?? timeOf(CreateDate),
    latitude: isPlace ? BigInt(Math.round(latitude * billionth)) : null,
    longitude: isPlace ? BigInt(Math.round(longitude * billionth)) : null,
    device: deviceOf(Make, Model),
  };
}

async function inTurn<T>(sender: string, work: () => Promise<T>): Promise<T> {
  const before = waiting.get(sender) ?? 0;
  waiting.set(sender, before + 1);
  try {
    return await threads.add(work, { priority: -before });
  } finally {
    const left = (waiting.get(sender) ?? 1) - 1;
    if (left > 0) waiting.set(sender, left);
    else waiting.delete(sender);
  }
}

/** The library can be made to use all memory, or never to end, so a thread reads with limits of both. */
async function readTags(bytes: Uint8Array): Promise<Record<string, unknown> | undefined> {
  const worker = new Worker(new URL("./exif-worker.ts", import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  const tooLong = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const [message] of on(worker, "message", { signal: tooLong.signal, close: ["exit"] })) {
      if (message !== "started") return message as Record<string, unknown> | undefined;
      timer = setTimeout(() => tooLong.abort(), maxMs);
    }
    return undefined;
  } catch (error) {
    if (timer === undefined) throw error;
    // The library throws plain errors of many kinds for damaged or unknown bytes, which are evidence all the same.
    return undefined;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === "number" && Math.abs(value) <= limit;
}

/** EXIF writes 2024:02:01 17:30:00. */
function timeOf(value: unknown): string | null {
  const match = /^(\d{4}):(\d{2}):(\d{2}) (\d{2}:\d{2}:\d{2})/.exec(String(value ?? ""));
  if (match === null) return null;
  const [, year, month, day, time] = match;
  const text = `${year}-${month}-${day}T${time}`;
  return Number.isNaN(Date.parse(`${text}Z`)) ? null : text;
}

function deviceOf(...parts: unknown[]): string | null {
  const text = parts
    .filter((part): part is string => typeof part === "string")
    .map((part) => part.replace(/[^\x20-\x7e]/g, "").trim())
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, maxDevice);
  return text === "" ? null : text;
}
