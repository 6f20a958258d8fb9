import { errorOfRevert, isoTime, type RevertReading } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { formatScaled } from "../../platform/values/numbers.ts";
import type { VoucherDeps } from "./deps.ts";
import type { RedemptionOrder } from "./redemptions/collector.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

const DAY = 86_400n;
const MICRO = 1_000_000n;

/** A limit in micro-CARBON that refills evenly within a day. */
export type Limit = { left: bigint; size: bigint };

/** Say when a limit has room for an amount, in one sentence. `now`: chain time, seconds. */
export function roomAgain({ left, size }: Limit, amount: bigint, now: bigint): string {
  const what = `${formatScaled(amount, 6)} CARBON`;
  if (amount > size) return `It never has room for ${what}: the whole limit is ${formatScaled(size, 6)} CARBON.`;
  // Rounded up, so that there is room at the named second.
  const seconds = ((amount - left) * DAY + size - 1n) / size;
  return `It has room for ${what} from ${isoTime(now + seconds)} on.`;
}

/** Read a lifecycle change's refusal by the limit: add when the limit has room again. */
export async function lifecycleReading({ chain }: VoucherDeps): Promise<RevertReading> {
  const [size, now] = await Promise.all([chain.read("vouchers", "lifecycleCap", []), chain.now()]);
  return function readLifecycleLimit(error) {
    if (error.name !== "LifecycleCapExceeded") return undefined;
    const { code, message, details } = errorOfRevert(error);
    const [left, amount] = error.args as [bigint, bigint];
    const words = `${message} ${roomAgain({ left, size }, amount, now)}`;
    return new AppError(code, words, { details: details.map((detail) => ({ ...detail, message: words })) });
  };
}

/** Read what a supplier may still redeem now without consent under a voucher's plan. `supplier`: its index on chain. */
export async function unconsentedLimitOf(
  { chain, vouchers }: Pick<VoucherDeps, "chain" | "vouchers">,
  facts: VoucherFacts,
  supplier: number,
): Promise<Limit> {
  const plan = await vouchers.ledger.planOf(facts);
  return {
    left: await chain.read("vouchers", "unconsentedLeft", [plan, supplier]),
    size: BigInt((await chain.read("participants", "planOf", [plan])).unconsentedCap) * MICRO,
  };
}

/** Read what this service may still redeem now by PIN, of all vouchers together. */
export async function pinLimitOf({ chain }: Pick<VoucherDeps, "chain">): Promise<Limit> {
  return {
    left: await chain.read("vouchers", "pinLeft", [chain.senders.operator.address]),
    size: await chain.read("vouchers", "pinCap", []),
  };
}

/** Add to the refusal of a redemption when the exceeded limit has room again. */
export async function withRoom(
  { chain, vouchers }: VoucherDeps,
  facts: VoucherFacts,
  { amount, supplier }: RedemptionOrder,
  refusal: AppError,
): Promise<AppError> {
  const limits: Record<string, () => Promise<Limit>> = {
    "unconsented-within-cap": () => unconsentedLimitOf({ chain, vouchers }, facts, supplier),
    "pin-within-cap": () => pinLimitOf({ chain }),
  };
  if (!refusal.details.some(({ rule }) => rule in limits)) return refusal;
  const now = await chain.now();
  const details = await Promise.all(
    refusal.details.map(async (detail) => {
      const limit = await limits[detail.rule]?.();
      // Another transaction may have freed room meanwhile.
      if (limit === undefined || limit.left >= amount) return detail;
      return { ...detail, message: `${detail.message} ${roomAgain(limit, amount, now)}` };
    }),
  );
  return new AppError(refusal.code, refusal.message, { details });
}
