import { createHash } from "node:crypto";
import { on } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { type Entry, type Options, open, type ZipFile } from "yauzl";
import {
  issuerPath,
  type Manifest,
  manifestPath,
  manifest as manifestSchema,
  receiptPath,
} from "../../api/scheme/campaigns/dataroom/manifest.ts";
import { UnavailableError } from "../verifier-command.ts";
import { type Step, step } from "./step.ts";

/** A data room as it was read. */
export type OpenedRoom = {
  manifest: Manifest;
  /** SHA-256 of the manifest, with 0x. */
  hash: string;
  /** Contents of the JSON files, credentials, receipts and series of monitors; other evidence is only hashed. */
  contents: Map<string, Buffer>;
  /** SHA-256 of every file. */
  hashes: Map<string, string>;
  step: Step;
};

const openFile: (path: string, options: Options) => Promise<ZipFile> = promisify(open);
/** Most bytes of the files whose content is kept, together: a ZIP may hold a thousand times its own size. */
const maxKept = 1024 * 1024 * 1024;
const unlisted = new Set([manifestPath, receiptPath, issuerPath]);

/** What the API answered instead of a data room, when the file is such an answer. */
async function refusalIn(path: string): Promise<string | undefined> {
  if ((await stat(path)).size > 64 * 1024) return undefined;
  try {
    const { status, message } = JSON.parse(await readFile(path, "utf8"));
    if (typeof message !== "string") return undefined;
    return `it is the answer ${Number(status)} of the API, ${JSON.stringify(message)}`;
  } catch {
    return undefined;
  }
}

/** Read a ZIP and compare each file with the manifest. @throws UnavailableError when it is not a data room */
export async function openRoom(path: string, name: string, most = maxKept): Promise<OpenedRoom> {
  const { contents, hashes, sizes } = await readAll(path, most).catch(async (error: NodeJS.ErrnoException) => {
    if (error instanceof UnavailableError) throw error;
    if (error.code === "ENOENT") throw new UnavailableError(`${name} cannot be read: there is no such file.`);
    const why = (await refusalIn(path)) ?? error.message.replace(/\.+$/, "");
    throw new UnavailableError(`${name} is not a ZIP that can be read: ${why}.`);
  });
  const bytes = contents.get(manifestPath);
  if (bytes === undefined) throw new UnavailableError(`${name} is not a data room: it has no ${manifestPath}.`);
  const manifest = readManifest(bytes, name);
  const faults = manifest.files.flatMap((file) => {
    const found = hashes.get(file.path);
    if (found === undefined) return [`The manifest lists ${file.path}, which is not in the ZIP.`];
    if (found !== file.sha256) return [`${file.path} has the SHA-256 ${found}; the manifest lists ${file.sha256}.`];
    return sizes.get(file.path) === file.bytes ? [] : [`${file.path} has another size than the manifest lists.`];
  });
  const listed = new Set(manifest.files.map((file) => file.path));
  if (listed.size !== manifest.files.length) faults.push("The manifest lists a file twice.");
  for (const each of hashes.keys()) {
    if (!listed.has(each) && !unlisted.has(each)) faults.push(`${each} is in the ZIP, but not in the manifest.`);
  }
  const title = `Manifest: ${manifest.files.length} files of campaign ${manifest.campaignId} with their SHA-256`;
  return { manifest, hash: `0x${hashes.get(manifestPath)}`, contents, hashes, step: step(title, faults) };
}

function readManifest(bytes: Buffer, name: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw new UnavailableError(
      `${name} is not a data room of a form that this version knows: see its ${manifestPath}.`,
    );
  }
}

async function readAll(path: string, most: number) {
  const contents = new Map<string, Buffer>();
  const hashes = new Map<string, string>();
  const sizes = new Map<string, number>();
  let keptBytes = 0;
  const zip = await openFile(path, { lazyEntries: true });
  const entries = on(zip, "entry", { close: ["end"] });
  const streamOf = promisify(zip.openReadStream.bind(zip)) as (entry: Entry) => Promise<AsyncIterable<Buffer>>;
  zip.readEntry();
  for await (const [entry] of entries as AsyncIterable<[Entry]>) {
    const { fileName } = entry;
    if (hashes.has(fileName)) throw new UnavailableError(`The ZIP has ${fileName} twice.`);
    const isKept = /\.(json|jwt|csv)$/.test(fileName);
    const hash = createHash("sha256");
    const kept: Buffer[] = [];
    let size = 0;
    for await (const chunk of await streamOf(entry)) {
      hash.update(chunk);
      size += chunk.byteLength;
      if (!isKept) continue;
      keptBytes += chunk.byteLength;
      if (keptBytes > most)
        throw new UnavailableError(`The files of the ZIP that are read have more than ${most} bytes.`);
      kept.push(chunk);
    }
    hashes.set(fileName, hash.digest("hex"));
    sizes.set(fileName, size);
    if (isKept) contents.set(fileName, Buffer.concat(kept));
    zip.readEntry();
  }
  return { contents, hashes, sizes };
}

/** The text of a file. @throws UnavailableError when the data room lacks it */
export function textOf({ contents }: Pick<OpenedRoom, "contents">, path: string): string {
  const bytes = contents.get(path);
  if (bytes === undefined) throw new UnavailableError(`The data room lacks ${path}.`);
  return bytes.toString("utf8");
}
