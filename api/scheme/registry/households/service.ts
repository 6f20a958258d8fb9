import { type Hex, parseEventLogs } from "viem";
import { participantsAbi } from "../../../../deployments/abi/participants.ts";
import { once, submitCall } from "../../../platform/chain/index.ts";
import { type Actor, type RequestContext, requireRoleOrScope, toPage } from "../../../platform/http/index.ts";
import { requireMayWrite } from "../access.ts";
import { partyKinds, readPendingAccount } from "../accounts/pending.ts";
import { accountIsSet } from "../accounts/service.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import type { Household, HouseholdChange, HouseholdSize, NewHousehold } from "./schemas.ts";
import type { RegisteredHousehold } from "./store.ts";
import type { HouseholdRow } from "./tables.ts";
import { READ_SCOPE, requireVisibleHousehold, WRITE_SCOPE } from "./visible.ts";

/** Register a household: its keyed hash on chain, its DID in the database only. @throws AppError FORBIDDEN, CONFLICT */
export async function registerHousehold(
  deps: RegistryDeps,
  ctx: RequestContext,
  input: NewHousehold,
): Promise<Household> {
  requireMayRegister(ctx.actor, input.did);
  const { households, stores } = deps.registry;
  const row = rowOf(input, {
    hash: households.hashOf(input.did),
    createdAt: deps.clock.now(),
    registeredBy: ctx.actor.implementerDid ?? null,
  });
  const landed = await once(deps, ctx, async () => {
    if (await households.byDid(input.did)) throw alreadyRegistered("Household", "did", input.did);
    await stores.households.savePending(row);
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "participants",
      functionName: "registerHouseholds",
      args: [[row.hash], input.account === undefined ? [] : [input.account]],
      purpose: "household.register",
    });
  });
  const [registered] = parseEventLogs({ abi: participantsAbi, eventName: "HouseholdsRegistered", logs: landed.logs });
  // Another transaction may have come first; then the contract skipped this one.
  if (!registered) throw alreadyRegistered("Household", "did", input.did);
  const household = registered.args.firstHousehold;
  const complete = { ...row, household, transactionHash: landed.transactionHash };
  await stores.households.saveWinner(complete);
  // The caller that registered it gets it, even with a key that may not read households.
  return show(deps, complete);
}

/** Read a household. @throws AppError NOT_FOUND, also for a household that the key may not see */
export async function getHousehold(deps: RegistryDeps, ctx: RequestContext, did: string): Promise<Household> {
  return show(deps, await requireVisibleHousehold(deps, ctx, did));
}

/**
 * Propose a household's first account. It takes effect when an evaluator confirms it.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when the household has an account
 */
export async function setHouseholdAccount(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  change: HouseholdChange,
): Promise<Household> {
  const row = await requireVisibleHousehold(deps, ctx, did, WRITE_SCOPE);
  requireMayRegister(ctx.actor, did);
  const { transactionHash } = await once(deps, ctx, async () => {
    if ((await deps.registry.households.accountOf(row.household)) !== null) throw accountIsSet();
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "participants",
      functionName: "proposeAccount",
      args: [partyKinds.households, row.household, change.account],
      purpose: "household.account",
    });
  });
  return { ...(await show(deps, row)), transactionHash };
}

/**
 * List the households that the key may see; an implementer sees those that it registered. @throws AppError FORBIDDEN
 */
export async function listHouseholds(
  deps: RegistryDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined; region?: string | undefined },
): Promise<{ items: Household[]; nextCursor: string | null }> {
  const { actor } = ctx;
  requireRoleOrScope(actor, READ_SCOPE, "implementer", "evaluator", "regulator");
  const after = indexAfter(query.cursor);
  const rows = await deps.registry.stores.households.listAfter(after, query.limit + 1, {
    region: query.region,
    registeredBy: actor.role === "implementer" ? (actor.implementerDid ?? "") : undefined,
    dids: actor.role === "integrator" ? (actor.dids ?? undefined) : undefined,
  });
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.household]);
  return { items: await Promise.all(items.map((row) => show(deps, row))), nextCursor };
}

/**
 * Require a key that may register households. An integrator's list of DIDs must contain `did`. @throws AppError
 * FORBIDDEN
 */
export function requireMayRegister(actor: Actor, did?: string): void {
  requireMayWrite(actor, { scope: WRITE_SCOPE, roles: ["implementer"], ...(did === undefined ? {} : { did }) });
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

async function show(deps: RegistryDeps, row: RegisteredHousehold): Promise<Household> {
  const { men, women, children, elderly } = row;
  const { households, ledger } = deps.registry;
  const [account, pendingAccount] = await Promise.all([
    households.accountOf(row.household),
    readPendingAccount(ledger, "households", row.household),
  ]);
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
    registeredAt: row.createdAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
