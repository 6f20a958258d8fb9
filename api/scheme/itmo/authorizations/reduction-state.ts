import type { AuthorizationStatus, ItmoPurpose } from "../../../../indexer/schema/itmo-words.ts";
import { errorOfRevert } from "../../../platform/chain/index.ts";
import { type AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { ItmoDeps } from "../deps.ts";
import type { AuthorizationRow } from "../tables.ts";

const SECONDS_PER_DAY = 86_400;

/** What the regulator has left of an authorization, for units that were not first transferred. */
export type ReductionState = {
  status: AuthorizationStatus;
  /** Null when the authorization is revoked. While a change is announced: what it leaves. */
  purpose: ItmoPurpose | null;
  /** Tonnes in total that may be first transferred; null when nothing was taken away. */
  quantity: bigint | null;
  /** When the last change cannot be vetoed any more; null when nothing was taken away. */
  finalAt: Date | null;
  firstTransferred: bigint;
};

/** The purposes of units that were not first transferred: none once all tonnes that a reduction left were first transferred. */
export function purposeOfUnits({ purpose, quantity, firstTransferred }: ReductionState): ItmoPurpose | null {
  return quantity !== null && quantity <= firstTransferred ? null : purpose;
}

/** Whether a change is announced that the guardian can still veto. */
export const isAnnounced = ({ status }: ReductionState): boolean => status.endsWith("-announced");

/** Read what is left of an authorization, by the latest block's time. */
export async function readReductionState(deps: ItmoDeps, row: AuthorizationRow): Promise<ReductionState> {
  const [left, now] = await Promise.all([deps.itmo.ledger.reductionOf(row.authorization), deps.chain.now()]);
  const { purpose, quantity, finalFrom, firstTransferred } = left;
  if (finalFrom === 0) {
    return { status: "authorized", purpose: row.purpose, quantity: null, finalAt: null, firstTransferred };
  }
  const isFinal = Number(now) >= finalFrom * SECONDS_PER_DAY;
  const status =
    purpose === null ? (isFinal ? "revoked" : "revocation-announced") : isFinal ? "reduced" : "reduction-announced";
  return { status, purpose, quantity, finalAt: new Date(finalFrom * SECONDS_PER_DAY * 1000), firstTransferred };
}

/**
 * Say why a total number of tonnes is not authorized any more; null when it is.
 * @returns the contract's error, as `IAuthorizations` has it
 */
export function refusalOf(row: AuthorizationRow, left: ReductionState, total: bigint): AppError | null {
  const { status, quantity, finalAt } = left;
  const refuse = (name: string, ...args: unknown[]) => errorOfRevert({ name, args: [row.authorization, ...args] });
  if (isAnnounced(left)) return refuse("ReductionPending", (finalAt?.getTime() ?? 0) / 1000 / SECONDS_PER_DAY);
  if (status === "revoked") return refuse("AuthorizationRevoked");
  if (quantity !== null && total > quantity) return refuse("QuantityReduced", total, quantity);
  return null;
}

/**
 * Refuse a total number of tonnes when the regulator has taken them away.
 * @throws AppError CONFLICT
 */
export async function requireAuthorized(deps: ItmoDeps, row: AuthorizationRow, total: bigint): Promise<void> {
  const refusal = refusalOf(row, await readReductionState(deps, row), total);
  if (refusal !== null) throw refusal;
}

/** Refuse an action that breaks rules or whose authorization was taken away. The error names both. */
export function refuseAction(broken: RuleDetail[], refusal: AppError | null, message: string): void {
  if (broken.length > 0) refuseBrokenRules([...broken, ...(refusal?.details ?? [])], message);
  if (refusal !== null) throw refusal;
}
