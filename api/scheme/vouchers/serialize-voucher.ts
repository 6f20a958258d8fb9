import { encodeVoucherId } from "../../../wire/src/ids.ts";
import { dateOf } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { viewOfVoucher } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import type { Voucher, VoucherStatus } from "./schemas.ts";
import type { ShownState, VoucherFacts } from "./voucher-ledger.ts";

const secondsPerDay = 86_400n;

/** Convert chain time in seconds to days since 1970-01-01 UTC. */
export function dayOfSeconds(seconds: bigint): number {
  return Number(seconds / secondsPerDay);
}

/** Derive the public status from the ledger's status, the date and the balance. */
export function statusOf(state: ShownState, today: number): VoucherStatus {
  if (state.status === "cancelled" || state.status === "reissued" || state.status === "revoked") return "cancelled";
  if (state.status === "swept") return "expired";
  if (state.remaining === 0n) return "exhausted";
  // The time of a suspended voucher does not run.
  if (state.status === "active" && today > state.expiryDay) return "expired";
  return state.status;
}

/**
 * Build the Voucher of the requirements. The household is included only for callers that may see the whole voucher; a
 * supplier redeems without it.
 */
export async function serializeVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  facts: VoucherFacts,
  state: ShownState,
  today: number,
): Promise<Voucher> {
  const { certificates } = deps;
  const { households } = deps.registry;
  const [certificate, view] = await Promise.all([
    certificates.byIndex(facts.certificate),
    viewOfVoucher(deps, ctx, facts),
  ]);
  const household = view === "whole" ? await households.byIndex(facts.household) : null;
  return {
    id: encodeVoucherId(facts.id),
    status: statusOf(state, today),
    ...(household === null ? {} : { recipientDid: household.did }),
    emissionCertificateId: certificate?.certificateId ?? "",
    value: jsonAmount(facts.value),
    // The balance of a cancelled voucher is kept for its reissue; nobody can spend it.
    remainingBalance: jsonAmount(state.status === "cancelled" ? 0n : state.remaining),
    attributes: {
      batchId: facts.batchId,
      issuanceDate: dateOf(facts.startDay),
      expiryDate: dateOf(state.expiryDay),
    },
    ...(facts.replaces === undefined ? {} : { replaces: encodeVoucherId(facts.replaces) }),
  };
}
