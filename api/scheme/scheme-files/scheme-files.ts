import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import DataLoader from "dataloader";
import type { Hex } from "viem";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { ServiceIdentity } from "../../platform/identity/index.ts";
import { type EvidenceStore, type FileCaller, sentFilesPercent } from "../../platform/ports/files.ts";
import { type Authority, parseCid, ServiceAccess } from "../../platform/ucan/index.ts";

/** Folder of the campaigns' private files. */
const campaignsFolder = "/kpt";
/** Most files that one purge destroys. */
const maxPurged = 1000;
/** Longest name of a folder; longer ones end in their hash. */
const maxSegment = 200;

export type SchemeFilesDeps = {
  clock: Clock;
  store: EvidenceStore;
  identity: ServiceIdentity;
  authority: Pick<Authority, "verifyBearer">;
};
/** What the functions over the scheme's files need of Deps. */
export type SchemeDeps = { schemeFiles: SchemeFiles };

/**
 * The scheme's namespace of the file store, owned by the service's did:key. The service acts there like any other user, with a
 * token that it signs for itself and that the file store's authority verifies.
 */
export class SchemeFiles {
  readonly #deps: SchemeFilesDeps;
  readonly #access: ServiceAccess;
  readonly #purges: DataLoader<string, true>;
  #purging: Promise<unknown> = Promise.resolve();

  /** @param root Folder of the namespace that this access is bounded to: each feature has its own. */
  constructor(deps: SchemeFilesDeps, root = campaignsFolder) {
    this.#deps = deps;
    this.#access = new ServiceAccess(deps, root);
    this.#purges = new DataLoader<string, true>((ids) => this.#purgeTogether(ids), {
      cache: false,
      maxBatchSize: maxPurged,
      // Files to purge that arrive while a purge runs are collected for the next purge.
      batchScheduleFn: (run) => void this.#purging.then(() => setImmediate(run)),
    });
  }

  /** The service, which owns this namespace. */
  get identity(): ServiceIdentity {
    return this.#deps.identity;
  }

  /** DID of the namespace. */
  get owner(): string {
    return this.#access.owner;
  }

  /** The file store, for use with `caller`. */
  get store(): EvidenceStore {
    return this.#deps.store;
  }

  /** The service itself, as the file store's caller. */
  async caller(): Promise<FileCaller> {
    return { access: await this.#access.access() };
  }

  /** The service where it stores what others send. */
  async receiver(): Promise<FileCaller> {
    return { ...(await this.caller()), quotaPercent: sentFilesPercent };
  }

  /**
   * Destroy files, keys and bytes; ids that are not there do nothing. A purge costs about the same for one file as for many, so
   * callers should share it.
   * @throws AppError when one of the files cannot be destroyed; the others are
   */
  async purge(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#purges.load(id)));
  }

  async #purgeTogether(ids: readonly string[]): Promise<(true | AppError)[]> {
    const purging = this.caller().then((caller) => this.store.purge(caller, [...new Set(ids)]));
    this.#purging = purging.catch(() => {});
    try {
      await purging;
      return ids.map(() => true);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
      // Only the callers of the files that were refused.
      const refused = new Set(error.details.map(({ path }) => path));
      return ids.map((id) => (refused.has(id) ? error : true));
    }
  }

  /** Sign a token that lets its audience read the files of a folder. With the service as audience it is a bearer token. */
  mintReader(input: { audience: string; path: string; seconds: number }): Promise<{ token: string; expiresAt: Date }> {
    return this.#access.mintReader(input);
  }
}

/** The folder of a campaign's files in the scheme's namespace. */
export function campaignFolder(campaignId: string): string {
  return `${campaignsFolder}/${segmentOf(campaignId)}`;
}

/** Convert an identifier to one segment of a path, which is unique and not hidden. */
export function segmentOf(id: string): string {
  // Only a hash begins with a tilde; a leading dot would hide the file.
  const encoded = encodeURIComponent(id).replaceAll("~", "%7E").replace(/^\./, "%2E");
  if (encoded.length <= maxSegment) return encoded;
  return `${encoded.slice(0, maxSegment - 65)}~${createHash("sha256").update(id).digest("hex")}`;
}

export type SchemeFile = { path: string; bytes: Uint8Array; mimeType: string };
/** `digest` is the SHA-256 in the CID: that of the bytes themselves up to 1 MiB. */
export type StoredSchemeFile = { cid: string; digest: Hex };

/** Keep a file in the scheme's namespace, encrypted like every file; the same bytes at the same path change nothing. */
export async function storeSchemeFile(
  deps: SchemeDeps,
  { path, bytes, mimeType }: SchemeFile,
): Promise<StoredSchemeFile> {
  const { schemeFiles } = deps;
  const { cid } = await schemeFiles.store.put(await schemeFiles.caller(), { path, mimeType, content: bytes });
  return { cid, digest: digestOf(cid) };
}

/** The bytes of a file in the scheme's namespace. @throws AppError NOT_FOUND */
export async function readSchemeFile(deps: SchemeDeps, path: string): Promise<Uint8Array> {
  const { schemeFiles } = deps;
  const { stream } = await schemeFiles.store.open(await schemeFiles.caller(), path);
  return await buffer(stream());
}

export function digestOf(cid: string): Hex {
  return `0x${Buffer.from(parseCid(cid).cid.multihash.digest).toString("hex")}`;
}
