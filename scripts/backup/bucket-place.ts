import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { openBucketClient, type BucketPlace as Place } from "../../api/files/blobs/bucket-client.ts";
import { type BackupPlace, Hashed, MissingFileError, type Stored } from "./place.ts";

/** A bucket of an S3-compatible service. Credentials come from the AWS_* variables or the machine's role. */
export class BucketPlace implements BackupPlace {
  readonly name: string;
  readonly #client: S3Client;
  readonly #place: Place;

  constructor(name: string, place: Place) {
    this.name = name;
    this.#place = place;
    // The manifest has a hash of each file.
    this.#client = openBucketClient(place);
  }

  async put(path: string, source: AsyncIterable<Uint8Array>): Promise<Stored> {
    const hashed = new Hashed();
    const Body = Readable.from(copied(hashed.of(source)), { objectMode: false });
    await new Upload({ client: this.#client, params: { ...this.#object(path), Body } }).done();
    return hashed.end();
  }

  async *get(path: string): AsyncGenerator<Uint8Array> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#object(path))).catch((error) => {
      throw isMissing(error) ? new MissingFileError(path, this.name) : error;
    });
    if (Body !== undefined) yield* Body as Readable;
  }

  async sizeOf(path: string): Promise<number | undefined> {
    const found = await this.#client.send(new HeadObjectCommand(this.#object(path))).catch((error) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
    return found && (found.ContentLength ?? 0);
  }

  async isEmpty(): Promise<boolean> {
    const { bucket, prefix } = this.#place;
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
    return ((await this.#client.send(list)).Contents ?? []).length === 0;
  }

  async remove(path: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(path)));
  }

  close(): void {
    this.#client.destroy();
  }

  #object(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: `${this.#place.prefix}${path}` };
  }
}

/** The library keeps chunks beyond the next one, and the sources reuse their memory. */
async function* copied(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of source) if (chunk.length > 0) yield Buffer.from(chunk);
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === "NoSuchKey" || error.name === "NotFound");
}
