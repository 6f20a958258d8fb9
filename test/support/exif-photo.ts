/** For tests: a small JPEG with EXIF time, position, maker and model. */
export function exifPhoto({ takenAt, latitude, longitude, make = "Acme", model = "Phone 3", mark = "" }: PhotoChoice) {
  const ifd = (entries: Entry[]) => entries.sort((a, b) => a.tag - b.tag);
  const exif = takenAt === undefined ? [] : [ascii(0x9003, takenAt.replaceAll("-", ":").replace("T", " "))];
  const gps =
    latitude === undefined || longitude === undefined
      ? []
      : [
          ascii(1, latitude < 0 ? "S" : "N"),
          rationals(2, degreesOf(latitude)),
          ascii(3, longitude < 0 ? "W" : "E"),
          rationals(4, degreesOf(longitude)),
        ];
  const first = ifd([ascii(0x010f, make), ascii(0x0110, model), pointer(0x8769), pointer(0x8825)]);
  const start = 8;
  const exifAt = start + sizeOf(first);
  const gpsAt = exifAt + sizeOf(ifd(exif));
  for (const entry of first) {
    if (entry.tag === 0x8769) entry.data.writeUInt32LE(exifAt);
    if (entry.tag === 0x8825) entry.data.writeUInt32LE(gpsAt);
  }
  const header = Buffer.from([0x49, 0x49, 0x2a, 0, start, 0, 0, 0]);
  const tiff = Buffer.concat([header, write(first, start), write(ifd(exif), exifAt), write(ifd(gps), gpsAt)]);
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  const comment = Buffer.from(mark, "latin1");
  const commentLength = Buffer.alloc(2);
  commentLength.writeUInt16BE(comment.length + 2);
  const marker = (code: number) => Buffer.from([0xff, code]);
  return Buffer.concat([marker(0xd8), marker(0xe1), length, body, marker(0xfe), commentLength, comment, marker(0xd9)]);
}

export type PhotoChoice = {
  /** Such as 2024-02-01T17:30:00. */
  takenAt?: string;
  latitude?: number;
  longitude?: number;
  make?: string;
  model?: string;
  /** Makes the bytes differ. */
  mark?: string;
};

type Entry = { tag: number; type: number; count: number; data: Buffer };

function ascii(tag: number, text: string): Entry {
  const data = Buffer.from(`${text}\0`, "latin1");
  return { tag, type: 2, count: data.length, data };
}

function pointer(tag: number): Entry {
  return { tag, type: 4, count: 1, data: Buffer.alloc(4) };
}

function rationals(tag: number, pairs: [number, number][]): Entry {
  const data = Buffer.alloc(8 * pairs.length);
  for (const [i, [numerator, denominator]] of pairs.entries()) {
    data.writeUInt32LE(numerator, 8 * i);
    data.writeUInt32LE(denominator, 8 * i + 4);
  }
  return { tag, type: 5, count: pairs.length, data };
}

/** Degrees, minutes and hundredths of seconds. */
function degreesOf(value: number): [number, number][] {
  const hundredths = Math.round(Math.abs(value) * 360_000);
  const degrees = Math.floor(hundredths / 360_000);
  const minutes = Math.floor((hundredths % 360_000) / 6_000);
  return [
    [degrees, 1],
    [minutes, 1],
    [hundredths % 6_000, 100],
  ];
}

const directorySize = (entries: Entry[]) => 2 + 12 * entries.length + 4;

function sizeOf(entries: Entry[]): number {
  return directorySize(entries) + entries.reduce((sum, { data }) => sum + (data.length > 4 ? data.length : 0), 0);
}

function write(entries: Entry[], at: number): Buffer {
  const directory = Buffer.alloc(directorySize(entries));
  const values: Buffer[] = [];
  let next = at + directory.length;
  directory.writeUInt16LE(entries.length);
  for (const [i, { tag, type, count, data }] of entries.entries()) {
    const offset = 2 + 12 * i;
    directory.writeUInt16LE(tag, offset);
    directory.writeUInt16LE(type, offset + 2);
    directory.writeUInt32LE(count, offset + 4);
    if (data.length <= 4) data.copy(directory, offset + 8);
    else {
      directory.writeUInt32LE(next, offset + 8);
      values.push(data);
      next += data.length;
    }
  }
  return Buffer.concat([directory, ...values]);
}
