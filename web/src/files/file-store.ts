import { createClient, type HearthClient } from "../../../wire/src/client.ts";
import { HearthError } from "../../../wire/src/errors.ts";
import { sendRequest } from "../api/client.ts";
import type { Upload } from "../api/send-with-progress.ts";
import { type BearerGrant, bearerCache, readServiceDid } from "../identity/bearer.ts";
import type { SigningKey } from "../identity/signing-key.ts";
import type { TimedCache } from "../identity/timed-cache.ts";
import type { FileMetadata } from "./file-types.ts";

const pageSize = 200;

/** The file store, called with one key. Every method throws HearthError. */
export class FileStore {
  readonly owner: string;
  readonly #bearers: TimedCache<string>;
  readonly #api: HearthClient;

  /** @param grant what the owner of other files has delegated to the key; absent: the key's own files */
  constructor(key: SigningKey, reveal: boolean, grant?: BearerGrant & { owner: string }) {
    this.owner = grant?.owner ?? key.did();
    const serviceDid = () => readServiceDid(window.location.origin);
    this.#bearers = bearerCache({ key, reveal, serviceDid, ...(grant === undefined ? {} : { grant }) });
    this.#api = this.#client();
  }

  tree(path: string, cursor?: string) {
    return this.#api.get("/api/fs/tree", { query: { path, limit: pageSize, cursor } });
  }
  file(id: string) {
    return this.#api.get("/api/fs/files/{id}", { path: { id } });
  }
  usage() {
    return this.#api.get("/api/fs/usage");
  }
  search(q: string, path: string) {
    return this.#api.get("/api/fs/search", { query: { q, path, limit: 50 } });
  }
  events(id: string, cursor?: string) {
    return this.#api.get("/api/fs/files/{id}/events", { path: { id }, query: { limit: 50, cursor } });
  }
  /** Events of the whole namespace; only its owner may read them. */
  allEvents(cursor?: string) {
    return this.#api.get("/api/fs/events", { query: { limit: 100, cursor } });
  }
  /** The files below a folder, ordered by path. */
  below(path: string, cursor?: string) {
    return this.#api.get("/api/fs/files", { query: { path, limit: pageSize, cursor } });
  }
  trashed(cursor?: string) {
    return this.#api.get("/api/fs/trash", { query: { path: "/", limit: pageSize, cursor } });
  }

  /** The live file at a path, if any. */
  async at(path: string): Promise<FileMetadata | undefined> {
    // A folder's list begins with the file of the same path, if any.
    const { items } = await this.#api.get("/api/fs/files", { query: { path, limit: 1 } });
    return items.find((file) => file.path === path);
  }

  versions(id: string) {
    return this.#api.get("/api/fs/files/{id}/versions", { path: { id } });
  }
  diff(id: string, from: number, to: number) {
    return this.#api.get("/api/fs/files/{id}/versions/diff", { path: { id }, query: { from, to } });
  }
  restoreVersion(id: string, version: number) {
    return this.#api.post("/api/fs/files/{id}/versions/{version}/restore", { path: { id, version } });
  }
  label(id: string, version: number, body: { label?: string | null; pinned?: boolean }) {
    return this.#api.put("/api/fs/files/{id}/versions/{version}/label", { path: { id, version }, body });
  }

  /** Destroy all versions but the newest `keep` and the pinned ones, unless the head has changed. */
  prune({ id, cid }: Pick<FileMetadata, "id" | "cid">, keep: number) {
    const headers = { "if-match": `"${cid}"` };
    return this.#api.post("/api/fs/files/{id}/versions/prune", { path: { id }, body: { keep }, headers });
  }

  /** The bytes of the head, or of a retained version. */
  content(id: string, version?: number, signal?: AbortSignal) {
    if (version === undefined) return this.#api.raw("get", "/api/fs/files/{id}/content", { path: { id }, signal });
    return this.#api.raw("get", "/api/fs/files/{id}/versions/{version}/content", { path: { id, version }, signal });
  }
  createText(path: string, body: string, contentType: string) {
    return this.#api.post("/api/fs/files", { query: { path }, body, contentType });
  }
  /** Replace the head only if it is still the given one. @throws HearthError PRECONDITION_FAILED */
  writeText({ id, cid, mimeType }: Pick<FileMetadata, "id" | "cid" | "mimeType">, body: string) {
    const headers = { "if-match": `"${cid}"` };
    return this.#api.put("/api/fs/files/{id}", { path: { id }, body, contentType: mimeType, headers });
  }
  /** Replace the head with an upload only if it is still the given one. @throws HearthError PRECONDITION_FAILED */
  replace({ id, cid, mimeType }: FileMetadata, upload: Upload, signal: AbortSignal) {
    const headers = { "if-match": `"${cid}"` };
    const body = upload.content;
    const contentType = body.type || mimeType;
    return this.#client(upload).put("/api/fs/files/{id}", { path: { id }, body, contentType, headers, signal });
  }

  /** @throws HearthError also when the single item of the batch was refused */
  async move({ id, version }: Pick<FileMetadata, "id" | "version">, destinationPath: string): Promise<void> {
    const { results } = await this.#api.post("/api/fs/batch/move", {
      body: { items: [{ id, version, destinationPath }] },
    });
    const [result] = results;
    if (result === undefined || result.ok) return;
    throw new HearthError({ status: result.status, code: result.code ?? "CONFLICT", message: result.error ?? "" });
  }
  trash(id: string) {
    return this.#api.delete("/api/fs/files/{id}", { path: { id } });
  }
  restore(id: string) {
    return this.#api.post("/api/fs/files/{id}/restore", { path: { id } });
  }
  purge(id: string) {
    return this.#api.post("/api/fs/files/{id}/purge", { path: { id } });
  }
  setPublic(id: string, isPublic: boolean) {
    return this.#api.patch("/api/fs/files/{id}/public", { path: { id }, body: { public: isPublic } });
  }
  setHidden(id: string, hidden: boolean) {
    return this.#api.patch("/api/fs/files/{id}/hidden", { path: { id }, body: { hidden } });
  }
  setFolderPublic(path: string, isPublic: boolean) {
    return this.#api.put("/api/fs/folders/public", { body: { path, public: isPublic } });
  }
  setFolderHidden(path: string, hidden: boolean) {
    return this.#api.put("/api/fs/folders/hidden", { body: { path, hidden } });
  }
  /** Trash at most 1 000 files; each has its own result. */
  trashMany(ids: readonly string[]) {
    return this.#api.post("/api/fs/batch/delete", { body: { ids: [...ids] } });
  }
  purgeMany(ids: readonly string[]) {
    return this.#api.post("/api/fs/batch/purge", { body: { ids: [...ids] } });
  }
  folderZip(path: string, signal?: AbortSignal) {
    return this.#api.raw("get", "/api/fs/folder/download", { query: { path }, signal });
  }

  revoke(cid: string, token: string) {
    return this.#api.post("/api/fs/revocations", { body: { cid, token } });
  }
  revocations(cursor?: string) {
    return this.#api.get("/api/fs/revocations", { query: { limit: 100, cursor } });
  }

  /** Authorization header for a request that another client sends, such as the uploader. */
  async authorization(): Promise<string> {
    return `Bearer ${await this.#bearers.get()}`;
  }

  #client(upload?: Upload): HearthClient {
    const send = async (request: Request) => {
      const again = request.clone();
      const response = await this.#sendRequest(request, upload);
      if (response.status !== 401) return response;
      // A bearer token may end early when the clock was set or the computer slept: make a new one, once.
      this.#bearers.forget();
      return await this.#sendRequest(again, upload);
    };
    return createClient({ baseUrl: window.location.origin, retries: 0, fetch: send });
  }

  async #sendRequest(request: Request, upload: Upload | undefined): Promise<Response> {
    request.headers.set("authorization", await this.authorization());
    return await sendRequest(request, upload);
  }
}
