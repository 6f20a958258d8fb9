/** Largest file of a record, in bytes. */
export const mostFileBytes = 16 * 1024 * 1024;

type PhotoType = "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "image/gif";

const kinds: readonly { mimeType: PhotoType; matches: (bytes: Buffer) => boolean }[] = [
  { mimeType: "image/jpeg", matches: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  {
    mimeType: "image/png",
    matches: (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
  },
  { mimeType: "image/gif", matches: (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6)) },
  { mimeType: "image/webp", matches: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString("latin1", 0, 12)) },
  {
    mimeType: "image/heic",
    matches: (bytes) => /^.{4}ftyp(heic|heix|mif1|avif)/s.test(bytes.toString("latin1", 0, 12)),
  },
];

/** Find the type of a photo by its first bytes; undefined when it is not a photo, whatever its name says. */
export function photoTypeOf(bytes: Buffer): PhotoType | undefined {
  return kinds.find(({ matches }) => matches(bytes))?.mimeType;
}
