import { encodeVoucherId } from "../../../wire/src/ids.ts";
import { dateOf } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { viewOfVoucher } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import type { Voucher, VoucherStatus } from "./schemas.ts";
import type { ShownState, VoucherFacts } from "./voucher-ledger.ts";

const secondsPerDay = 86_400n;

/** The day, counted from 1970-01-01 UTC, of a moment in chain time. */
export function dayOfSeconds(seconds: bigint): number {
  return Number(seconds / secondsPerDay);
}

/** The public status: what the ledger says, and what follows from date and balance. */
export function statusOf(state: ShownState, today: number): VoucherStatus {
  if (state.status === "cancelled" || state.status === "reissued" || state.status === "revoked") return "cancelled";
  if (state.status === "swept") return "expired";
  if (state.remaining === 0n) return "exhausted";
  // A suspended voucher's clock stands still.
  if (state.status === "active" && today > state.expiryDay) return "expired";
  return state.status;
}

/** The Voucher of the requirements. Whose it is learns only who may see all of it: a supplier redeems without knowing. */
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
    // The rest of a cancelled voucher is kept for its reissue; nobody can spend it.
    remainingBalance: jsonAmount(state.status === "cancelled" ? 0n : state.remaining),
    attributes: {
      batchId: facts.batchId,
      issuanceDate: dateOf(facts.startDay),
      expiryDate: dateOf(state.expiryDay),
    },
    ...(facts.replaces === undefined ? {} : { replaces: encodeVoucherId(facts.replaces) }),
  };
}
