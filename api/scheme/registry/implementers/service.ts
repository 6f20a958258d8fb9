import { once, submitCall } from "../../../platform/chain/index.ts";
import { type RequestContext, toPage } from "../../../platform/http/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import { requireMayWrite } from "../access.ts";
import { readPendingAccount } from "../accounts/pending.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered, notRegistered, statusConflict } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import type { Implementer, ImplementerChange, NewImplementer } from "./schemas.ts";
import type { ImplementerRow } from "./tables.ts";

export const WRITE_SCOPE = "implementers:write";

/** Register an implementer. @throws AppError FORBIDDEN, CONFLICT */
export async function registerImplementer(
  deps: RegistryDeps,
  ctx: RequestContext,
  input: NewImplementer,
): Promise<Implementer> {
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did: input.did });
  const { implementers } = deps.registry;
  await once(deps, ctx, async () => {
    if (await implementers.byDid(input.did)) throw alreadyRegistered("Implementer", "did", input.did);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "registerImplementer",
      args: [input.did, input.account, input.name],
      purpose: "implementer.register",
    });
  });
  return getImplementer(deps, input.did);
}

/** Read an implementer. @throws AppError NOT_FOUND */
export async function getImplementer(deps: RegistryDeps, did: string): Promise<Implementer> {
  const row = await deps.registry.implementers.byDid(did);
  if (!row) throw notRegistered("Implementer", did);
  return show(deps, row);
}

/**
 * Suspend or authorise an implementer. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it has that status already
 */
export async function changeImplementer(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  change: ImplementerChange,
): Promise<Implementer> {
  const { implementers } = deps.registry;
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did });
  const row = await implementers.byDid(did);
  if (!row) throw notRegistered("Implementer", did);
  const authorised = change.status === "registered";
  const { transactionHash } = await once(deps, ctx, async () => {
    const { authorised: before } = await implementers.stateOf(row.implementer);
    if (before === authorised) throw statusConflict(`The implementer is ${change.status} already.`);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "setImplementerStatus",
      args: [row.implementer, authorised, change.reason],
      purpose: authorised ? "implementer.authorised" : "implementer.suspended",
    });
  });
  return { ...(await show(deps, row)), transactionHash };
}

export async function listImplementers(
  deps: RegistryDeps,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: Implementer[]; nextCursor: string | null }> {
  await deps.registry.implementers.catchUp();
  const after = indexAfter(query.cursor);
  const rows = await deps.registry.stores.implementers.listAfter(after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.implementer]);
  return { items: await Promise.all(items.map((row) => show(deps, row))), nextCursor };
}

async function show(deps: RegistryDeps, row: ImplementerRow): Promise<Implementer> {
  const { implementers, ledger } = deps.registry;
  const [state, owed, pendingAccount] = await Promise.all([
    implementers.stateOf(row.implementer),
    implementers.owedBy(row.implementer),
    readPendingAccount(ledger, "implementers", row.implementer),
  ]);
  return {
    did: row.did,
    status: state.authorised ? "registered" : "suspended",
    account: state.account,
    pendingAccount,
    name: row.name,
    index: row.implementer,
    debt: jsonAmount(owed.debt),
    replacement: jsonAmount(owed.replacement),
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
