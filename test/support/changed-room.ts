import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { makeZip } from "client-zip";
import { readZip } from "./zip.ts";

/** Changes the files of a data room, by their paths. */
export type RoomChange = (files: Map<string, Buffer>) => void;

/** The data room with changed files; `sealed`: with a new manifest, as somebody without the service's key can make it. */
export async function changedRoom(room: Buffer, change: RoomChange, { sealed = true } = {}): Promise<Buffer> {
  const files = await readZip(room);
  change(files);
  if (sealed) {
    const manifest = JSON.parse(files.get("manifest.json")?.toString() ?? "");
    for (const file of manifest.files) {
      const bytes = files.get(file.path) ?? Buffer.of();
      file.bytes = bytes.byteLength;
      file.sha256 = createHash("sha256").update(bytes).digest("hex");
    }
    files.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  }
  return buffer(makeZip([...files].map(([name, input]) => ({ name, input }))) as unknown as NodeJS.ReadableStream);
}
