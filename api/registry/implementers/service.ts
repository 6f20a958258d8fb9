import { submitCall } from "../../chain/submit.ts";
import type { ServiceContext } from "../../http/context.ts";
import { toPage } from "../../http/pagination.ts";
import { requireMayWrite } from "../access.ts";
import { indexAfter } from "../paging.ts";
import { alreadyRegistered, notRegistered } from "../refusals.ts";
import { once } from "../resumption.ts";
import type { Implementer, NewImplementer } from "./schemas.ts";
import type { ImplementerRow } from "./tables.ts";

export const WRITE_SCOPE = "implementers:write";

/** Registers an implementer. @throws AppError FORBIDDEN, CONFLICT */
export async function registerImplementer(ctx: ServiceContext, input: NewImplementer): Promise<Implementer> {
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did: input.did });
  const { implementers } = ctx.deps.registry;
  await once(ctx, async () => {
    if (await implementers.byDid(input.did)) throw alreadyRegistered("Implementer", "did", input.did);
    return submitCall(ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "registerImplementer",
      args: [input.did, input.account, input.name],
      purpose: "implementer.register",
    });
  });
  return getImplementer(ctx, input.did);
}

/** @throws AppError NOT_FOUND */
export async function getImplementer(ctx: ServiceContext, did: string): Promise<Implementer> {
  const row = await ctx.deps.registry.implementers.byDid(did);
  if (!row) throw notRegistered("Implementer", did);
  return show(ctx, row);
}

export async function listImplementers(
  ctx: ServiceContext,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: Implementer[]; nextCursor: string | null }> {
  await ctx.deps.registry.implementers.catchUp();
  const after = indexAfter(query.cursor);
  const rows = await ctx.deps.registry.stores.implementers.listAfter(after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.implementer]);
  return { items: await Promise.all(items.map((row) => show(ctx, row))), nextCursor };
}

async function show(ctx: ServiceContext, row: ImplementerRow): Promise<Implementer> {
  return {
    did: row.did,
    status: "registered",
    account: await ctx.deps.registry.implementers.accountOf(row.implementer),
    name: row.name,
    index: row.implementer,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
