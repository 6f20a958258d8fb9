import { formatScaled } from "../../../api/platform/values/numbers.ts";
import { exact, fromMicro, type HearthClient, HearthError, PendingTransactionError } from "../../../wire/src/index.ts";
import type { PhoneDeps } from "../deps.ts";
import { clientOf, insideClientOf } from "../gateways/service.ts";
import { nameOfProduct } from "../names.ts";
import { newMessage } from "../sms/outbox.ts";
import type { GatewayRow, PhoneLanguage, PhoneRow, RequestRow } from "../tables.ts";
import { type PhoneTexts, phoneTexts, type UnpaidReason } from "../texts.ts";

/** How long a payment may take before it is looked at whether it was interrupted, and the pause between two looks. */
const settleMs = 60_000;
const pendingMs = 2_000;
const paymentsAtOnce = 20;

/** What to say to the household. `isRefused`: nothing was paid. */
export type PaymentAnswer = { text: string; isRefused: boolean };

/**
 * Redeem a request's voucher with the PIN that was typed. That it begins is stored first, so that however this ends, the request is
 * settled: here, or by `settlePayments`.
 */
export async function payRequest(
  { deps, gateway, phone }: { deps: PhoneDeps; gateway: GatewayRow; phone: PhoneRow },
  request: RequestRow,
  pin: string,
): Promise<PaymentAnswer> {
  const { store, host } = deps;
  const texts = phoneTexts[phone.language];
  const settleAt = new Date(host.clock.now().getTime() + settleMs);
  const begun = await store.beginPayment(request, { gatewayId: gateway.id, phoneHash: phone.numberHash, settleAt });
  if (begun === undefined) return { text: texts.noRequest, isRefused: true };
  deps.wake.payments();
  try {
    const { redemptionId } = await redeem(await payerOf(deps, begun, gateway), begun, { type: "pin", pin });
    await confirm(deps, begun, gateway, redemptionId);
    return { text: texts.approved(formatScaled(request.amount, 6)), isRefused: false };
  } catch (error) {
    if (isUndecided(error)) {
      await store.changeRequest(request.requestId, "sent", { settleAt: host.clock.now() });
      deps.wake.payments();
      return { text: texts.accepted, isRefused: false };
    }
    if (!isRefusal(error)) throw error;
    await store.changeRequest(request.requestId, "sent", { status: "waiting", settleAt: null });
    return { text: reasonOf(phone.language, error), isRefused: true };
  }
}

/**
 * Settle payments whose outcome was not recorded, such as after a kill. A request of which nothing was paid waits again.
 * @returns when to look again; undefined when no payment is open
 */
export async function settlePayments(deps: PhoneDeps, signal: AbortSignal): Promise<Date | undefined> {
  const { store, host } = deps;
  const now = host.clock.now();
  for (const request of await store.takeUnsettled(now, new Date(now.getTime() + settleMs), paymentsAtOnce)) {
    if (signal.aborted) break;
    await settle(deps, request);
  }
  return await store.nextSettleAt();
}

async function settle(deps: PhoneDeps, request: RequestRow): Promise<void> {
  const { store, host } = deps;
  const { requestId, gatewayId } = request;
  try {
    const gateway = gatewayId === null ? undefined : await store.gateway(gatewayId);
    if (gateway === undefined) throw new Error("The gateway of a payment is missing.");
    await findEnd(deps, request, gateway);
  } catch (error) {
    // It is looked at again. Without the error's message: it may name a household.
    const reason = error instanceof HearthError ? error.code : (error as Error).name;
    host.log.warn({ requestId, reason }, "a payment by phone is not settled yet");
  }
}

async function findEnd(deps: PhoneDeps, request: RequestRow, gateway: GatewayRow): Promise<void> {
  try {
    const { redemptionId } = await redeem(insideClientOf(deps, gateway), request, { type: "pin", repeat: true });
    await confirm(deps, request, gateway, redemptionId);
  } catch (error) {
    if (error instanceof PendingTransactionError) {
      await lookAtOperation(deps, request, gateway, error.operationId);
    } else if (error instanceof HearthError && error.code === "RULE_VIOLATION") {
      const isUnsent = error.details.some(({ rule }) => rule === "sent-before");
      await endUnpaid(deps, request, gateway, isUnsent ? "waiting" : "refused");
    } else throw error;
  }
}

async function lookAtOperation(deps: PhoneDeps, request: RequestRow, gateway: GatewayRow, id: string): Promise<void> {
  const { store, host } = deps;
  const { requestId } = request;
  const { status, result } = await insideClientOf(deps, gateway).get("/v1/operations/{id}", { path: { id } });
  const { redemptionId } = (result ?? {}) as { redemptionId?: string };
  if (redemptionId !== undefined) return await confirm(deps, request, gateway, redemptionId);
  if (status === "failed") await endUnpaid(deps, request, gateway, "refused");
  else await store.changeRequest(requestId, "sent", { settleAt: new Date(host.clock.now().getTime() + pendingMs) });
}

type PinConsent = { type: "pin"; pin: string } | { type: "pin"; repeat: true };

async function redeem(client: HearthClient, request: RequestRow, consent: PinConsent) {
  const { requestId, voucherId, supplierDid, productId, amount } = request;
  return await client.post("/v1/vouchers/redeem", {
    body: { voucherId, supplierDid, productId, amount: exact(fromMicro(amount)), consent },
    idempotencyKey: `phones-${requestId}`,
  });
}

/** A client with the key that paid first: the API knows the Idempotency-Key only for that key. */
async function payerOf(deps: PhoneDeps, { gatewayId }: RequestRow, gateway: GatewayRow): Promise<HearthClient> {
  if (gatewayId === null || gatewayId === gateway.id) return clientOf(deps, gateway);
  const first = await deps.store.gateway(gatewayId);
  if (first === undefined) throw new Error(`The gateway ${gatewayId} of a payment is missing.`);
  return insideClientOf(deps, first);
}

/** Record that a request was paid, and send the receipt once. */
async function confirm(deps: PhoneDeps, request: RequestRow, gateway: GatewayRow, redemptionId: string): Promise<void> {
  const receipt = await messageOf(deps, request, gateway, (texts, carbon, product) =>
    texts.paidBySms(carbon, product, redemptionId),
  );
  if (await deps.store.endRequest(request.requestId, { status: "approved", redemptionId }, receipt)) deps.wake.outbox();
}

/**
 * Record that nothing was paid, and tell the household, which was promised an SMS. `waiting`: no order was sent, so the household may
 * answer again; `refused`: the ledger refused the order, so it is over, and the supplier asks again.
 */
async function endUnpaid(
  deps: PhoneDeps,
  request: RequestRow,
  gateway: GatewayRow,
  status: "waiting" | "refused",
): Promise<void> {
  const notice = await messageOf(deps, request, gateway, (texts, carbon, product) =>
    texts.unpaidBySms(carbon, product),
  );
  if (await deps.store.endRequest(request.requestId, { status }, notice)) deps.wake.outbox();
}

type Write = (texts: PhoneTexts, carbon: string, product: string) => string;

/** An SMS about a payment, for the phone that agreed to it; undefined when it is another household's now, or wants no SMS. */
async function messageOf(deps: PhoneDeps, request: RequestRow, gateway: GatewayRow, write: Write) {
  const { productId, amount, phoneHash, householdHash } = request;
  const phone = phoneHash === null ? undefined : await deps.store.phone(phoneHash);
  if (phone === undefined || phone.householdHash !== householdHash || phone.stoppedAt !== null) return undefined;
  const product = await nameOfProduct(insideClientOf(deps, gateway), productId);
  return newMessage(deps, phone, write(phoneTexts[phone.language], formatScaled(amount, 6), product));
}

/** Whether the payment is on its way, or an attempt to make it still runs. */
const isUndecided = (error: unknown): boolean =>
  error instanceof PendingTransactionError ||
  (error instanceof HearthError && error.code === "IDEMPOTENCY_IN_PROGRESS");

const isRefusal = (error: unknown): error is HearthError =>
  error instanceof HearthError && error.status >= 400 && error.status < 500;

/** What each rule that refuses a payment is to the household. */
const reasonOfRule: Record<string, UnpaidReason> = {
  "voucher-exists": "voucherOver",
  "voucher-active": "voucherOver",
  "voucher-not-expired": "voucherOver",
  "voucher-started": "voucherNotYet",
  "amount-within-balance": "balance",
  "product-approved": "product",
  "product-limit": "productLimit",
  "supplier-authorised": "shop",
  "pin-within-cap": "pinLimit",
  "household-authorised": "otherConsent",
};

function reasonOf(language: PhoneLanguage, { details }: HearthError): string {
  const texts = phoneTexts[language];
  const rules = details.map(({ rule = "" }) => rule);
  if (rules.includes("pin-not-locked")) return texts.pinLocked;
  if (rules.includes("pin-set")) return texts.pinMissing;
  if (rules.includes("pin-correct")) return texts.pinWrong;
  return texts.unpaid(rules.map((rule) => reasonOfRule[rule]).find((reason) => reason !== undefined) ?? "other");
}
