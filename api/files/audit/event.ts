/** All kinds of audit events. */
export const fileEventKinds = [
  "file.created",
  "content.written",
  "edit",
  "version.restored",
  "moved",
  "trashed",
  "restored",
  "purged",
  "hidden.changed",
  "public.changed",
  "label",
  "pruned",
  "cap.rejected",
  "read",
  "public.read",
  "token.revoked",
] as const;

export type FileEventKind = (typeof fileEventKinds)[number];

/** One audit event. It contains no key, path, CID or anything else against which a guessed plaintext could be tested. */
export type FileEvent = {
  kind: FileEventKind;
  /** DID that owns the file, or whose token was revoked. */
  namespace: string;
  fileId?: string | undefined;
  /** The file's version counter after the change; for a read, the version that was read. */
  version?: number | undefined;
  /** Root of the token's chain; null on the public routes. */
  actor: string | null;
  /** Last DID of the chain; null on the public routes. */
  invoker: string | null;
  tokenCid: string | null;
  /** Set when an agent made the request. */
  agent?: { runId?: string | undefined; toolCallId?: string | undefined } | undefined;
  /** HMAC of the content's CID, see cid-hmac.ts. */
  cidHmac?: Uint8Array | undefined;
};
