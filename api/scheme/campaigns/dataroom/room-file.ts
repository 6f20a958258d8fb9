import { createHash } from "node:crypto";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";

/** A file of a data room. Its hash is known before its content is read, so that the manifest can come first. */
export type RoomFile = {
  /** Within the ZIP, with `/` between folders. */
  path: string;
  mediaType: string;
  bytes: number;
  /** 64 hexadecimal digits. */
  sha256: string;
  open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};

/** A file whose bytes are in memory. */
export function fileOf(path: string, mediaType: string, content: Uint8Array): RoomFile {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, mediaType, bytes: content.byteLength, sha256, open: () => [content] };
}

/** A JSON file: equal values give equal bytes. */
export function jsonFile(path: string, value: unknown): RoomFile {
  return fileOf(path, "application/json", Buffer.from(`${canonicalJson(value)}\n`));
}
