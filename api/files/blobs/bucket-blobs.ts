import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { type Clock, machineClock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import { type BlobEntry, BlobNotFoundError, type BlobRange, type BlobStore, checkBlobKey } from "./blob-store.ts";
import { type BucketPlace, openBucketClient } from "./bucket-client.ts";
import { bucketError } from "./bucket-unavailable.ts";

/** Bytes of one part; two are in flight. S3 takes at most 10 000 parts, so the configuration limits the size of files in buckets. */
const partSize = 8 << 20;
const partsInFlight = 2;
/** How long a connection may receive nothing before its request fails, in milliseconds. */
const silenceMs = 30_000;

/** Blobs as objects of a bucket, under immutable random keys. Credentials come from the AWS_* variables or the machine's role. */
export class BucketBlobs implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #clock: Clock;

  /** @param clock tells the age of interrupted uploads */
  constructor(place: BucketPlace, clock: Clock = machineClock) {
    this.#clock = clock;
    this.#bucket = place.bucket;
    this.#prefix = place.prefix;
    // Decryption authenticates every segment, so no further checksums are needed.
    this.#client = openBucketClient(place, {
      requestHandler: {
        connectionTimeout: 10_000,
        socketTimeout: silenceMs,
        httpsAgent: { maxSockets: 256 },
        httpAgent: { maxSockets: 256 },
      },
    });
    // "initialize" wraps the SDK's own retries, and applies to every command.
    this.#client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          throw bucketError(error);
        }
      },
      { step: "initialize", name: "bucketError", priority: "high" },
    );
  }

  /**
   * Check that the bucket can be reached and does not keep deleted objects. @throws Error when it does not exist, or keeps old
   * versions, because then a purge could not destroy keys
   */
  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })).catch((cause) => {
      throw isMissing(cause) ? new Error(`There is no bucket ${this.#bucket}.`, { cause }) : cause;
    });
    const state = await this.#client
      .send(new GetBucketVersioningCommand({ Bucket: this.#bucket }))
      .catch((error) => (isService(error, "NotImplemented") ? undefined : Promise.reject(error)));
    if (state?.Status === "Enabled") {
      throw new Error(
        `The bucket ${this.#bucket} keeps old versions of its objects, so a purge could not destroy keys.`,
      );
    }
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, { signal }: { signal?: AbortSignal } = {}) {
    signal?.throwIfAborted();
    const body = new CountedBody(source, signal);
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#object(key), Body: body.stream },
      partSize,
      queueSize: partsInFlight,
      // We remove the parts below: the library would throw the removal's error instead of the reason.
      leavePartsOnError: true,
    });
    const abort = () => void upload.abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await upload.done();
      return { size: body.size };
    } catch (error) {
      body.stream.destroy();
      const reason = body.failure?.reason ?? (signal?.aborted ? signal.reason : error);
      await this.#forget(key, upload.uploadId).catch((failure: unknown) => {
        // The bucket is unavailable: a later sweep removes the parts.
        if (!(failure instanceof AppError)) throw failure;
      });
      throw reason;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async *get(key: string, range: BlobRange = { start: 0 }, { signal }: { signal?: AbortSignal } = {}) {
    const { start, end } = range;
    const Range = start === 0 && end === undefined ? {} : { Range: `bytes=${start}-${end ?? ""}` };
    const command = new GetObjectCommand({ ...this.#object(key), ...Range });
    const answer = await this.#client
      .send(command, signal === undefined ? {} : { abortSignal: signal })
      .catch((error) => {
        if (isService(error, "InvalidRange")) return undefined;
        throw isMissing(error) ? new BlobNotFoundError(key, { cause: error }) : error;
      });
    let wanted = end === undefined ? Number.POSITIVE_INFINITY : end + 1 - start;
    if (answer?.Body === undefined) return;
    for await (const chunk of withBucketErrors(answer.Body as Readable)) {
      signal?.throwIfAborted();
      // Some services return too much for a range that ends at byte 0.
      yield chunk.subarray(0, wanted);
      wanted -= chunk.length;
      if (wanted <= 0) return;
    }
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(key)));
  }

  /** Objects cannot be overwritten in place; `check` made sure that the bucket keeps no old versions. */
  async shred(key: string): Promise<void> {
    await this.delete(key);
  }

  async *list(prefix: string): AsyncIterable<BlobEntry> {
    let ContinuationToken: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: `${this.#prefix}${prefix}`,
          ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
        }),
      );
      for (const { Key = "", Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
        yield { key: Key.slice(this.#prefix.length), size: Size, modifiedAt: LastModified };
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  async stat(key: string): Promise<BlobEntry | undefined> {
    const found = await this.#client
      .send(new HeadObjectCommand(this.#object(key)))
      .catch((error) => (isMissing(error) ? undefined : Promise.reject(error)));
    return found && { key, size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) };
  }

  /** Abort interrupted uploads. A service that cannot list them is expected to expire them by itself. */
  async collectLeftovers(olderThanMs: number): Promise<number> {
    const listing = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: this.#prefix });
    const found = await this.#client
      .send(listing)
      .catch((error) => (isService(error, "NotImplemented") ? undefined : Promise.reject(error)));
    const now = this.#clock.now().getTime();
    const old = (found?.Uploads ?? []).filter(({ Initiated }) => now - (Initiated?.getTime() ?? 0) >= olderThanMs);
    for (const { Key, UploadId } of old) {
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId }));
    }
    return old.length;
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  /** Clean up after a failed put: remove the stored parts, and the object in case it was created nevertheless. */
  async #forget(key: string, UploadId: string | undefined): Promise<void> {
    if (UploadId !== undefined) {
      const command = new AbortMultipartUploadCommand({ ...this.#object(key), UploadId });
      await this.#client.send(command).catch((error) => {
        if (!isService(error, "MethodNotAllowed") && !isService(error, "NoSuchUpload")) throw error;
      });
    }
    await this.delete(key);
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${checkBlobKey(key)}` };
  }
}

/** Wraps a source as the stream that the library needs. Records its size and its error. */
class CountedBody {
  size = 0;
  failure: { reason: unknown } | undefined;
  readonly stream: Readable;

  constructor(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
    this.stream = Readable.from(this.#count(source, signal), { objectMode: false, highWaterMark: 0 });
  }

  async *#count(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
    try {
      for await (const chunk of source) {
        signal?.throwIfAborted();
        this.size += chunk.length;
        // The library keeps chunks beyond the next one, so they are copied.
        if (chunk.length > 0) yield Buffer.from(chunk);
      }
    } catch (reason) {
      this.failure = { reason };
      throw reason;
    }
  }
}

/** Yield the bytes of a response. @throws AppError UNAVAILABLE when the connection breaks */
async function* withBucketErrors(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw bucketError(error);
  }
}

function isService(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name;
}

function isMissing(error: unknown): boolean {
  return isService(error, "NoSuchKey") || isService(error, "NotFound");
}
