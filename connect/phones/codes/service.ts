import { AppError, type RuleDetail } from "../../../api/platform/errors.ts";
import { type RateLimiter, type RequestContext, requireOwnSupplier } from "../../../api/platform/http/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PhoneDeps } from "../deps.ts";
import { clientOf, insideClientOf } from "../gateways/service.ts";
import { nameOfSupplier } from "../names.ts";
import { mostADay, noGateway, requireSupplier, voucherOf } from "../requests/service.ts";
import { sendSms } from "../sms/outbox.ts";
import type { GatewayRow } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import type { CodeMessage, NewCodeMessage } from "./schemas.ts";

/**
 * Codes that a household gets by SMS at most, at the request of one supplier and of all. No supplier can use up what the others may
 * ask for.
 */
const mostCodes = [
  { of: "one supplier", most: 2, seconds: 60, time: "a minute" },
  { of: "one supplier", most: 3, seconds: 3_600, time: "an hour" },
  { of: "one supplier", most: mostADay.ofSupplier, seconds: 86_400, time: "a day" },
  { of: "all suppliers", most: 6, seconds: 3_600, time: "an hour" },
  { of: "all suppliers", most: mostADay.ofAll, seconds: 86_400, time: "a day" },
] as const;

type Limit = RateLimiter["consume"];

/**
 * Send the household's next unused code to its phones, at the request of the till. The till learns nothing of the code.
 * @throws AppError FORBIDDEN (another supplier, or one that is unknown or suspended), NOT_FOUND (voucher), CONFLICT without a gateway,
 *   RATE_LIMITED, RULE_VIOLATION without a phone that takes SMS or a code that can be sent
 */
export async function sendCode(
  deps: PhoneDeps,
  ctx: RequestContext,
  { voucherId, supplierDid }: NewCodeMessage,
  limit: Limit,
): Promise<CodeMessage> {
  requireOwnSupplier(ctx.actor, supplierDid, "vouchers:redeem");
  const gateway = await deps.store.current({ sms: true });
  if (gateway === undefined) throw noGateway();
  const client = clientOf(deps, gateway);
  await requireSupplier(client, supplierDid);
  const { recipientDid = "", status } = await voucherOf(client, voucherId);
  if (status !== "active") throw cannotSend("voucher-active", `The voucher is ${status}.`);
  const householdHash = deps.box.hash(recipientDid);
  const owned = await deps.store.phonesOf(householdHash);
  if (owned.length === 0) throw cannotSend("household-has-phone", "The household has no registered phone.");
  const open = owned.filter(({ stoppedAt }) => stoppedAt === null);
  if (open.length === 0) throw cannotSend("phone-takes-sms", "The household's phone takes no SMS: it sent STOP.");
  // Only an SMS that is sent counts.
  const code = await readCode(deps, gateway, voucherId);
  await countCode(limit, householdHash, supplierDid);
  const supplier = await nameOfSupplier(client, supplierDid);
  for (const phone of open) {
    await sendSms(deps, phone, phoneTexts[phone.language].codeBySms(supplier.slice(0, 30), code));
  }
  return { voucherId, sentAt: deps.host.clock.now().toISOString() };
}

/** Count an SMS to a household. @throws AppError RATE_LIMITED */
async function countCode(limit: Limit, householdHash: string, supplierDid: string): Promise<void> {
  for (const { of, most, seconds, time } of mostCodes) {
    const subject = `phone-codes:${householdHash}${of === "one supplier" ? ` ${supplierDid}` : ""}`;
    const { allowed, resetSeconds } = await limit(subject, most, seconds);
    if (allowed) continue;
    const message = `A household gets at most ${most} codes ${time} at the request of ${of}.`;
    throw new AppError("RATE_LIMITED", message, { headers: { "Retry-After": String(resetSeconds) } });
  }
}

/** Read the next unused code of a voucher. @throws AppError RULE_VIOLATION where there is none that can be sent */
async function readCode(deps: PhoneDeps, gateway: GatewayRow, voucherId: string): Promise<string> {
  try {
    // Gateways that were made before have keys without the scope.
    const path = { voucherId };
    return (await insideClientOf(deps, gateway).post("/v1/vouchers/{voucherId}/next-code", { path })).code;
  } catch (error) {
    throw asAppError(error);
  }
}

/** The next unused code of the first of some vouchers that has one; undefined when none has. */
export async function firstCode(
  deps: PhoneDeps,
  gateway: GatewayRow,
  voucherIds: readonly string[],
): Promise<string | undefined> {
  for (const voucherId of voucherIds) {
    try {
      return await readCode(deps, gateway, voucherId);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "RULE_VIOLATION")) throw error;
    }
  }
  return undefined;
}

function cannotSend(rule: string, message: string): AppError {
  const details: RuleDetail[] = [{ path: "voucherId", rule, message }];
  return new AppError("RULE_VIOLATION", message, { details });
}
