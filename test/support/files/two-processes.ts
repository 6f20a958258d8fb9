import { randomBytes } from "node:crypto";
import type { FilesOptions } from "../../../api/files/open-files.ts";
import type { CoreOptions } from "../../../api/platform/server/core.ts";
import { startPostgres } from "../postgres.ts";
import { startS3 } from "../s3.ts";
import { openTestHttp } from "./http.ts";

/** For tests: two processes of the file store on one PostgreSQL and one bucket, with the same keys. */
export async function openTwoProcesses(options: CoreOptions & FilesOptions = {}) {
  const postgres = await startPostgres();
  const s3 = await startS3();
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    BLOB_URL: await s3.createBucket(),
    VFS_KEK: randomBytes(32).toString("hex"),
    SERVICE_KEY: randomBytes(32).toString("hex"),
  };
  const one = await openTestHttp(env, options);
  const two = await openTestHttp(env, options);
  const close = async () => {
    await two.close();
    await one.close();
    await s3.stop();
    await postgres.stop();
  };
  return { one, two, close };
}
