import { on } from "node:events";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { type Entry, fromBuffer, type Options, type ZipFile } from "yauzl";

const openBytes: (bytes: Buffer, options: Options) => Promise<ZipFile> = promisify(fromBuffer);

/** The files of a ZIP by their paths. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await openBytes(bytes, { lazyEntries: true });
  const entries = on(zip, "entry", { close: ["end"] });
  const streamOf = promisify(zip.openReadStream.bind(zip)) as (entry: Entry) => Promise<NodeJS.ReadableStream>;
  zip.readEntry();
  for await (const [entry] of entries) {
    files.set(entry.fileName, await buffer(await streamOf(entry)));
    zip.readEntry();
  }
  return files;
}
