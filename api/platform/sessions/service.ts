import { type Address, getAddress } from "viem";
import { AppError } from "../errors.ts";
import type { RequestContext } from "../http/index.ts";
import { actorOf } from "./actor.ts";
import type { SessionDeps } from "./deps.ts";
import type { Session, SessionChange } from "./schemas.ts";
import type { Sessions } from "./sessions.ts";
import type { Standing } from "./standing.ts";
import type { WalletSessionRow } from "./tables.ts";

/** Read the caller's session. @throws AppError NOT_FOUND when the caller uses an API key */
export async function readOwnSession(deps: SessionDeps, ctx: RequestContext): Promise<Session> {
  return serializeSession(deps.sessions, await ownRow(deps, ctx));
}

/** Change what the session acts as, to another standing of the account. @throws AppError NOT_FOUND; FORBIDDEN */
export async function changeSession(deps: SessionDeps, ctx: RequestContext, change: SessionChange): Promise<Session> {
  const { sessions } = deps;
  const row = await ownRow(deps, ctx);
  const standing = await chooseStanding(sessions, row.address as Address, change);
  await sessions.store.actAs(row.id, standing);
  sessions.verifier.forget(row.id);
  return serializeSession(sessions, { ...row, ...standing });
}

/**
 * End a session (`self`: the caller's), immediately in this process and within a second in others.
 * @throws AppError NOT_FOUND, also for another account's session unless the caller is an admin
 */
export async function endSession(deps: SessionDeps, ctx: RequestContext, id: string): Promise<void> {
  const { actor } = ctx;
  const { store, verifier } = deps.sessions;
  const row = id === "self" ? await ownRow(deps, ctx) : await store.find(id);
  const isOwn = row !== undefined && actor.sessionId !== undefined && row.address === actor.keyId;
  if (row === undefined || (!isOwn && actor.role !== "admin")) throw unknownSession();
  await store.end(row.id, deps.clock.now());
  verifier.forget(row.id);
  deps.log.info({ sessionId: row.id, by: actor.keyId }, "session ended");
}

async function ownRow(deps: SessionDeps, { actor }: RequestContext): Promise<WalletSessionRow> {
  const row = actor.sessionId === undefined ? undefined : await deps.sessions.store.find(actor.sessionId);
  if (row === undefined) throw unknownSession();
  return row;
}

function unknownSession(): AppError {
  return new AppError("NOT_FOUND", "There is no such session of this account.");
}

type Wish = { actsAs?: Standing["actsAs"] | undefined; did?: string | undefined };

/** Choose the requested standing, or the one with the most rights. @throws AppError FORBIDDEN when the account lacks it */
export async function chooseStanding(sessions: Sessions, address: Address, { actsAs, did }: Wish): Promise<Standing> {
  for (const standing of await sessions.standings.of(address)) {
    if (actsAs !== undefined && standing.actsAs !== actsAs) continue;
    if (did === undefined || did === (await sessions.standings.didOf(standing))) return standing;
  }
  const message = `The account is no ${[actsAs, did].filter(Boolean).join(" ")}.`;
  throw new AppError("FORBIDDEN", message, { details: [{ path: "actsAs", rule: "standing-held", message }] });
}

/** Build the response that describes a session to its account. */
export async function serializeSession({ standings }: Sessions, row: WalletSessionRow): Promise<Session> {
  const address = row.address as Address;
  const now = await standings.of(address);
  const inForce = now.some((each) => each.actsAs === row.actsAs && each.participant === row.participant);
  const did = await standings.didOf(row);
  const { role } = actorOf({ sessionId: row.id, address }, inForce ? row.actsAs : "visitor", did);
  return {
    id: row.id,
    address: getAddress(address),
    actsAs: row.actsAs,
    did,
    inForce,
    role,
    standings: await Promise.all(now.map(async (each) => ({ actsAs: each.actsAs, did: await standings.didOf(each) }))),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}
