import { ApiError } from "../api/error.ts";
import { type Method, type RequestOptions, request, send } from "../api/request.ts";
import { bearerCache, readServiceDid } from "../identity/bearer.ts";
import type { SigningKey } from "../identity/signing-key.ts";
import type { TimedCache } from "../identity/timed-cache.ts";
import type {
  BatchAnswer,
  FileEvent,
  FileMetadata,
  FolderMarks,
  Page,
  PrunedVersions,
  PurgedFile,
  Revocation,
  SearchHit,
  TreeEntry,
  Usage,
  VersionDiff,
  VersionEntry,
  VersionList,
} from "./file-types.ts";

const base = "/api/fs";
const pageSize = 200;

/** The file store in the name of a key. Every method throws ApiError. */
export class FileStore {
  readonly owner: string;
  readonly #bearers: TimedCache<string>;

  constructor(key: SigningKey, reveal: boolean) {
    this.owner = key.did();
    this.#bearers = bearerCache({ key, reveal, serviceDid: () => readServiceDid(window.location.origin) });
  }

  tree(path: string, cursor?: string) {
    return this.#json<Page<TreeEntry>>("GET", "/tree", { query: { path, limit: pageSize, cursor } });
  }
  file(id: string) {
    return this.#json<FileMetadata>("GET", `/files/${id}`);
  }
  usage() {
    return this.#json<Usage>("GET", "/usage");
  }
  search(q: string, path: string) {
    return this.#json<Page<SearchHit>>("GET", "/search", { query: { q, path, limit: 50 } });
  }
  events(id: string, cursor?: string) {
    return this.#json<Page<FileEvent>>("GET", `/files/${id}/events`, { query: { limit: 50, cursor } });
  }
  /** What happened in the whole namespace; the owner alone may ask. */
  allEvents(cursor?: string) {
    return this.#json<Page<FileEvent>>("GET", "/events", { query: { limit: 100, cursor } });
  }
  /** The files below a folder, in the order of their paths. */
  below(path: string, cursor?: string) {
    return this.#json<Page<FileMetadata>>("GET", "/files", { query: { path, limit: pageSize, cursor } });
  }
  trashed(cursor?: string) {
    return this.#json<Page<FileMetadata>>("GET", "/trash", { query: { path: "/", limit: pageSize, cursor } });
  }

  /** The live file at a path, if one is there. */
  async at(path: string): Promise<FileMetadata | undefined> {
    // A folder's own list begins with the file of that name.
    const { items } = await this.#json<Page<FileMetadata>>("GET", "/files", { query: { path, limit: 1 } });
    return items.find((file) => file.path === path);
  }

  versions(id: string) {
    return this.#json<VersionList>("GET", `/files/${id}/versions`);
  }
  diff(id: string, from: number, to: number) {
    return this.#json<VersionDiff>("GET", `/files/${id}/versions/diff`, { query: { from, to } });
  }
  restoreVersion(id: string, version: number) {
    return this.#json<FileMetadata>("POST", `/files/${id}/versions/${version}/restore`);
  }
  label(id: string, version: number, body: { label?: string | null; pinned?: boolean }) {
    return this.#json<VersionEntry>("PUT", `/files/${id}/versions/${version}/label`, { body });
  }

  /** Destroy all but the newest `keep` and the pinned ones, unless another head is there by now. */
  prune({ id, cid }: Pick<FileMetadata, "id" | "cid">, keep: number) {
    const headers = { "if-match": `"${cid}"` };
    return this.#json<PrunedVersions>("POST", `/files/${id}/versions/prune`, { body: { keep }, headers });
  }

  /** The bytes of the head, or of a retained version. */
  content(id: string, version?: number, signal?: AbortSignal) {
    const path = version === undefined ? `/files/${id}/content` : `/files/${id}/versions/${version}/content`;
    return this.#send("GET", path, { signal });
  }
  createText(path: string, text: string, contentType: string) {
    return this.#json<FileMetadata>("POST", "/files", { query: { path }, body: text, contentType });
  }
  /** Write over the head that was seen, and over no other. @throws ApiError PRECONDITION_FAILED */
  writeText(file: Pick<FileMetadata, "id" | "cid" | "mimeType">, text: string) {
    const headers = { "if-match": `"${file.cid}"` };
    return this.#json<FileMetadata>("PUT", `/files/${file.id}`, { body: text, contentType: file.mimeType, headers });
  }

  /** @throws ApiError also when the one item of the batch was refused */
  async move(file: Pick<FileMetadata, "id" | "version">, destinationPath: string): Promise<void> {
    const items = [{ id: file.id, version: file.version, destinationPath }];
    const { results } = await this.#json<BatchAnswer>("POST", "/batch/move", { body: { items } });
    const [result] = results;
    if (result === undefined || result.ok) return;
    throw new ApiError({ status: result.status, code: result.code ?? "CONFLICT", message: result.error ?? "" });
  }
  trash(id: string) {
    return this.#json<FileMetadata>("DELETE", `/files/${id}`);
  }
  restore(id: string) {
    return this.#json<FileMetadata>("POST", `/files/${id}/restore`);
  }
  purge(id: string) {
    return this.#json<PurgedFile>("POST", `/files/${id}/purge`);
  }
  setPublic(id: string, isPublic: boolean) {
    return this.#json<FileMetadata>("PATCH", `/files/${id}/public`, { body: { public: isPublic } });
  }
  setHidden(id: string, hidden: boolean) {
    return this.#json<FileMetadata>("PATCH", `/files/${id}/hidden`, { body: { hidden } });
  }
  setFolderPublic(path: string, isPublic: boolean) {
    return this.#json<FolderMarks>("PUT", "/folders/public", { body: { path, public: isPublic } });
  }
  setFolderHidden(path: string, hidden: boolean) {
    return this.#json<FolderMarks>("PUT", "/folders/hidden", { body: { path, hidden } });
  }
  /** Each file has a result of its own. At most 1 000. */
  trashMany(ids: readonly string[]) {
    return this.#json<BatchAnswer>("POST", "/batch/delete", { body: { ids } });
  }
  purgeMany(ids: readonly string[]) {
    return this.#json<BatchAnswer>("POST", "/batch/purge", { body: { ids } });
  }
  folderZip(path: string, signal?: AbortSignal) {
    return this.#send("GET", "/folder/download", { query: { path }, signal });
  }

  revoke(cid: string, token: string) {
    return this.#json<Revocation>("POST", "/revocations", { body: { cid, token } });
  }
  revocations(cursor?: string) {
    return this.#json<Page<Revocation>>("GET", "/revocations", { query: { limit: 100, cursor } });
  }

  /** The header of a request that is made elsewhere, such as by the uploader. */
  async authorization(): Promise<string> {
    return `Bearer ${await this.#bearers.get()}`;
  }

  async #json<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    return await this.#authorised(options, (sent) => request<T>(method, base + path, sent));
  }

  async #send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    return await this.#authorised(options, (sent) => send(method, base + path, sent));
  }

  /** A clock that was set, or a computer that slept, may have ended the bearer early: it is made anew once. */
  async #authorised<T>(options: RequestOptions, work: (sent: RequestOptions) => Promise<T>): Promise<T> {
    const withBearer = async () => ({
      ...options,
      headers: { ...options.headers, authorization: await this.authorization() },
    });
    try {
      return await work(await withBearer());
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      this.#bearers.forget();
      return await work(await withBearer());
    }
  }
}
