import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { generateKey, hashSecret, parseKey, sameHash } from "../../../api/platform/keys/index.ts";
import type { HearthClient } from "../../../wire/src/index.ts";
import type { PhoneDeps } from "../deps.ts";
import type { GatewayRow } from "../tables.ts";
import type { CreatedGateway, Gateway, NewGateway, SimulatedMessages, SmsSettings } from "./schemas.ts";

/** What households do by phone: see their vouchers and purchases, redeem with their PIN, get a code, block their card. */
const scopes = [
  "vouchers:read",
  "vouchers:redeem",
  "vouchers:attest-pin",
  "vouchers:send-codes",
  "cards:read",
  "cards:write",
  "households:read",
];

const mostSimulated = 50;

/**
 * Make a gateway's URLs, with an API key for what its callers may do. Only this response holds the URLs.
 * @throws AppError FORBIDDEN unless the caller may create keys; CONFLICT for a simulator where there is another gateway
 */
export async function createGateway(deps: PhoneDeps, ctx: RequestContext, input: NewGateway): Promise<CreatedGateway> {
  requireRole(ctx.actor, "admin");
  const gatewayId = await changeOnce(deps.host.db, ctx, async () => {
    if (input.sms.kind === "simulator") await requireNoOther(deps);
    const made = await deps.host.keys.prepare(ctx, { name: `Phones: ${input.name}`, scopes });
    const { id, key: token, secretHash } = generateKey("hg");
    const row: GatewayRow = {
      id,
      kind: input.sms.kind,
      secretHash,
      keyId: made.id,
      sealedKey: deps.box.seal(made.key),
      sealedSms: deps.box.seal(JSON.stringify({ ...input.sms, token } satisfies StoredSms)),
      sources: input.sources,
      language: input.language ?? "en",
      createdAt: deps.host.clock.now(),
      revokedAt: null,
    };
    return async (tx) => {
      await made.store(tx);
      await deps.store.addGateway(tx, row);
      return id;
    };
  });
  const row = await deps.store.gateway(gatewayId);
  // The URLs' token is stored sealed, because each SMS says where its report goes. So a repeat shows the same URLs.
  const token = row && tokenOf(deps, row);
  if (row === undefined || token === undefined) throw new Error(`The gateway ${gatewayId} is not stored.`);
  deps.wake.links();
  deps.wake.outbox();
  const url = urlOf(deps, token);
  return { ...toGateway(row), ussdUrl: `${url}/ussd`, smsUrl: `${url}/sms`, reportUrl: `${url}/report` };
}

/** A simulator takes the SMS of all households, so it may not take them from a gateway. */
async function requireNoOther({ store }: PhoneDeps): Promise<void> {
  const others = (await store.gateways()).filter(({ kind, revokedAt }) => kind !== "simulator" && revokedAt === null);
  if (others.length === 0) return;
  const message = "A simulator would take the SMS that another gateway sends to households. End that gateway first.";
  throw new AppError("CONFLICT", message, { details: [{ path: "sms.kind", rule: "no-other-gateway", message }] });
}

/**
 * List the SMS that a simulator took, newest first, at most 50.
 * @throws AppError FORBIDDEN unless the caller is an admin; NOT_FOUND, also for a gateway that is not a simulator
 */
export async function listSimulated(deps: PhoneDeps, ctx: RequestContext, id: string): Promise<SimulatedMessages> {
  requireRole(ctx.actor, "admin");
  const row = await deps.store.gateway(id);
  if (row?.kind !== "simulator") throw new AppError("NOT_FOUND", `There is no simulator ${id}.`);
  const { box } = deps;
  const items = (await deps.store.messagesOf(id, mostSimulated)).map((message) => ({
    id: message.id,
    to: box.open(message.sealedNumber),
    text: box.open(message.sealedText),
    at: message.createdAt.toISOString(),
  }));
  return { items };
}

/** List all gateways, oldest first. @throws AppError FORBIDDEN unless the caller is an admin */
export async function listGateways(deps: PhoneDeps, ctx: RequestContext): Promise<{ items: Gateway[] }> {
  requireRole(ctx.actor, "admin");
  return { items: (await deps.store.gateways()).map(toGateway) };
}

/** End a gateway's URLs and its API key. @throws AppError FORBIDDEN; NOT_FOUND */
export async function revokeGateway(deps: PhoneDeps, ctx: RequestContext, id: string): Promise<Gateway> {
  requireRole(ctx.actor, "admin");
  const row = await deps.store.revokeGateway(id, deps.host.clock.now());
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no gateway ${id}.`);
  await deps.host.keys.revoke(ctx, row.keyId);
  deps.wake.links();
  return toGateway(row);
}

/** Find the gateway of the secret in a URL; undefined when it is unknown or revoked. */
export async function gatewayOf(deps: PhoneDeps, token: string): Promise<GatewayRow | undefined> {
  const parts = parseKey(token, "hg");
  const row = parts && (await deps.store.gateway(parts.id));
  if (parts === undefined || row === undefined || row.revokedAt !== null) return undefined;
  return sameHash(row.secretHash, hashSecret(parts.secret)) ? row : undefined;
}

/** Settings as they are stored, with the secret of the gateway's URL: with each SMS, Hearth says where to send the report. */
type StoredSms = SmsSettings & { token?: string };

export function smsSettingsOf(deps: PhoneDeps, { sealedSms }: GatewayRow): SmsSettings | undefined {
  return sealedSms === null ? undefined : (JSON.parse(deps.box.open(sealedSms)) as StoredSms);
}

/** Where a gateway sends reports about SMS; undefined for one that was made before this was stored. */
export function reportUrlOf(deps: PhoneDeps, row: GatewayRow): string | undefined {
  const token = tokenOf(deps, row);
  return token === undefined ? undefined : `${urlOf(deps, token)}/report`;
}

function tokenOf({ box }: PhoneDeps, { sealedSms }: GatewayRow): string | undefined {
  return sealedSms === null ? undefined : (JSON.parse(box.open(sealedSms)) as StoredSms).token;
}

const urlOf = ({ host }: PhoneDeps, token: string) => `${host.publicUrl}/phones/key/${token}`;

/** A client of the API with the gateway's key. */
export function clientOf(deps: PhoneDeps, { sealedKey }: GatewayRow): HearthClient {
  return deps.host.client(deps.box.open(sealedKey));
}

/** A client of the API that acts as the gateway's key even after it was revoked, to settle payments that began with it. */
export function insideClientOf({ host }: PhoneDeps, { keyId }: GatewayRow): HearthClient {
  return host.clientAs({ actor: { keyId, role: "integrator", scopes, dids: null } });
}

function toGateway({ id, kind, keyId, sources, language, createdAt, revokedAt }: GatewayRow): Gateway {
  return {
    id,
    kind,
    keyId,
    sources,
    language,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
