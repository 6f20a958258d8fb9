import type { Hex } from "viem";
import { once, submitCall } from "../../../platform/chain/index.ts";
import {
  type Actor,
  type RequestContext,
  requireOwnImplementer,
  requireRoleOrScope,
  toPage,
} from "../../../platform/http/index.ts";
import { requireMayWrite } from "../access.ts";
import { partyKinds, readPendingAccount } from "../accounts/pending.ts";
import { accountIsSet } from "../accounts/service.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered, notRegistered } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import { inDegrees } from "./locations.ts";
import type {
  Household,
  HouseholdChange,
  HouseholdRegistration,
  HouseholdSize,
  LocatedHousehold,
  Location,
  NewHousehold,
} from "./schemas.ts";
import type { HouseholdFilter, RegisteredHousehold } from "./store.ts";
import type { HouseholdRow } from "./tables.ts";
import { READ_SCOPE, requireVisibleHousehold, WRITE_SCOPE } from "./visible.ts";

/**
 * Register a household: its keyed hash on chain, its DID in the database only. Registrations that arrive together are made in one
 * transaction.
 * @throws AppError FORBIDDEN, CONFLICT; NOT_FOUND for an implementer that is not registered
 */
export async function registerHousehold(
  deps: RegistryDeps,
  ctx: RequestContext,
  input: HouseholdRegistration,
): Promise<Household> {
  const registeredBy = await requireRegistrant(deps, ctx.actor, input);
  const { households, registrations, stores } = deps.registry;
  const row = rowOf(input, {
    hash: households.hashOf(input.did),
    createdAt: deps.clock.now(),
    registeredBy,
  });
  const { indexes, transactionHash } = await registrations.once(ctx.idempotencyKey, async () => {
    if (await households.byDid(input.did)) throw alreadyRegistered("Household", "did", input.did);
    await stores.households.savePending(row);
    return { hash: row.hash, account: input.account };
  });
  const household = indexes.get(row.hash);
  // Another transaction may have come first; then the contract skipped this one.
  if (household === undefined) throw alreadyRegistered("Household", "did", input.did);
  const complete = { ...row, household, transactionHash };
  await stores.households.saveWinner(complete);
  if (input.location !== undefined) await saveLocation(deps, row.hash, input.location);
  // The caller that registered it gets it, even with a key that may not read households. A new household has no account yet.
  if (input.account === undefined) {
    const location = input.location ?? null;
    return serializeHousehold(complete, { account: null, pendingAccount: null, location });
  }
  return show(deps, complete);
}

/** Read a household. @throws AppError NOT_FOUND, also for a household that the key may not see */
export async function getHousehold(deps: RegistryDeps, ctx: RequestContext, did: string): Promise<Household> {
  return show(deps, await requireVisibleHousehold(deps, ctx, did));
}

/**
 * Set where a household is, or propose its first account, which takes effect when an evaluator confirms it.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when the household has an account
 */
export async function changeHousehold(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  change: HouseholdChange,
): Promise<Household> {
  const row = await requireVisibleHousehold(deps, ctx, did, WRITE_SCOPE);
  requireMayRegister(ctx.actor, did);
  const { account, location } = change;
  if (account === undefined) {
    await saveLocation(deps, row.hash, location ?? null);
    return show(deps, row);
  }
  const { transactionHash } = await once(deps, ctx, async () => {
    if ((await deps.registry.households.accountOf(row.household)) !== null) throw accountIsSet();
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "participants",
      functionName: "proposeAccount",
      args: [partyKinds.households, row.household, account],
      purpose: "household.account",
    });
  });
  return { ...(await show(deps, row)), transactionHash };
}

async function saveLocation({ registry }: RegistryDeps, hash: string, location: Location | null): Promise<void> {
  const { locations } = registry.stores;
  await (location === null ? locations.remove(hash) : locations.save([{ hash, location }]));
}

/** The part of the households that the key may see. @throws AppError FORBIDDEN */
function visibleTo(actor: Actor, region: string | undefined): HouseholdFilter {
  requireRoleOrScope(actor, READ_SCOPE, "implementer", "evaluator", "regulator");
  return {
    region,
    registeredBy: actor.role === "implementer" ? (actor.implementerDid ?? "") : undefined,
    dids: actor.role === "integrator" ? (actor.dids ?? undefined) : undefined,
  };
}

/**
 * List the households that the key may see; an implementer sees those that it registered, as does an integrator that acts for it. @throws AppError FORBIDDEN
 */
export async function listHouseholds(
  deps: RegistryDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined; region?: string | undefined },
): Promise<{ items: Household[]; nextCursor: string | null }> {
  const only = visibleTo(ctx.actor, query.region);
  const { households, locations } = deps.registry.stores;
  const rows = await households.listAfter(indexAfter(query.cursor), query.limit + 1, only);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.household]);
  const known = await locations.of(items.map(({ hash }) => hash));
  return { items: await Promise.all(items.map((row) => show(deps, row, known))), nextCursor };
}

/** List those of the same households whose location is known, for a map. @throws AppError FORBIDDEN */
export async function listLocatedHouseholds(
  deps: RegistryDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined; region?: string | undefined },
): Promise<{ items: LocatedHousehold[]; nextCursor: string | null }> {
  const only = visibleTo(ctx.actor, query.region);
  const rows = await deps.registry.stores.locations.listAfter(indexAfter(query.cursor), query.limit + 1, only);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.household]);
  return { items: items.map((row) => ({ did: row.did, ...inDegrees(row) })), nextCursor };
}

/**
 * Require a key that may register households. An integrator's list of DIDs must contain `did`. @throws AppError
 * FORBIDDEN
 */
export function requireMayRegister(actor: Actor, did?: string): void {
  requireMayWrite(actor, { scope: WRITE_SCOPE, roles: ["implementer"], ...(did === undefined ? {} : { did }) });
}

/**
 * Require a key that may register the household: an integrator's list of DIDs must contain it, or the implementer that it acts for.
 * @returns DID of the implementer that registers it
 */
async function requireRegistrant(
  deps: RegistryDeps,
  actor: Actor,
  { did, implementerDid }: HouseholdRegistration,
): Promise<string | null> {
  requireMayRegister(
    actor,
    implementerDid !== undefined && actor.dids?.includes(implementerDid) ? implementerDid : did,
  );
  if (implementerDid === undefined) return actor.implementerDid ?? null;
  if (actor.role !== "integrator") requireOwnImplementer(actor, implementerDid);
  if (await deps.registry.implementers.byDid(implementerDid)) return implementerDid;
  throw notRegistered("Implementer", implementerDid);
}

export function rowOf(
  input: NewHousehold,
  more: { hash: Hex; createdAt: Date; registeredBy: string | null },
): HouseholdRow & { hash: Hex } {
  const size: Partial<HouseholdSize> = input.householdSize ?? {};
  return {
    ...more,
    did: input.did,
    household: null,
    account: input.account ?? null,
    region: input.region ?? null,
    men: size.men ?? null,
    women: size.women ?? null,
    children: size.children ?? null,
    elderly: size.elderly ?? null,
    transactionHash: null,
  };
}

/** @param known locations that are read already, by hash */
async function show(
  deps: RegistryDeps,
  row: RegisteredHousehold,
  known?: ReadonlyMap<string, Location>,
): Promise<Household> {
  const { households, ledger, stores } = deps.registry;
  const [account, pendingAccount, locations] = await Promise.all([
    households.accountOf(row.household),
    readPendingAccount(ledger, "households", row.household),
    known ?? stores.locations.of([row.hash]),
  ]);
  return serializeHousehold(row, { account, pendingAccount, location: locations.get(row.hash) ?? null });
}

type FromElsewhere = Pick<Household, "account" | "pendingAccount"> & { location: Location | null };

function serializeHousehold(row: RegisteredHousehold, { account, pendingAccount, location }: FromElsewhere): Household {
  const { men, women, children, elderly } = row;
  const sized = men !== null && women !== null && children !== null && elderly !== null;
  return {
    did: row.did,
    status: "registered",
    householdHash: row.hash,
    index: row.household,
    account,
    pendingAccount,
    householdSize: sized ? { men, women, children, elderly } : null,
    region: row.region,
    location: location === null ? null : inDegrees(location),
    registeredAt: row.createdAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
