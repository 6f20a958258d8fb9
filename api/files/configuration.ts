import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { PlatformConfig } from "../platform/config.ts";
import type { RuleDetail } from "../platform/errors.ts";
import { isDid } from "../platform/ucan/index.ts";

/** Where encrypted bytes are stored: a folder, or a bucket of an S3-compatible service. */
export type BlobPlace =
  | { kind: "disk"; folder: string }
  | {
      kind: "s3";
      bucket: string;
      /** Prefix of every key; ends in `/` unless empty. */
      prefix: string;
      endpoint: string | undefined;
      region: string;
      /** True if the bucket is part of the path, not of the host name. */
      pathStyle: boolean;
    };

/** The part of the configuration that the file store reads. */
export type FileStoreConfig = PlatformConfig & { files: FilesConfig };

export type FilesConfig = {
  blobs: BlobPlace;
  /** Most bytes of one version. */
  fileLimitBytes: number;
  /** Most bytes of all retained versions of a namespace; undefined means no quota. */
  namespaceQuotaBytes: number | undefined;
  /** Most bytes of all retained versions of all namespaces; undefined means no limit. */
  storeLimitBytes: number | undefined;
  /** DIDs that may store files here; undefined means all. */
  owners: string[] | undefined;
  /** Changes per minute from one address; undefined means that only requests are limited. */
  writesPerMinute: number | undefined;
  /** How long the body of one request may take, in seconds. */
  bodySeconds: number;
  /** Requests per minute of one invoker. */
  requestsPerMinute: number;
  /** Key-encryption keys, 64 hexadecimal digits each. Without `current`, a key is created on first start under `dataDir`/keys. */
  kek: { current: string | undefined; previous: string[] };
  /** Share of reads that the audit records, 0 to 1. */
  auditReadSample: number;
  /** Bytes per second that the background scrub reads at most; 0 switches it off. */
  scrubBytesPerSecond: number;
};

const kek = z.string().transform((text, ctx) => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length === 32 && (text.length === 64 || bytes.toString("base64") === text)) return bytes.toString("hex");
  ctx.addIssue({ code: "custom", message: "must be 32 bytes: 64 hexadecimal digits, or base64" });
  return z.NEVER;
});
/** 10 000 parts of 8 MiB, minus the overhead of encryption. */
const largestInBucket = 75 * 1024 ** 3;
const bytesLimit = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The file store's variables, part of the environment that api/config.ts reads. */
export const fileVariables = {
  BLOB_URL: z
    .string()
    .transform((text, ctx) => {
      const place = readBlobUrl(text);
      if (typeof place !== "string") return place;
      ctx.addIssue({ code: "custom", message: place });
      return z.NEVER;
    })
    .optional(),
  FILE_LIMIT_BYTES: bytesLimit.default(5 * 1024 ** 3),
  NAMESPACE_QUOTA_BYTES: bytesLimit.optional(),
  STORE_LIMIT_BYTES: bytesLimit.optional(),
  FS_OWNERS: z
    .string()
    .transform((text) => text.split(",").map((each) => each.trim()))
    .pipe(z.array(z.string().refine(isDid, "must be DIDs, with commas between them")))
    .optional(),
  FS_WRITES_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).optional(),
  FS_BODY_SECONDS: z.coerce.number().int().min(1).max(86_400).default(7200),
  FS_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(600),
  VFS_KEK: kek.optional(),
  VFS_KEK_PREVIOUS: z
    .string()
    .transform((text) => text.split(",").map((each) => each.trim()))
    .pipe(z.array(kek))
    .default([]),
  SCRUB_BYTES_PER_SECOND: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(2_000_000),
  AUDIT_READ_SAMPLE: z.coerce.number().min(0).max(1).default(0),
};

type FileEnvironment = z.output<z.ZodObject<typeof fileVariables>>;

/** List the variables that contradict each other. */
export function fileVariableProblems(given: Record<string, string | undefined>): RuleDetail[] {
  const problems: RuleDetail[] = [];
  if (given.BLOB_URL?.startsWith("s3:") && Number(given.FILE_LIMIT_BYTES) > largestInBucket) {
    const message = `must be at most ${largestInBucket} when files are stored in a bucket`;
    problems.push({ path: "FILE_LIMIT_BYTES", rule: "configuration", message });
  }
  const missing = (message: string) => problems.push({ path: "VFS_KEK", rule: "configuration", message });
  if (given.VFS_KEK !== undefined) return problems;
  if (given.DATABASE_URL !== undefined && given.BLOB_URL?.startsWith("s3:")) {
    missing("is missing: several machines (DATABASE_URL, BLOB_URL) must open the same keys");
  }
  if (given.VFS_KEK_PREVIOUS !== undefined) missing("is missing: VFS_KEK_PREVIOUS requires it");
  return problems;
}

/** @param dataDir absolute */
export function toFilesConfig(env: FileEnvironment, dataDir: string): FilesConfig {
  return {
    blobs: env.BLOB_URL ?? { kind: "disk", folder: join(dataDir, "files") },
    fileLimitBytes: env.FILE_LIMIT_BYTES,
    namespaceQuotaBytes: env.NAMESPACE_QUOTA_BYTES,
    storeLimitBytes: env.STORE_LIMIT_BYTES,
    owners: env.FS_OWNERS,
    writesPerMinute: env.FS_WRITES_PER_MINUTE,
    bodySeconds: env.FS_BODY_SECONDS,
    requestsPerMinute: env.FS_REQUESTS_PER_MINUTE,
    kek: { current: env.VFS_KEK, previous: env.VFS_KEK_PREVIOUS },
    auditReadSample: env.AUDIT_READ_SAMPLE,
    scrubBytesPerSecond: env.SCRUB_BYTES_PER_SECOND,
  };
}

/** The configuration without secrets, for a log line. */
export function redactFilesConfig(files: FilesConfig): unknown {
  const { current, previous } = files.kek;
  return {
    ...files,
    kek: { current: current === undefined ? undefined : "[secret]", previous: previous.map(() => "[secret]") },
  };
}

/** Parse the URL, or return the error message. */
export function readBlobUrl(text: string): BlobPlace | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.hash !== "") return 'must not have a fragment: the part from "#" on';
  if (url?.protocol === "file:" && url.search !== "") return 'must not have a query: the part from "?" on';
  if (url?.protocol === "file:") return { kind: "disk", folder: resolve(fileURLToPath(url)) };
  if (url?.protocol !== "s3:" || url.hostname === "") {
    return "must be file:///folder or s3://bucket/prefix?endpoint=…&region=…&pathStyle=1";
  }
  if (url.username !== "" || url.password !== "") {
    return "must not contain credentials: they come from the AWS_* variables";
  }
  const unknown = [...url.searchParams.keys()].filter((name) => !["endpoint", "region", "pathStyle"].includes(name));
  if (unknown.length > 0) return `has unknown parameters: ${unknown.join(", ")}`;
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : "")) {
    return "has an endpoint that is not an http(s) URL";
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  return {
    kind: "s3",
    bucket: url.hostname,
    prefix: prefix === "" ? "" : `${decodeURIComponent(prefix)}/`,
    endpoint,
    region: url.searchParams.get("region") ?? "us-east-1",
    pathStyle: url.searchParams.get("pathStyle") === "1",
  };
}
