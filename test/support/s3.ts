import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import S3rver from "s3rver";
import { freePorts } from "./ports.ts";

export type TestS3 = {
  /** The BLOB_URL of a new, empty bucket. */
  createBucket: () => Promise<string>;
  /** Refuse all connections until `resume`. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  stop: () => Promise<void>;
};

/** What the test server takes; `startS3` puts it into this process's environment, where the client looks. */
export const testS3Credentials = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** Start an S3-compatible server, in a folder that `stop` removes. */
export async function startS3(): Promise<TestS3> {
  const [port] = (await freePorts(1)) as [number];
  const directory = await mkdtemp(join(tmpdir(), "hearth-s3-"));
  const newServer = () =>
    new S3rver({ port, address: "127.0.0.1", silent: true, directory, vhostBuckets: false }) as S3rver & {
      httpServer: Server;
    };
  let server = newServer();
  await server.run();
  const close = async () => {
    if (!server.httpServer.listening) return;
    const closed = server.close();
    server.httpServer.closeAllConnections();
    await closed;
  };
  Object.assign(process.env, testS3Credentials);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, forcePathStyle: true, region: "us-east-1" });
  let buckets = 0;
  return {
    async createBucket() {
      const Bucket = `bucket-${++buckets}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      return `s3://${Bucket}/files?endpoint=${encodeURIComponent(endpoint)}&pathStyle=1`;
    },
    pause: close,
    async resume() {
      server = newServer();
      await server.run();
    },
    async stop() {
      client.destroy();
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
