import type { PreviousUpload, UrlStorage } from "tus-js-client";
import type { TextStorage } from "../../identity/key-vault.ts";
import { digestHex } from "../../numbers/hex.ts";
import { onSignOut } from "../../session/session.ts";

const prefix = "hearth.files.upload.";

type Storage = TextStorage & Pick<globalThis.Storage, "key" | "length">;

/** URLs of uploads in progress, kept in the tab so that an upload resumes after a reload. */
export class UploadAddresses implements UrlStorage {
  readonly #storage: Storage;

  constructor(storage: Storage = sessionStorage) {
    this.#storage = storage;
  }

  async findAllUploads(): Promise<PreviousUpload[]> {
    return this.#below(prefix);
  }

  async findUploadsByFingerprint(fingerprint: string): Promise<PreviousUpload[]> {
    return this.#below(`${prefix}${fingerprint}.`);
  }

  async removeUpload(key: string): Promise<void> {
    this.#storage.removeItem(key);
  }

  async addUpload(fingerprint: string, upload: PreviousUpload): Promise<string> {
    const key = `${prefix}${fingerprint}.${crypto.randomUUID()}`;
    this.#storage.setItem(key, JSON.stringify(upload));
    return key;
  }

  clear(): void {
    for (const { urlStorageKey } of this.#below(prefix)) this.#storage.removeItem(urlStorageKey);
  }

  #below(start: string): PreviousUpload[] {
    const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? "");
    return keys
      .filter((key) => key.startsWith(start))
      .map((key) => ({ ...(JSON.parse(this.#storage.getItem(key) ?? "{}") as PreviousUpload), urlStorageKey: key }));
  }
}

/** Uploads of this tab. */
export const uploadAddresses = new UploadAddresses();
onSignOut(() => uploadAddresses.clear());

/** Equal for the same file, destination and owner, as far as a browser can tell without reading the bytes. */
export async function uploadFingerprint(owner: string, path: string, file: File): Promise<string> {
  const text = JSON.stringify([owner, path, file.name, file.type, file.size, file.lastModified]);
  // Only a hash is stored, not the file's path.
  return await digestHex(text);
}
