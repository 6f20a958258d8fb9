import { once, submitCall } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import {
  type Actor,
  type RequestContext,
  requireOwnImplementer,
  requireRoleOrScope,
  toPage,
} from "../../../platform/http/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered, notRegistered, statusConflict } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import { productStatusNumber } from "./directory.ts";
import type { NewProduct, Product, ProductChange } from "./schemas.ts";
import type { ProductRow } from "./tables.ts";

export const WRITE_SCOPE = "products:write";
export const APPROVE_SCOPE = "products:approve";

/**
 * Register a product: pending for an implementer, approved for the scheme.
 * @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION
 */
export async function registerProduct(deps: RegistryDeps, ctx: RequestContext, input: NewProduct): Promise<Product> {
  requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator", "implementer");
  const { products, implementers } = deps.registry;
  const owner = input.implementerDid ?? ctx.actor.implementerDid;
  if (speaksForImplementer(ctx.actor)) requireOwner(ctx.actor, owner);
  await once(deps, ctx, async () => {
    if (await products.byId(input.productId)) throw alreadyRegistered("Product", "productId", input.productId);
    const implementer = owner === undefined ? 0 : (await implementers.byDid(owner))?.implementer;
    if (implementer === undefined) throw unknownOwner(owner);
    const limit = input.maxAmountPerRedemption ?? 0n;
    return submitCall(deps, ctx, {
      sender: speaksForImplementer(ctx.actor) ? "operator" : "registrar",
      contract: "participants",
      functionName: "registerProduct",
      args: [input.productId, input.name, input.category, input.unit, limit, implementer],
      purpose: "product.register",
    });
  });
  return getProduct(deps, input.productId);
}

/** Read a product. @throws AppError NOT_FOUND */
export async function getProduct(deps: RegistryDeps, productId: string): Promise<Product> {
  return show(deps, await known(deps, productId));
}

export async function listProducts(
  deps: RegistryDeps,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: Product[]; nextCursor: string | null }> {
  await deps.registry.products.catchUp();
  const after = indexAfter(query.cursor);
  const rows = await deps.registry.stores.products.listAfter(after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.product]);
  return { items: await Promise.all(items.map((row) => show(deps, row))), nextCursor };
}

/**
 * Approve a product (regulator), or withdraw it (regulator, or the implementer that owns it).
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it has that status already
 */
export async function changeProduct(
  deps: RegistryDeps,
  ctx: RequestContext,
  productId: string,
  change: ProductChange,
): Promise<Product> {
  const asImplementer = speaksForImplementer(ctx.actor);
  if (change.status === "approved") requireRoleOrScope(ctx.actor, APPROVE_SCOPE, "regulator");
  else requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator", "implementer");
  const row = await known(deps, productId);
  if (change.status === "withdrawn" && asImplementer) {
    requireOwner(ctx.actor, (await deps.registry.implementers.byIndex(row.implementer))?.did);
  }
  const { transactionHash } = await once(deps, ctx, async () => {
    if ((await deps.registry.products.statusOf(row.product)) === change.status) {
      throw statusConflict(`The product is ${change.status} already.`);
    }
    return submitCall(deps, ctx, {
      sender: change.status === "withdrawn" && asImplementer ? "operator" : "registrar",
      contract: "participants",
      functionName: "setProductStatus",
      args: [row.product, productStatusNumber[change.status]],
      purpose: `product.${change.status}`,
    });
  });
  return { ...(await show(deps, row)), transactionHash };
}

function speaksForImplementer(actor: Actor): boolean {
  return actor.role === "implementer" || actor.role === "integrator";
}

function requireOwner(actor: Actor, did: string | undefined): void {
  if (did === undefined) {
    const message = "This product is the scheme's own.";
    throw new AppError("FORBIDDEN", message, { details: [{ path: "implementerDid", rule: "own-identity", message }] });
  }
  requireOwnImplementer(actor, did, WRITE_SCOPE);
}

function unknownOwner(did: string | undefined): AppError {
  const detail: RuleDetail = {
    path: "implementerDid",
    rule: "implementer-registered",
    message: `Implementer ${did} is not registered.`,
  };
  return new AppError("RULE_VIOLATION", detail.message, { details: [detail] });
}

async function known(deps: RegistryDeps, productId: string): Promise<ProductRow> {
  const row = await deps.registry.products.byId(productId);
  if (!row) throw notRegistered("Product", productId);
  return row;
}

async function show(deps: RegistryDeps, row: ProductRow): Promise<Product> {
  const { implementers, products } = deps.registry;
  return {
    productId: row.productId,
    status: await products.statusOf(row.product),
    name: row.name,
    category: row.category,
    unit: row.unit,
    maxAmountPerRedemption: row.maxAmount === 0n ? null : jsonAmount(row.maxAmount),
    implementerDid: (await implementers.byIndex(row.implementer))?.did ?? null,
    index: row.product,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
