import { createDecipheriv } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export type Leftover = { path: string; bytes: Buffer };

/** Every file below the folders, read whole. */
export async function readFolders(...folders: string[]): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) found.push({ path, bytes: await readFile(path) });
    }
  }
  return found;
}

/** Which of the named byte strings lie anywhere in the files: `name in path`. */
export function findTraces(files: readonly Leftover[], needles: Record<string, Uint8Array>): string[] {
  return Object.entries(needles).flatMap(([name, needle]) =>
    files.filter(({ bytes }) => bytes.includes(Buffer.from(needle))).map(({ path }) => `${name} in ${path}`),
  );
}

const wrappedLength = 40;
const initialValue = Buffer.alloc(8, 0xa6);

/**
 * Byte strings of the length of a wrapped key: as databases keep them, behind the length byte of a short value or the length word
 * of a long one, and as base64 in texts.
 */
export function wrappedCandidates(files: readonly Leftover[]): Buffer[] {
  const candidates = new Map<string, Buffer>();
  const take = (bytes: Buffer) => {
    if (bytes.length === wrappedLength && !isUniform(bytes)) candidates.set(bytes.toString("latin1"), bytes);
  };
  const shortHeader = ((wrappedLength + 1) << 1) | 1;
  const longHeader = Buffer.alloc(4);
  longHeader.writeUInt32LE((wrappedLength + 4) << 2);
  for (const { bytes } of files) {
    for (let at = bytes.indexOf(shortHeader); at !== -1; at = bytes.indexOf(shortHeader, at + 1)) {
      take(bytes.subarray(at + 1, at + 1 + wrappedLength));
    }
    for (let at = bytes.indexOf(longHeader); at !== -1; at = bytes.indexOf(longHeader, at + 1)) {
      take(bytes.subarray(at + 4, at + 4 + wrappedLength));
    }
    for (const [text] of bytes.toString("latin1").matchAll(/[A-Za-z0-9+/]{54}==/g)) take(Buffer.from(text, "base64"));
  }
  return [...candidates.values()];
}

function isUniform(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === bytes[0]);
}

/** Every key (hexadecimal) that the given ones open, directly or through others, among the candidates. */
export function unwrapAll(keys: readonly Buffer[], candidates: readonly Buffer[]): Set<string> {
  const known = new Set(keys.map((key) => key.toString("hex")));
  for (const key of known) {
    const wrapping = Buffer.from(key, "hex");
    for (const candidate of candidates) {
      const opened = unwrap(wrapping, candidate);
      // A set that grows while it is walked is walked to its new end.
      if (opened !== undefined) known.add(opened.toString("hex"));
    }
  }
  return known;
}

function unwrap(wrapping: Buffer, wrapped: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv("id-aes256-wrap", wrapping, initialValue);
    return Buffer.concat([decipher.update(wrapped), decipher.final()]);
  } catch {
    return undefined;
  }
}
