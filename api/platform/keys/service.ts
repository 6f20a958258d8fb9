import type { Transaction } from "../db/index.ts";
import { AppError } from "../errors.ts";
import { decodeTimeCursor, type RequestContext, requireRole, toPage } from "../http/index.ts";
import { changeOnce } from "../idempotency/index.ts";
import type { KeyDeps } from "./deps.ts";
import { generateKey } from "./format.ts";
import { refuseBrokenKey, requireParticipants } from "./rules.ts";
import type { ApiKey, ApiKeyQuery, CreatedApiKey, KeyHolder, NewApiKey } from "./schemas.ts";
import type { KeyRow } from "./store.ts";

/**
 * Create an API key. Only this response holds its secret, so a repeat after a kill that came before it gives the same key another one.
 * @throws AppError FORBIDDEN unless the caller is an admin; NOT_FOUND when the supplier or implementer is not registered;
 *   RULE_VIOLATION with every rule that the role and its limits break; CONFLICT for a repeat when the key was revoked meanwhile
 */
export async function createApiKey(deps: KeyDeps, ctx: RequestContext, input: NewApiKey): Promise<CreatedApiKey> {
  requireRole(ctx.actor, "admin");
  let shown: CreatedApiKey | undefined;
  const mark = await changeOnce(
    deps.db,
    ctx,
    async () => {
      const { created, secretHash, store } = await prepareApiKey(deps, ctx, input);
      return async (tx) => {
        await store(tx);
        shown = created;
        return markOf(created.id, secretHash);
      };
    },
    async (tx, made) => {
      const [id = "", former = ""] = made.split(" ");
      const { key, secretHash } = generateKey("hk", id);
      const row = await deps.keys.store.replaceSecret(tx, id, { former, secretHash });
      if (row === undefined) throw new AppError("CONFLICT", `The API key ${id} was revoked meanwhile.`);
      shown = { ...toApiKey(row), key };
      return markOf(id, secretHash);
    },
  );
  if (shown === undefined) throw new Error(`The API key ${mark} is not stored.`);
  deps.keys.verifier.forget(shown.id);
  return shown;
}

/** What the request's record keeps: which key, and the hash that tells whether it still has this secret. */
const markOf = (id: string, secretHash: string) => `${id} ${secretHash}`;

/** An API key that is not stored yet. It is valid once `store` has stored it, and that transaction has ended. */
export type PreparedApiKey = {
  created: CreatedApiKey;
  secretHash: string;
  store: (tx: Transaction) => Promise<void>;
};

/**
 * Make an API key, to be stored together with what it is for.
 * @param adapter the adapter that makes it; no request can name one
 * @throws AppError as createApiKey
 */
export async function prepareApiKey(
  deps: KeyDeps,
  ctx: RequestContext,
  input: NewApiKey,
  adapter?: string,
): Promise<PreparedApiKey> {
  requireRole(ctx.actor, "admin");
  refuseBrokenKey(input, deps.clock.now());
  await requireParticipants(deps, input);
  const { id, key, secretHash } = generateKey();
  const made = { id, secretHash, createdBy: ctx.actor.keyId, createdAt: deps.clock.now() };
  const row = { ...toRow(input, made), adapter: adapter ?? null };
  return {
    created: { ...toApiKey(row), key },
    secretHash,
    store: async (tx) => {
      await deps.keys.store.insert(row, tx);
      deps.log.info({ keyId: id, role: input.role, by: ctx.actor.keyId }, "API key created");
    },
  };
}

/** List one page of keys, oldest first. @throws AppError FORBIDDEN unless the caller is an admin */
export async function listApiKeys(deps: KeyDeps, ctx: RequestContext, query: ApiKeyQuery) {
  requireRole(ctx.actor, "admin");
  const position = decodeTimeCursor(query.cursor);
  const after = position && { createdAt: position.at, id: position.id };
  await deps.keys.use.save();
  const rows = await deps.keys.store.list(query, after);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  return { items: items.map(toApiKey), nextCursor };
}

/** Describe the caller's own key: its holder and permissions. */
export function readOwnKey({ actor }: RequestContext): KeyHolder {
  const { keyId: id, role, supplierDid = null, implementerDid = null, scopes, dids } = actor;
  return { id, role, supplierDid, implementerDid, scopes, dids };
}

/** Read a key. @throws AppError FORBIDDEN unless the caller is an admin; NOT_FOUND */
export async function readApiKey(deps: KeyDeps, ctx: RequestContext, id: string): Promise<ApiKey> {
  requireRole(ctx.actor, "admin");
  await deps.keys.use.save();
  const row = await deps.keys.store.find(id);
  if (row === undefined) throw unknownKey(id);
  return toApiKey(row);
}

/** Revoke a key, immediately in this process and within a second in others. @throws AppError FORBIDDEN; NOT_FOUND */
export async function revokeApiKey(deps: KeyDeps, ctx: RequestContext, id: string): Promise<ApiKey> {
  requireRole(ctx.actor, "admin");
  const row = await deps.keys.store.revoke(id, deps.clock.now());
  if (row === undefined) throw unknownKey(id);
  deps.keys.verifier.forget(id);
  deps.log.info({ keyId: id, by: ctx.actor.keyId }, "API key revoked");
  return toApiKey(row);
}

/**
 * Revoke a key that was made for something that does not exist any more, in the transaction that removes it.
 * @returns ends the key in this process's cache; call it after the transaction
 */
export async function takeBackApiKey(
  { keys, clock, log }: Pick<KeyDeps, "keys" | "clock" | "log">,
  tx: Transaction,
  id: string,
): Promise<() => void> {
  await keys.store.revoke(id, clock.now(), tx);
  return () => {
    keys.verifier.forget(id);
    log.info({ keyId: id }, "API key taken back");
  };
}

function unknownKey(id: string): AppError {
  return new AppError("NOT_FOUND", `There is no API key ${id}.`);
}

type Made = Pick<KeyRow, "id" | "secretHash" | "createdBy" | "createdAt">;

/** Build the row of a new key. */
export function toRow(input: NewApiKey, made: Made): KeyRow {
  return {
    ...made,
    name: input.name,
    role: input.role,
    supplierDid: input.supplierDid ?? null,
    implementerDid: input.implementerDid ?? null,
    publicJwk: (input.publicJwk as KeyRow["publicJwk"]) ?? null,
    scopes: input.scopes ?? [],
    dids: input.dids ?? null,
    ipRanges: input.ipRanges ?? null,
    requestsPerMinute: input.requestsPerMinute ?? null,
    adapter: null,
    expiresAt: input.expiresAt === undefined ? null : new Date(input.expiresAt),
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** Describe a key, without its secret. */
export function toApiKey({ secretHash: _hidden, createdAt, expiresAt, revokedAt, lastUsedAt, ...row }: KeyRow): ApiKey {
  return {
    ...row,
    publicJwk: row.publicJwk as ApiKey["publicJwk"],
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

/**
 * Create the first admin key if there never was one; return false otherwise. `keep` receives the key before it is stored, so that a
 * kill in between cannot leave an admin key that nobody knows.
 */
export async function createFirstAdminKey(
  { keys, clock }: Pick<KeyDeps, "keys" | "clock">,
  keep: (key: string) => Promise<void>,
): Promise<boolean> {
  const { id, key, secretHash } = generateKey();
  const made = { id, secretHash, createdBy: "first start", createdAt: clock.now() };
  return keys.store.insertFirstAdmin(toRow({ role: "admin", name: "first start" }, made), () => keep(key));
}
