import { once, submitCall } from "../../../platform/chain/index.ts";
import { type RequestContext, requireRole, toPage } from "../../../platform/http/index.ts";
import { requireMayWrite } from "../access.ts";
import { readPendingAccount } from "../accounts/pending.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered, notRegistered, statusConflict } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import type { NewSupplier, Supplier, SupplierChange } from "./schemas.ts";
import type { SupplierRow } from "./tables.ts";

export const WRITE_SCOPE = "suppliers:write";

/** Register a supplier as authorised. @throws AppError FORBIDDEN, CONFLICT */
export async function registerSupplier(deps: RegistryDeps, ctx: RequestContext, input: NewSupplier): Promise<Supplier> {
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did: input.did });
  const { suppliers } = deps.registry;
  await once(deps, ctx, async () => {
    if (await suppliers.byDid(input.did)) throw alreadyRegistered("Supplier", "did", input.did);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "registerSupplier",
      args: [input.did, input.account, input.name, input.region ?? ""],
      purpose: "supplier.register",
    });
  });
  return getSupplier(deps, input.did);
}

/** Read a supplier. @throws AppError NOT_FOUND */
export async function getSupplier(deps: RegistryDeps, did: string): Promise<Supplier> {
  return show(deps, await known(deps, did));
}

export async function listSuppliers(
  deps: RegistryDeps,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: Supplier[]; nextCursor: string | null }> {
  await deps.registry.suppliers.catchUp();
  const after = indexAfter(query.cursor);
  const rows = await deps.registry.stores.suppliers.listAfter(after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.supplier]);
  return { items: await Promise.all(items.map((row) => show(deps, row))), nextCursor };
}

/** Suspend or authorise a supplier. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it has that status already */
export async function changeSupplier(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  change: SupplierChange,
): Promise<Supplier> {
  const row = await known(deps, did);
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did });
  const authorised = change.status === "authorised";
  const { transactionHash } = await once(deps, ctx, async () => {
    const { authorised: before } = await deps.registry.suppliers.stateOf(row.supplier);
    if (before === authorised) throw statusConflict(`The supplier is ${change.status} already.`);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "setSupplierStatus",
      args: [row.supplier, authorised, change.reason],
      purpose: `supplier.${change.status}`,
    });
  });
  return { ...(await show(deps, row)), transactionHash };
}

/**
 * Flag a supplier, so that its claims are held for review, or remove the flag. @throws AppError NOT_FOUND, FORBIDDEN
 */
export async function flagSupplier(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  change: { flagged: boolean; reason: string },
): Promise<Supplier> {
  const row = await known(deps, did);
  requireRole(ctx.actor, "evaluator");
  const { transactionHash } = await submitCall(deps, ctx, {
    sender: "evaluator",
    contract: "participants",
    functionName: "setSupplierFlag",
    args: [row.supplier, change.flagged, change.reason],
    purpose: change.flagged ? "supplier.flag" : "supplier.unflag",
  });
  return { ...(await show(deps, row)), transactionHash };
}

async function known(deps: RegistryDeps, did: string): Promise<SupplierRow> {
  const row = await deps.registry.suppliers.byDid(did);
  if (!row) throw notRegistered("Supplier", did);
  return row;
}

async function show(deps: RegistryDeps, row: SupplierRow): Promise<Supplier> {
  const { suppliers, ledger } = deps.registry;
  const [state, pendingAccount] = await Promise.all([
    suppliers.stateOf(row.supplier),
    readPendingAccount(ledger, "suppliers", row.supplier),
  ]);
  return {
    did: row.did,
    status: state.authorised ? "authorised" : "suspended",
    flagged: state.flagged,
    account: state.account,
    pendingAccount,
    name: row.name,
    region: row.region,
    index: row.supplier,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
