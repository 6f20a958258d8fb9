import { MIMEType } from "node:util";

const unknownType = "application/octet-stream";
const longest = 255;

/** Normalise a media type; return `application/octet-stream` for an invalid one. */
export function cleanMimeType(text: string | undefined): string {
  if (text === undefined || text.length > longest) return unknownType;
  try {
    const clean = new MIMEType(text.trim()).toString();
    return clean.length > longest ? unknownType : clean;
  } catch {
    return unknownType;
  }
}
