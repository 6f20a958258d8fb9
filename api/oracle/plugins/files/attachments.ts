import { buffer } from "node:stream/consumers";
import { AppError } from "../../../errors.ts";
import { openContent } from "../../../files/read/open-content.ts";
import { callOutside, OutboundError, type OutboundRules } from "../../../http/outbound.ts";
import type { Services } from "../../services.ts";
import type { ToolContext } from "../../tool.ts";
import type { Attachment } from "../../turn.ts";

const maxBytes = 25_000_000;
const timeoutMs = 20_000;

/** Not even this machine's own addresses: what a message names is not this server's to reach. */
export const attachmentRules: OutboundRules = { allowLoopback: false };

/** An attachment's text; what is too long for the model the runtime cuts. */
export type ReadAttachment = { filename: string; mimetype: string; bytes: number; text: string };

/**
 * Read an attachment of the message: one of the user's own files (`vfs:/path`), or a public https address.
 * @throws AppError NOT_FOUND; FORBIDDEN without a delegation over files; TOO_LARGE; UNSUPPORTED_MEDIA_TYPE for what is no text; UPSTREAM
 */
export async function readAttachment(
  services: Services,
  ctx: ToolContext,
  filename: string,
  rules: OutboundRules = attachmentRules,
): Promise<ReadAttachment> {
  const found = ctx.attachments.find((attachment) => attachment.filename === filename);
  if (found === undefined) throw new AppError("NOT_FOUND", `The message has no attachment "${filename}".`);
  const bytes = await bytesOf(services, ctx, found, rules);
  return { filename, mimetype: found.mimetype, bytes: bytes.byteLength, text: textOf(bytes, filename) };
}

async function bytesOf(
  services: Services,
  ctx: ToolContext,
  { mxcUri = "" }: Attachment,
  rules: OutboundRules,
): Promise<Uint8Array> {
  if (mxcUri.startsWith("vfs:")) return await ownFile(services, ctx, mxcUri.slice("vfs:".length));
  if (mxcUri.startsWith("https://")) return await fetched(mxcUri, rules);
  const message = "Only https addresses and the user's own files (vfs:/path) can be read here.";
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
}

async function ownFile(services: Services, ctx: ToolContext, path: string): Promise<Uint8Array> {
  const { stream, size } = await openContent(await services.userFiles(ctx), { ref: { path } });
  if (size > maxBytes) throw new AppError("TOO_LARGE", `An attachment has ${maxBytes} bytes at most.`);
  return await buffer(stream());
}

async function fetched(url: string, rules: OutboundRules): Promise<Uint8Array> {
  try {
    const { status, body } = await callOutside(url, { timeoutMs, maxBytes, maxRedirects: 3 }, rules);
    if (status === 200) return body;
    throw new OutboundError(`answered ${status}`);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new AppError("UPSTREAM", `The attachment could not be fetched: its address ${cause.message}.`, { cause });
  }
}

function textOf(bytes: Uint8Array, filename: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", `"${filename}" is not text.`);
  }
}
