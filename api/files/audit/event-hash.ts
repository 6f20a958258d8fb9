import { createHash } from "node:crypto";
import type { FileEventRow } from "./tables.ts";

/** The current hash format. Changing the fields or their order needs a new format; the old one stays valid for old events. */
export const eventFormat = 1;

type Hashed = Omit<FileEventRow, "hash">;

/**
 * SHA-256 over the canonical JSON (RFC 8785) of a list that begins with the format's name and the previous hash: hexadecimal,
 * empty for the first event. Bytes are hexadecimal, the time is ISO 8601 with milliseconds, absent values are null.
 * @throws Error when the format is unknown
 */
export function hashEvent(previous: Uint8Array | null, event: Hashed): Buffer {
  if (event.format !== eventFormat) throw new Error(`An event of format ${event.format} cannot be hashed.`);
  const { namespace, sequence, id, at, kind, fileId, version, actor, invoker, tokenCid, runId, toolCallId } = event;
  const origin = [actor, invoker, tokenCid, runId, toolCallId];
  // Strings, integers and nulls in a list: here JSON.stringify is the canonical form.
  const canonical = JSON.stringify([
    "hearth/file-event/1",
    hex(previous) ?? "",
    namespace,
    sequence,
    id,
    at.toISOString(),
    kind,
    fileId,
    version,
    ...origin,
    hex(event.cidHmac),
  ]);
  return createHash("sha256").update(canonical).digest();
}

function hex(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString("hex");
}
