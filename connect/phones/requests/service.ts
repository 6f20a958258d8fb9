import { AppError, type RuleDetail, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { type RequestContext, requireOwnSupplier } from "../../../api/platform/http/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { formatScaled, jsonAmount } from "../../../api/platform/values/numbers.ts";
import { type HearthClient, type Schemas, toMicro } from "../../../wire/src/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PhoneDeps } from "../deps.ts";
import { clientOf } from "../gateways/service.ts";
import { nameOfSupplier } from "../names.ts";
import { sendSms } from "../sms/outbox.ts";
import type { PhoneRow, RequestRow } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import type { NewRequest, PhoneRequest } from "./schemas.ts";

/** How long a household may take to answer. */
const lifetimeMs = 15 * 60_000;

/**
 * Ask a household to approve a purchase by phone.
 * @throws AppError FORBIDDEN (another supplier), NOT_FOUND (voucher), CONFLICT without a gateway, RULE_VIOLATION naming every
 *   broken rule
 */
export async function askHousehold(deps: PhoneDeps, ctx: RequestContext, input: NewRequest): Promise<PhoneRequest> {
  requireOwnSupplier(ctx.actor, input.supplierDid, "vouchers:redeem");
  const gateway = await deps.store.current({ sms: false });
  if (gateway === undefined) throw noGateway();
  const client = clientOf(deps, gateway);
  const voucher = await voucherOf(client, input.voucherId);
  const householdHash = deps.box.hash(voucher.recipientDid ?? "");
  const owned = await deps.store.phonesOf(householdHash);
  refuseBrokenRules(problemsOf(input, voucher, owned), "The household cannot be asked.");
  const createdAt = deps.host.clock.now();
  const row: RequestRow = {
    requestId: newId(createdAt),
    householdHash,
    ...input,
    status: "waiting",
    redemptionId: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetimeMs),
  };
  await deps.store.addRequest(row);
  const supplier = await nameOfSupplier(client, input.supplierDid);
  for (const phone of owned) {
    await sendSms(deps, phone, phoneTexts[phone.language].askedBySms(supplier, formatScaled(input.amount, 6)));
  }
  return serialize(deps, row);
}

/** Read a request of the supplier's own. @throws AppError NOT_FOUND */
export async function getRequest(deps: PhoneDeps, ctx: RequestContext, requestId: string): Promise<PhoneRequest> {
  const row = await deps.store.request(requestId);
  const { role, supplierDid, dids } = ctx.actor;
  const isOwn =
    row !== undefined &&
    (role === "admin" ||
      (role === "supplier" ? supplierDid === row.supplierDid : (dids?.includes(row.supplierDid) ?? true)));
  if (row === undefined || !isOwn) throw new AppError("NOT_FOUND", `There is no request ${requestId}.`);
  return serialize(deps, row);
}

async function voucherOf(client: HearthClient, voucherId: string): Promise<Schemas["Voucher"]> {
  try {
    return await client.get("/v1/vouchers/{voucherId}", { path: { voucherId } });
  } catch (error) {
    throw asAppError(error);
  }
}

function problemsOf(input: NewRequest, voucher: Schemas["Voucher"], owned: readonly PhoneRow[]): RuleDetail[] {
  const broken: RuleDetail[] = [];
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

function noGateway(): AppError {
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
