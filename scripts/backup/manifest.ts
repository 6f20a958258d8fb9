import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { migrationsFolder } from "../../api/platform/db/migrations-folder.ts";
import packageJson from "../../package.json" with { type: "json" };
import { BackupError, type BackupPlace, MissingFileError } from "./place.ts";

/** Written last: without it, the backup is incomplete. */
export const manifestFile = "manifest.json";
/** Written first, and removed when the manifest is there. */
export const unfinishedFile = "unfinished.json";
export const blobListFile = "blobs.jsonl";
export const databaseFile = "database";
export const chainFile = "chain/state.json.gz";
export const deploymentFile = "deployment.json";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const stored = z.object({ size: z.number().int().nonnegative(), sha256: hash });

const fields = z.object({
  format: z.literal(1),
  version: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** Which system it is of: the fingerprint of its scheme key. */
  system: z.string(),
  chain: z.object({ embedded: z.boolean(), chainId: z.number().int() }),
  database: z
    .object({
      kind: z.enum(["embedded", "postgresql"]),
      /** Time of the newest migration, as in api/migrations/meta/_journal.json. */
      migration: z.number().int(),
    })
    .optional(),
  blobs: z.object({ count: z.number().int(), bytes: z.number().int() }),
  /** Where each secret was kept, and its fingerprint, from which nobody can compute it. */
  secrets: z.array(z.object({ name: z.string(), place: z.string(), fingerprint: z.string() })),
  /** Every file except the blobs, by path. */
  files: z.record(z.string(), stored),
});
export type Manifest = z.output<typeof fields>;
const manifest = fields.refine(hasItsFiles);

/** Whether the manifest has a hash of each file that a restore reads, and names no other path. */
function hasItsFiles({ files, database, chain }: Manifest): boolean {
  const needed = [
    blobListFile,
    ...(database === undefined ? [] : [databaseFile]),
    ...(chain.embedded ? [chainFile] : []),
  ];
  const known = new Set([...needed, deploymentFile]);
  return needed.every((path) => files[path] !== undefined) && Object.keys(files).every((path) => known.has(path));
}

/** A line of `blobs.jsonl`. */
export const blobLine = stored.extend({ key: z.string().regex(/^[a-z]{1,16}\/[a-z0-9]{8,64}$/) });
export type BlobLine = z.output<typeof blobLine>;

export const blobPath = (key: string): string => {
  const [kind = "", id = ""] = key.split("/");
  return `blobs/${kind}/${id.slice(0, 2)}/${id}`;
};

const unfinished = z.object({ format: z.literal(1), startedAt: z.iso.datetime(), system: z.string() });
export type Unfinished = z.output<typeof unfinished>;

export const programVersion: string = packageJson.version;

/** Read the manifest of a complete backup. @throws BackupError when there is none that this program can restore */
export async function readManifest(place: BackupPlace): Promise<Manifest> {
  const text = await readText(place, manifestFile);
  if (text === undefined) {
    const begun = await readText(place, unfinishedFile);
    throw new BackupError(
      begun === undefined
        ? `There is no backup in ${place.name}.`
        : `The backup in ${place.name} is incomplete: it was interrupted. Run npm run backup to the same place again, or restore another backup.`,
    );
  }
  const parsed = manifest.safeParse(parseJson(text));
  if (!parsed.success) throw new BackupError(`${manifestFile} in ${place.name} is damaged, or of a newer version.`);
  refuseNewer(parsed.data);
  return parsed.data;
}

/** The marker of an interrupted backup; undefined without one. */
export async function readUnfinished(place: BackupPlace): Promise<Unfinished | undefined> {
  const text = await readText(place, unfinishedFile);
  if (text === undefined) return undefined;
  const parsed = unfinished.safeParse(parseJson(text));
  if (!parsed.success) throw new BackupError(`${unfinishedFile} in ${place.name} is damaged: choose another place.`);
  return parsed.data;
}

export async function writeJson(place: BackupPlace, path: string, value: Unfinished | Manifest): Promise<void> {
  await place.put(path, once(Buffer.from(`${JSON.stringify(value, null, 2)}\n`)));
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function refuseNewer({ version, database }: Manifest): void {
  if (database === undefined) return;
  const known = knownMigrations();
  if (known.includes(database.migration)) return;
  throw new BackupError(
    `The backup's database is of a version that this program does not know (Hearth ${version}; this is ${programVersion}). ` +
      "Restore it with the program that it was taken with, or a newer one.",
  );
}

/** Times of the migrations of this program. */
function knownMigrations(): number[] {
  const journal = JSON.parse(readFileSync(join(migrationsFolder, "meta", "_journal.json"), "utf8")) as {
    entries: { when: number }[];
  };
  return journal.entries.map(({ when }) => when);
}

async function readText(place: BackupPlace, path: string): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of place.get(path)) parts.push(Buffer.from(part));
  } catch (error) {
    if (error instanceof MissingFileError) return undefined;
    throw error;
  }
  return Buffer.concat(parts).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
