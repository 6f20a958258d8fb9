import { codeBytes } from "../../../../wire/src/code-text.ts";
import { encodeConversionId } from "../../../../wire/src/ids.ts";
import { errorOfRevert, once, submitCall } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { requireRegulator } from "../access.ts";
import { requireAuthorized } from "../authorizations/reduction-state.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import { findConversion, getConversion, type KnownConversion } from "./conversions.ts";
import type { Conversion, Finalisation, Reversal } from "./schemas.ts";

/**
 * Burn a conversion's CARBON and mint the block of serials that the national registry assigned.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (no longer open, serials of another block, a debt of the implementer),
 * RULE_VIOLATION, UNAVAILABLE (the daily cap)
 */
export async function finaliseConversion(
  deps: ItmoDeps,
  ctx: RequestContext,
  conversionId: string,
  input: Finalisation,
): Promise<Conversion> {
  requireRegulator(ctx.actor);
  const { itmo } = deps;
  await once(deps, ctx, async () => {
    const known = await findConversion(deps, conversionId);
    requireRequested(known);
    const broken = serialRules(input, known.state.quantity);
    await refuseOwing(deps, known, broken);
    refuseBrokenRules(broken, "The serials break rules; nothing was minted.");
    await refuseTaken(deps, input);
    await refuseReduced(deps, known);
    const { itmoRegistryId, firstId, lastId } = input;
    const predecessor = await itmo.ledger.serialPredecessor(itmoRegistryId, firstId);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "itmo",
      functionName: "finalise",
      args: [known.row.conversion, codeBytes(itmoRegistryId), firstId, lastId, predecessor],
      purpose: "itmo.finalise",
    });
  });
  return getConversion(deps, conversionId);
}

/** Return a conversion's CARBON. @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT unless the conversion is open */
export async function revertConversion(
  deps: ItmoDeps,
  ctx: RequestContext,
  conversionId: string,
  { reason }: Reversal,
): Promise<Conversion> {
  requireRegulator(ctx.actor);
  await once(deps, ctx, async () => {
    const known = await findConversion(deps, conversionId);
    requireRequested(known);
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "itmo",
      functionName: "revertConversion",
      args: [known.row.conversion, reason],
      purpose: "itmo.revert",
    });
  });
  return getConversion(deps, conversionId);
}

/** Require an open conversion. @throws AppError CONFLICT if it was finalised, reverted or withdrawn */
export function requireRequested({ state }: KnownConversion): void {
  if (state.status === "requested") return;
  const message = `The conversion is ${state.status} already.`;
  throw ruleError("CONFLICT", "status", "conversion-status", message);
}

/** Refuse an implementer with debts, as the contract does. The error also names the other broken rules. */
async function refuseOwing(deps: ItmoDeps, { row }: KnownConversion, broken: RuleDetail[]): Promise<void> {
  const { debt, replacement } = await deps.registry.implementers.owedBy(row.implementer);
  if (debt === 0n && replacement === 0n) return;
  const { code, message, details } = errorOfRevert({
    name: "ImplementerOwes",
    args: [row.implementer, debt, replacement],
  });
  throw new AppError(code, message, { details: [...details, ...broken] });
}

/** Refuse what the regulator has taken away from the conversion's authorization, as the contract does. */
async function refuseReduced(deps: ItmoDeps, { row, state }: KnownConversion): Promise<void> {
  const [authorization, { issued }] = await Promise.all([
    deps.itmo.authorizations.byIndex(row.authorization),
    deps.itmo.ledger.authorizationState(row.authorization),
  ]);
  if (authorization === null) throw new Error(`The chain knows no authorization ${row.authorization}.`);
  await requireAuthorized(deps, authorization, issued + state.quantity);
}

function serialRules({ firstId, lastId }: Finalisation, quantity: bigint): RuleDetail[] {
  if (lastId < firstId) {
    const message = "Serials begin with 1, and the last is not below the first.";
    return [{ path: "lastId", rule: "serials-ordered", message }];
  }
  if (lastId - firstId === quantity - 1n) return [];
  const message = `The serials must be ${quantity}, one for each tonne.`;
  return [{ path: "lastId", rule: "serials-quantity", message }];
}

/** Refuse serials that overlap another block. Blocks are disjoint, so the last one that starts at or before `lastId` decides. */
async function refuseTaken(deps: ItmoDeps, { itmoRegistryId, firstId, lastId }: Finalisation): Promise<void> {
  const conversion = await deps.itmo.ledger.serialPredecessor(itmoRegistryId, lastId);
  const other = conversion === 0 ? null : await deps.itmo.responseOf(conversion);
  if (!other?.lastId || BigInt(other.lastId) < firstId) return;
  const name = encodeConversionId(BigInt(conversion));
  const message = `The serials meet ${itmoRegistryId} ${other.firstId} to ${other.lastId} of conversion ${name}.`;
  throw ruleError("CONFLICT", "firstId", "serials-disjoint", message);
}
