import { type ItmoPurpose, itmoPurposes } from "../../../../indexer/schema/itmo-words.ts";
import { type Call, type ContractError, errorOfRevert, once, submitCall } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { requireRegulator } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import type { AuthorizationRow } from "../tables.ts";
import { getAuthorization, knownAuthorization } from "./authorizations.ts";
import { type ReductionState, readReductionState, refusalOf } from "./reduction-state.ts";
import type { AuthorizationResponse, NewReduction, NewRevocation } from "./schemas.ts";

/**
 * Reduce an authorization to fewer purposes or tonnes, for units that were not first transferred.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (revoked, a change is announced, more was first transferred), RULE_VIOLATION
 */
export async function reduceAuthorization(
  deps: ItmoDeps,
  ctx: RequestContext,
  authorizationId: string,
  input: NewReduction,
): Promise<AuthorizationResponse> {
  return change(deps, ctx, authorizationId, async (row, left) => {
    const { quantity: registered } = await deps.itmo.ledger.authorizationState(row.authorization);
    const before = { purpose: left.purpose ?? row.purpose, quantity: left.quantity ?? registered };
    const { purpose = before.purpose, reason } = input;
    const quantity = input.authorizedQuantity === undefined ? before.quantity : BigInt(input.authorizedQuantity);
    checkReduction(row, { purpose, quantity }, before, left.firstTransferred);
    const number = itmoPurposes.indexOf(purpose) + 1;
    return { functionName: "reduce", args: [row.authorization, number, quantity, reason], purpose: "itmo.reduce" };
  });
}

/**
 * Revoke an authorization for units that were not first transferred.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (revoked, or a change is announced)
 */
export async function revokeAuthorization(
  deps: ItmoDeps,
  ctx: RequestContext,
  authorizationId: string,
  { reason }: NewRevocation,
): Promise<AuthorizationResponse> {
  return change(deps, ctx, authorizationId, async (row) => ({
    functionName: "revoke",
    args: [row.authorization, reason],
    purpose: "itmo.revoke",
  }));
}

type ChangeCall = {
  [F in "reduce" | "revoke"]: Pick<Call<"authorizations", F>, "functionName" | "args" | "purpose">;
}["reduce" | "revoke"];

async function change(
  deps: ItmoDeps,
  ctx: RequestContext,
  authorizationId: string,
  check: (row: AuthorizationRow, left: ReductionState) => Promise<ChangeCall>,
): Promise<AuthorizationResponse> {
  requireRegulator(ctx.actor);
  const row = await knownAuthorization(deps, authorizationId);
  await once(deps, ctx, async () => {
    const left = await readReductionState(deps, row);
    const refusal = refusalOf(row, left, 0n);
    if (refusal !== null) throw refusal;
    const call = await check(row, left);
    return submitCall(deps, ctx, { sender: "registrar", contract: "authorizations", ...call } as Call<
      "authorizations",
      "revoke"
    >);
  });
  return getAuthorization(deps, authorizationId);
}

type Left = { purpose: ItmoPurpose; quantity: bigint };

/** @throws AppError naming every broken rule: RULE_VIOLATION, or CONFLICT if only more was first transferred */
function checkReduction(row: AuthorizationRow, left: Left, before: Left, firstTransferred: bigint): void {
  const detailsOf = (path: string, error: ContractError): RuleDetail[] =>
    errorOfRevert(error).details.map((detail) => ({ ...detail, path }));
  const args = [row.authorization, itmoPurposes.indexOf(left.purpose) + 1, left.quantity];
  const isLess = left.purpose !== before.purpose || left.quantity < before.quantity;
  const broken: RuleDetail[] = [];
  if (!isWithin(left.purpose, before.purpose)) broken.push(...detailsOf("purpose", { name: "NotReduced", args }));
  if (left.quantity > before.quantity || !isLess) {
    broken.push(...detailsOf("authorizedQuantity", { name: "NotReduced", args }));
  }
  if (left.quantity < firstTransferred) {
    const error = { name: "QuantityFirstTransferred", args: [row.authorization, left.quantity, firstTransferred] };
    const details = detailsOf("authorizedQuantity", error);
    if (broken.length === 0) throw new AppError("CONFLICT", details[0]?.message ?? "", { details });
    broken.push(...details);
  }
  refuseBrokenRules(broken, "The reduction breaks rules; nothing was changed.");
}

/** Whether all parts of a purpose were authorized. OIMP is both IMP and OP. */
export function isWithin(purpose: ItmoPurpose, authorized: ItmoPurpose): boolean {
  const parts = partsOf(authorized);
  return partsOf(purpose).every((part) => parts.includes(part));
}

function partsOf(purpose: ItmoPurpose): string[] {
  return purpose.split(" and ").flatMap((part) => (part === "OIMP" ? ["IMP", "OP"] : [part]));
}
