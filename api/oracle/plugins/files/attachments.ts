import { buffer } from "node:stream/consumers";
import { AppError } from "../../../platform/errors.ts";
import {
  callOutside,
  OutboundError,
  type OutboundResponse,
  type OutboundRules,
} from "../../../platform/outbound/index.ts";
import type { Attachment } from "../../wire/turn.ts";
import type { Services } from "../host/services.ts";
import type { ToolContext } from "../host/tool.ts";
import { baseOf, fetchMedia } from "./matrix-media.ts";

const maxBytes = 25 * 1024 * 1024;
const timeoutMs = 20_000;

export type AttachmentOptions = {
  /** The installation's home server; only it may be at an address of this machine. */
  homeServer?: string | undefined;
};

/** An attachment's text; the runtime cuts it if it is too long for the model. */
export type ReadAttachment = { filename: string; mimetype: string; bytes: number; text: string };

/**
 * Read an attachment of the message: one of the user's own files (`vfs:/path`), a public https address, or media of the user's
 * home server (`mxc://server/id`).
 * @throws AppError NOT_FOUND; FORBIDDEN without a delegation over files, or without a Matrix session; TOO_LARGE; INVALID_INPUT
 * for one that differs from the message's description; UNSUPPORTED_MEDIA_TYPE when it is not text; UPSTREAM
 */
export async function readAttachment(
  services: Services,
  ctx: ToolContext,
  filename: string,
  options: AttachmentOptions = {},
): Promise<ReadAttachment> {
  const found = ctx.attachments.find((attachment) => attachment.filename === filename);
  if (found === undefined) throw new AppError("NOT_FOUND", `The message has no attachment "${filename}".`);
  const bytes = await bytesOf(services, ctx, found, options);
  if (found.size !== undefined && found.size !== bytes.byteLength) {
    throw differs(`"${filename}" has ${bytes.byteLength} bytes, and the message says ${found.size}.`);
  }
  return { filename, mimetype: found.mimetype, bytes: bytes.byteLength, text: textOf(bytes, filename) };
}

async function bytesOf(
  services: Services,
  ctx: ToolContext,
  attachment: Attachment,
  { homeServer }: AttachmentOptions,
): Promise<Uint8Array> {
  const { mxcUri = "" } = attachment;
  if (mxcUri.startsWith("vfs:")) return await ownFile(services, ctx, mxcUri.slice("vfs:".length));
  const limits = { timeoutMs, maxBytes };
  if (mxcUri.startsWith("https://")) {
    return await fetched(attachment, () => callOutside(mxcUri, { ...limits, maxRedirects: 3 }, publicOnly));
  }
  if (mxcUri.startsWith("mxc://")) {
    const { matrix } = ctx;
    const isOwn = matrix !== undefined && homeServer !== undefined && baseOf(matrix.homeServer) === baseOf(homeServer);
    return await fetched(attachment, () => fetchMedia(mxcUri, matrix, limits, { allowLoopback: isOwn }));
  }
  const message =
    "Only media (mxc://server/id), https addresses and the user's own files (vfs:/path) can be read here; an eventId alone names no room.";
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
}

/** Addresses of this machine are not allowed, because a user chooses the address. */
const publicOnly: OutboundRules = { allowLoopback: false };

async function ownFile(services: Services, ctx: ToolContext, path: string): Promise<Uint8Array> {
  const { stream, size } = await services.files.open(await services.userFiles(ctx), path);
  if (size > maxBytes) throw new AppError("TOO_LARGE", `An attachment may have at most ${maxBytes} bytes.`);
  return await buffer(stream());
}

async function fetched({ filename, mimetype }: Attachment, call: () => Promise<OutboundResponse>): Promise<Uint8Array> {
  try {
    const { status, headers, body } = await call();
    if (status !== 200) throw new OutboundError(`answered ${status}`);
    const type = typeOf(headers["content-type"]);
    // Servers send unknown types as octets or plain text.
    if (!unsaid.has(type) && type !== typeOf(mimetype)) {
      throw differs(`"${filename}" is ${type}, and the message says ${typeOf(mimetype)}.`);
    }
    return body;
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new AppError("UPSTREAM", `The attachment could not be fetched: its address ${cause.message}.`, { cause });
  }
}

const unsaid = new Set(["", "application/octet-stream", "text/plain"]);

function typeOf(contentType: string | string[] | undefined): string {
  return (
    String(contentType ?? "")
      .split(";", 1)[0]
      ?.trim()
      .toLowerCase() ?? ""
  );
}

function differs(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { details: [{ rule: "attachment-as-said", message }] });
}

function textOf(bytes: Uint8Array, filename: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", `"${filename}" is not text.`);
  }
}
