/** How formats name the part with EXIF data: JPEG and HEIC, PNG, WebP. */
const marks = ["Exif", "eXIf", "EXIF", "exif"];

/**
 * Check whether a photo may have EXIF data, without reading it. A TIFF is EXIF data itself, and is known by its first bytes.
 * Most photos that an app made smaller have none.
 */
export function mayHaveExif(bytes: Uint8Array): boolean {
  const photo = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    /^(II\*\0|MM\0\*)/.test(photo.toString("latin1", 0, 4)) || marks.some((mark) => photo.includes(mark, 0, "latin1"))
  );
}
