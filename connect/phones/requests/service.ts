import { AppError, type RuleDetail } from "../../../api/platform/errors.ts";
import { type RequestContext, requireOwnSupplier } from "../../../api/platform/http/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { formatScaled, jsonAmount } from "../../../api/platform/values/numbers.ts";
import { type HearthClient, HearthError, type Schemas, toMicro } from "../../../wire/src/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PhoneDeps } from "../deps.ts";
import { clientOf } from "../gateways/service.ts";
import { nameOfSupplier } from "../names.ts";
import { newMessage } from "../sms/outbox.ts";
import type { Asked } from "../store.ts";
import type { PhoneRow, RequestRow } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import type { NewRequest, PhoneRequest } from "./schemas.ts";

/** How long a household may take to answer. */
const lifetimeMs = 15 * 60_000;
/** Most requests of one supplier that a household has to answer. */
const mostOpen = 5;
/** Most SMS of a kind that suppliers may have a household sent in 24 hours: codes, or requests that end without a purchase. */
export const mostADay = { ofSupplier: 6, ofAll: 12 };

/**
 * Ask a household to approve a purchase by phone.
 * @throws AppError FORBIDDEN (another supplier, or one that is unknown or suspended), NOT_FOUND (voucher), CONFLICT without a
 *   gateway, RULE_VIOLATION naming every broken rule
 */
export async function askHousehold(deps: PhoneDeps, ctx: RequestContext, input: NewRequest): Promise<PhoneRequest> {
  requireOwnSupplier(ctx.actor, input.supplierDid, "vouchers:redeem");
  const gateway = await deps.store.current({ sms: false });
  if (gateway === undefined) throw noGateway();
  const client = clientOf(deps, gateway);
  // First: nobody but a registered supplier learns anything of a voucher, or sends a household an SMS.
  await requireSupplier(client, input.supplierDid);
  const voucher = await voucherOf(client, input.voucherId);
  const householdHash = deps.box.hash(voucher.recipientDid ?? "");
  const createdAt = deps.host.clock.now();
  const [owned, asked, isProduct] = await Promise.all([
    deps.store.phonesOf(householdHash),
    deps.store.asked({ householdHash, supplierDid: input.supplierDid }, createdAt),
    isProductKnown(client, input.productId),
  ]);
  const broken = problemsOf(input, { voucher, owned, asked, isProduct });
  // A repeated order is answered by its first request, whatever that one has changed.
  const earlier = ctx.idempotencyKey === undefined ? undefined : await deps.store.requestOf(ctx.idempotencyKey);
  if (earlier !== undefined) return serialize(deps, earlier);
  if (broken.length > 0) throw cannotAsk(broken);
  const row: RequestRow = {
    requestId: newId(createdAt),
    householdHash,
    ...input,
    status: "waiting",
    redemptionId: null,
    orderKey: ctx.idempotencyKey ?? null,
    gatewayId: null,
    phoneHash: null,
    settleAt: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetimeMs),
  };
  const supplier = await nameOfSupplier(client, input.supplierDid);
  const messages = owned
    .filter(({ stoppedAt }) => stoppedAt === null)
    .map((phone) =>
      newMessage(deps, phone, phoneTexts[phone.language].askedBySms(supplier, formatScaled(input.amount, 6))),
    );
  const stored = await deps.store.addRequest(row, messages, (asked) => {
    // Others came at the same time.
    const tooMany = tooManyAsked(asked);
    if (tooMany.length > 0) throw cannotAsk(tooMany);
  });
  deps.wake.outbox();
  return serialize(deps, stored);
}

/** @throws AppError FORBIDDEN for a supplier that is not registered, or that is suspended */
export async function requireSupplier(client: HearthClient, did: string): Promise<void> {
  const supplier = await readKnown(() => client.get("/v1/suppliers/{did}", { path: { did } }));
  if (supplier?.status === "authorised") return;
  const message = `The supplier ${did} is ${supplier?.status ?? "not registered"}.`;
  throw new AppError("FORBIDDEN", message, {
    details: [{ path: "supplierDid", rule: "supplier-authorised", message }],
  });
}

async function isProductKnown(client: HearthClient, productId: string): Promise<boolean> {
  const product = await readKnown(() => client.get("/v1/products/{productId}", { path: { productId } }));
  return product !== undefined;
}

/** Read from the API; undefined for an unknown id. @throws AppError for every other error of the API */
async function readKnown<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof HearthError && error.status === 404) return undefined;
    throw asAppError(error);
  }
}

/** Read a request of the supplier's own. @throws AppError NOT_FOUND */
export async function getRequest(deps: PhoneDeps, ctx: RequestContext, requestId: string): Promise<PhoneRequest> {
  return serialize(deps, await ownRequest(deps, ctx, requestId));
}

/**
 * Cancel a request of the supplier's own that waits, so that the household can no longer approve it. One that the household has answered
 * stays as it is.
 * @returns the request, whether it is cancelled or was answered before
 * @throws AppError NOT_FOUND
 */
export async function cancelRequest(deps: PhoneDeps, ctx: RequestContext, requestId: string): Promise<PhoneRequest> {
  await ownRequest(deps, ctx, requestId);
  await deps.store.changeRequest(requestId, "waiting", { status: "cancelled" });
  return await getRequest(deps, ctx, requestId);
}

async function ownRequest(deps: PhoneDeps, { actor }: RequestContext, requestId: string): Promise<RequestRow> {
  const row = await deps.store.request(requestId);
  const { role, supplierDid, dids } = actor;
  const isOwn =
    row !== undefined &&
    (role === "admin" ||
      (role === "supplier" ? supplierDid === row.supplierDid : (dids?.includes(row.supplierDid) ?? true)));
  if (row === undefined || !isOwn) throw new AppError("NOT_FOUND", `There is no request ${requestId}.`);
  return row;
}

/** Read a voucher with its household. @throws AppError NOT_FOUND */
export async function voucherOf(client: HearthClient, voucherId: string): Promise<Schemas["Voucher"]> {
  try {
    return await client.get("/v1/vouchers/{voucherId}", { path: { voucherId } });
  } catch (error) {
    throw asAppError(error);
  }
}

type Found = {
  voucher: Schemas["Voucher"];
  owned: readonly PhoneRow[];
  asked: Asked;
  isProduct: boolean;
};

function problemsOf(input: NewRequest, { voucher, owned, asked, isProduct }: Found): RuleDetail[] {
  const broken: RuleDetail[] = [];
  if (!isProduct) {
    const message = `There is no product ${input.productId}.`;
    broken.push({ path: "productId", rule: "product-known", message });
  }
  broken.push(...tooManyAsked(asked));
  if (voucher.status !== "active") {
    const message = `The voucher is ${voucher.status}.`;
    broken.push({ path: "voucherId", rule: "voucher-active", message });
  }
  if (input.amount > toMicro(voucher.remainingBalance)) {
    const message = "The amount exceeds the voucher's balance.";
    broken.push({ path: "amount", rule: "amount-within-balance", message });
  }
  if (owned.length === 0) {
    const message = "The household has no registered phone.";
    broken.push({ path: "voucherId", rule: "household-has-phone", message });
  }
  return broken;
}

const cannotAsk = (details: RuleDetail[]) =>
  new AppError("RULE_VIOLATION", "The household cannot be asked.", { details });

function tooManyAsked({ open, unpaidOfSupplier, unpaidOfAll }: Asked): RuleDetail[] {
  const broken: RuleDetail[] = [];
  if (open >= mostOpen) {
    const message = `The household has not answered ${open} requests of this supplier yet.`;
    broken.push({ path: "voucherId", rule: "few-open-requests", message });
  }
  if (unpaidOfSupplier >= mostADay.ofSupplier || unpaidOfAll >= mostADay.ofAll) {
    const message =
      `Within 24 hours a household is asked at most ${mostADay.ofSupplier} times by one supplier and ${mostADay.ofAll} times by ` +
      "all; requests that it paid do not count.";
    broken.push({ path: "voucherId", rule: "few-requests-a-day", message });
  }
  return broken;
}

/** The refusal where no gateway is set up. */
export function noGateway(): AppError {
  const message = "No phone gateway is set up: an admin makes one with POST /v1/phones/gateways.";
  return new AppError("CONFLICT", message, { details: [{ rule: "gateway-set", message }] });
}

function serialize({ host }: PhoneDeps, row: RequestRow): PhoneRequest {
  const { requestId, voucherId, supplierDid, productId, amount, redemptionId, createdAt, expiresAt } = row;
  const isOver = row.status === "waiting" && expiresAt <= host.clock.now();
  return {
    requestId,
    voucherId,
    supplierDid,
    productId,
    amount: jsonAmount(amount),
    status: isOver ? "expired" : row.status,
    redemptionId,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
