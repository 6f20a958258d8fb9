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
import { type NewPrice, type Price, serializePrice } from "./prices.ts";
import type { NewProduct, Product, ProductChange } from "./schemas.ts";
import type { ProductRow } from "./tables.ts";

type PageQuery = { limit: number; cursor?: string | undefined };

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
  if (input.price !== undefined) await setPrice(deps, ctx, input.productId, input.price);
  return getProduct(deps, input.productId);
}

/** Read a product. @throws AppError NOT_FOUND */
export async function getProduct(deps: RegistryDeps, productId: string): Promise<Product> {
  return serializeProduct(deps, await known(deps, productId));
}

export async function listProducts(
  deps: RegistryDeps,
  query: PageQuery,
): Promise<{ items: Product[]; nextCursor: string | null }> {
  return await pageOf(deps, query);
}

/** List the approved products that a plan pays for. A page may have fewer items than its limit. */
export async function listProductsOfPlan(
  deps: Pick<RegistryDeps, "registry">,
  plan: number,
  query: PageQuery,
): Promise<{ items: Product[]; nextCursor: string | null }> {
  const { plans } = deps.registry;
  const { products } = await plans.termsOf(plan);
  const { items, nextCursor } = await pageOf(deps, query, products ?? undefined);
  return { items: items.filter(({ status }) => status === "approved"), nextCursor };
}

async function pageOf(deps: Pick<RegistryDeps, "registry">, query: PageQuery, only?: number[]) {
  const { products, stores } = deps.registry;
  await products.catchUp();
  const rows = await stores.products.listAfter(indexAfter(query.cursor), query.limit + 1, only);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.product]);
  const prices = await stores.prices.of(items.map(({ productId }) => productId));
  const show = (row: ProductRow) => serializeProduct(deps, row, prices);
  return { items: await Promise.all(items.map(show)), nextCursor };
}

/**
 * Approve a product (regulator), withdraw it or set its price (regulator, or the implementer that owns it).
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it has that status already
 */
export async function changeProduct(
  deps: RegistryDeps,
  ctx: RequestContext,
  productId: string,
  change: ProductChange,
): Promise<Product> {
  const asImplementer = speaksForImplementer(ctx.actor);
  const { status } = change;
  if (status === "approved") requireRoleOrScope(ctx.actor, APPROVE_SCOPE, "regulator");
  const needsOwner = status === "withdrawn" || change.price !== undefined;
  if (needsOwner) requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator", "implementer");
  const row = await known(deps, productId);
  if (needsOwner && asImplementer) {
    requireOwner(ctx.actor, (await deps.registry.implementers.byIndex(row.implementer))?.did);
  }
  const sent = status === undefined ? undefined : await sendStatus(deps, ctx, row, status);
  if (change.price !== undefined) await setPrice(deps, ctx, productId, change.price);
  const shown = await serializeProduct(deps, row);
  return { ...shown, transactionHash: sent?.transactionHash ?? shown.transactionHash };
}

async function sendStatus(
  deps: RegistryDeps,
  ctx: RequestContext,
  row: ProductRow,
  status: NonNullable<ProductChange["status"]>,
) {
  return await once(deps, ctx, async () => {
    if ((await deps.registry.products.statusOf(row.product)) === status) {
      throw statusConflict(`The product is ${status} already.`);
    }
    return submitCall(deps, ctx, {
      sender: status === "withdrawn" && speaksForImplementer(ctx.actor) ? "operator" : "registrar",
      contract: "participants",
      functionName: "setProductStatus",
      args: [row.product, productStatusNumber[status]],
      purpose: `product.${status}`,
    });
  });
}

async function setPrice(
  { registry }: RegistryDeps,
  { actor }: RequestContext,
  productId: string,
  next: NewPrice | null,
): Promise<void> {
  const price = next && { amount: next.amount, currency: next.currency, carbon: next.carbon ?? null };
  await registry.stores.prices.set(productId, price, actor.keyId);
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

async function serializeProduct(
  { registry }: Pick<RegistryDeps, "registry">,
  row: ProductRow,
  known?: Map<string, Price>,
): Promise<Product> {
  const { implementers, products, stores } = registry;
  const price = (known ?? (await stores.prices.of([row.productId]))).get(row.productId);
  return {
    productId: row.productId,
    status: await products.statusOf(row.product),
    name: row.name,
    category: row.category,
    unit: row.unit,
    maxAmountPerRedemption: row.maxAmount === 0n ? null : jsonAmount(row.maxAmount),
    price: price === undefined ? null : serializePrice(price),
    implementerDid: (await implementers.byIndex(row.implementer))?.did ?? null,
    index: row.product,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
