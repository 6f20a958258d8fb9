import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { OpenAPIHono } from "@hono/zod-openapi";
import { Server } from "@tus/server";
import type { Context } from "hono";
import { AppError, type ErrorCode } from "../../../platform/errors.ts";
import type { AppEnv } from "../../../platform/http/context.ts";
import { fileContext } from "../env.ts";
import { sentBytes } from "../request-body.ts";
import { describeUploads } from "./openapi.ts";
import { createUploadLocks } from "./upload-locks.ts";
import { SealedStore } from "./upload-store.ts";

const path = "/api/fs/upload";
const partType = "application/offset+octet-stream";

/** tus 1.0.0: resumable uploads. Partial ones lie sealed, are their beginner's alone, and outlive a restart. */
export function uploadRoutes(): OpenAPIHono<AppEnv> {
  const routes = new OpenAPIHono<AppEnv>();
  describeUploads(routes.openAPIRegistry);
  const locker = createUploadLocks();
  const handle = async (c: Context<AppEnv>): Promise<Response> => {
    requireMediaType(c);
    const store = new SealedStore(fileContext(c));
    let thrown: unknown;
    const server = new Server({
      path,
      datastore: store,
      locker,
      maxSize: c.get("deps").config.files.fileLimitBytes,
      relativeLocation: true,
      lockDrainTimeout: 1_000,
      onUploadFinish: async (_request, { id }) => {
        // An empty file is complete without a byte.
        if (store.file === undefined) await store.write(Readable.from([]), id, 0);
        return { headers: fileHeaders(store) };
      },
      onResponseError: (_request, error) => {
        thrown = error;
        return undefined;
      },
    });
    const answer = await server.handleWeb(streamedRequest(c));
    if (answer.status >= 400) throw refusal(thrown, answer);
    return fromTus(c, answer, store);
  };
  return routes
    .post("/upload", handle)
    .on(["GET", "PATCH", "DELETE"], "/upload/:id", handle) as unknown as OpenAPIHono<AppEnv>;
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE, which the protocol asks for when a part comes as anything else */
function requireMediaType(c: Context<AppEnv>): void {
  if (c.req.method !== "PATCH") return;
  const [type = ""] = (c.req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() === partType) return;
  const message = `The bytes of an upload come as ${partType}.`;
  const details = [{ path: "Content-Type", rule: "media-type", message }];
  throw withProtocol(new AppError("UNSUPPORTED_MEDIA_TYPE", message, { details }));
}

/** The request with its body read as uploads are: as fast as it is taken, and given up when the client falls silent. */
function streamedRequest(c: Context<AppEnv>): Request {
  const { url, method, headers } = c.req.raw;
  if (method !== "POST" && method !== "PATCH") return c.req.raw;
  const body: unknown = ReadableStream.from(sentBytes(c));
  return new Request(url, { method, headers, body: body as BodyInit, duplex: "half" } as RequestInit);
}

function fileHeaders({ file }: SealedStore): Record<string, string> {
  if (file === undefined) return {};
  const { id, cid, contentHash, version } = file;
  return {
    "x-vfs-file-id": id,
    "x-vfs-cid": cid,
    "x-vfs-content-hash": contentHash,
    "x-vfs-version": String(version),
  };
}

/** The tus server's answer, without the CORS headers that this server sets itself. */
function fromTus(c: Context<AppEnv>, answer: Response, store: SealedStore): Response {
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

/** The tus server's own refusals in the one error shape; what our store threw as it is. */
function refusal(thrown: unknown, answer: Response): unknown {
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
