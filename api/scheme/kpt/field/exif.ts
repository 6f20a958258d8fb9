import exifr from "exifr";

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

/** Read the EXIF data of a photo. Bytes that are not a photo, or whose data cannot be read, have none. */
export async function readPhotoFacts(bytes: Uint8Array, mimeType: string): Promise<PhotoFacts> {
  if (!mimeType.startsWith("image/")) return nothing;
  const found = await readTags(bytes);
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

async function readTags(bytes: Uint8Array): Promise<Record<string, unknown> | undefined> {
  const options = {
    tiff: true,
    exif: true,
    gps: true,
    xmp: false,
    icc: false,
    iptc: false,
    jfif: false,
    reviveValues: false,
    sanitize: true,
    mergeOutput: true,
  };
  try {
    return (await exifr.parse(Buffer.from(bytes), options)) as Record<string, unknown> | undefined;
  } catch {
    // The library throws plain errors of many kinds for damaged or unknown bytes, which are evidence all the same.
    return undefined;
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
