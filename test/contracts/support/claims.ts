import { type Hex, toFunctionSelector } from "viem";
import { CARBON, emits, hashOf, reverts, type Scheme } from "../scheme.ts";

const price = 20_000n;
export const worth = (carbon: bigint) => (carbon * price) / CARBON;

/** Actions and expectations of the claims' tests for one redemption. */
export function claimCalls(now: () => { s: Scheme; redemption: bigint }) {
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const claim = (hash = hashOf("credential"), by = now().s.operator) =>
    now().s.claims.write.claim([now().redemption, hash], as(by));
  const approve = (by = now().s.evaluator) => now().s.claims.write.approve([now().redemption, "seen"], as(by));
  const reject = (by = now().s.evaluator) => now().s.claims.write.reject([now().redemption, "forged"], as(by));
  const statusOf = async (id = now().redemption) => (await now().s.vouchers.read.redemptionOf([id])).status;
  const carbonOf = (account: Hex) => now().s.carbon.read.balanceOf([account]);
  const stableOf = (account: Hex) => now().s.stablecoin.read.balanceOf([account]);
  const missing = (call: Promise<unknown>, who: Scheme["operator"], role: bigint) =>
    reverts(call, now().s.participants, "MissingRole", [who.account.address, role]);
  const notAllowed = (call: Promise<unknown>, status: number) =>
    reverts(call, now().s.vouchers, "RedemptionStatusNotAllowed", [now().redemption, status]);
  const paid = (call: Promise<unknown>, setOff: bigint, stable: bigint, reason: Hex = "0x00000000") =>
    emits(call, now().s.claims, "ClaimPaid", [
      now().redemption,
      1,
      now().s.supplier.account.address,
      40n * CARBON,
      setOff,
      stable,
      reason,
    ]);
  const selector = (error: string) => toFunctionSelector(`function ${error}`);
  return { as, claim, approve, reject, statusOf, carbonOf, stableOf, missing, notAllowed, paid, selector };
}
