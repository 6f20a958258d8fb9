import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { OpenAPIHono } from "@hono/zod-openapi";
import { Server } from "@tus/server";
import type { Context } from "hono";
import { AppError, type ErrorCode } from "../../../platform/errors.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { sentBytes } from "../request-body.ts";
import { describeUploads } from "./openapi.ts";
import { createUploadLocks } from "./upload-locks.ts";
import { TusStore } from "./upload-store.ts";

const path = "/api/fs/upload";
const partType = "application/offset+octet-stream";

/**
 * tus 1.0.0: resumable uploads. Their parts are stored encrypted and survive a restart; only the DID that began an upload can
 * continue it.
 */
export function uploadRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  const routes = new OpenAPIHono<FileEnv>();
  describeUploads(routes.openAPIRegistry);
  const locker = createUploadLocks();
  const handle = async (c: Context<FileEnv>): Promise<Response> => {
    requireMediaType(c);
    const store = new TusStore(fileContext(deps, c));
    let thrown: unknown;
    const server = new Server({
      path,
      datastore: store,
      locker,
      maxSize: deps.config.files.fileLimitBytes,
      relativeLocation: true,
      lockDrainTimeout: 1_000,
      onUploadFinish: async (_request, { id }) => {
        // An empty file is complete without any write.
        if (store.file === undefined) await store.write(Readable.from([]), id, 0);
        return { headers: fileHeaders(store) };
      },
      onResponseError: (_request, error) => {
        thrown = error;
        return undefined;
      },
    });
    const answer = await server.handleWeb(streamedRequest(c, deps.config.files));
    if (answer.status >= 400) throw toError(thrown, answer);
    return fromTus(c, answer, store);
  };
  return routes
    .post("/upload", handle)
    .on(["GET", "PATCH", "DELETE"], "/upload/:id", handle) as unknown as OpenAPIHono<FileEnv>;
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE for another media type, as the protocol requires */
function requireMediaType(c: Context<FileEnv>): void {
  if (c.req.method !== "PATCH") return;
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() === partType) return;
  const message = `The bytes of an upload must have the type ${partType}.`;
  const details = [{ path: "Content-Type", rule: "media-type", message }];
  throw withProtocol(new AppError("UNSUPPORTED_MEDIA_TYPE", message, { details }));
}

/** Replace the request's body by one with backpressure, which fails when the client stops sending. */
function streamedRequest(c: Context<FileEnv>, time: { bodySeconds: number }): Request {
  const { url, method, headers } = c.req.raw;
  if (method !== "POST" && method !== "PATCH") return c.req.raw;
  const body: unknown = ReadableStream.from(sentBytes(c, time));
  return new Request(url, { method, headers, body: body as BodyInit, duplex: "half" } as RequestInit);
}

function fileHeaders({ file }: TusStore): Record<string, string> {
  if (file === undefined) return {};
  const { id, cid, contentHash, version } = file;
  return {
    "x-vfs-file-id": id,
    "x-vfs-cid": cid,
    "x-vfs-content-hash": contentHash,
    "x-vfs-version": String(version),
  };
}

/** Convert the tus server's response, without the CORS headers that this server sets itself. */
function fromTus(c: Context<FileEnv>, answer: Response, store: TusStore): Response {
  answer.headers.forEach((value, name) => {
    if (!name.startsWith("access-control-")) c.header(name, value);
  });
  for (const [name, value] of Object.entries(fileHeaders(store))) c.header(name, value);
  c.header("Cache-Control", "no-store");
  return c.body(null, answer.status as 200);
}

const codes: Record<number, ErrorCode> = {
  404: "NOT_FOUND",
  409: "CONFLICT",
  410: "NOT_FOUND",
  412: "PRECONDITION_FAILED",
  413: "TOO_LARGE",
};

/** Convert the tus server's errors to Hearth's shape. Errors of the store are returned unchanged. */
function toError(thrown: unknown, answer: Response): unknown {
  if (thrown instanceof AppError) return withProtocol(thrown);
  const known = typeof thrown === "object" && thrown !== null && "status_code" in thrown && "body" in thrown;
  if (thrown !== undefined && !known) return thrown;
  const message = known ? String(thrown.body).trim() : "The request does not follow tus 1.0.0.";
  const code = codes[answer.status] ?? "INVALID_INPUT";
  return withProtocol(new AppError(code, message, { details: [{ path: "tus", rule: "protocol", message }] }));
}

function withProtocol(error: AppError): AppError {
  const headers = { ...error.headers, "Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0" };
  const { code, message, details, cause, extra } = error;
  return new AppError(code, message, { details, cause, headers, ...(extra === undefined ? {} : { extra }) });
}
