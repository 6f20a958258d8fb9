import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { changeOnce } from "../../../platform/idempotency/index.ts";
import { requireVisibleHousehold } from "../../registry/index.ts";
import { readScopeOf, WRITE_SCOPE } from "../access.ts";
import type { CardDeps } from "../deps.ts";
import { isLocked, isObviousPin, MAX_TRIES } from "./pins.ts";
import type { NewPin, PinState } from "./schemas.ts";

/**
 * Set a household's first PIN, or another one with a reason. It ends a lock.
 * @throws AppError NOT_FOUND (household, also one that the actor may not see), RULE_VIOLATION naming every broken rule
 */
export async function setPin(
  deps: CardDeps,
  ctx: RequestContext,
  householdDid: string,
  { pin, reason }: NewPin,
): Promise<PinState> {
  const { household } = await requireVisibleHousehold(deps, ctx, householdDid, WRITE_SCOPE);
  await changeOnce(deps.db, ctx, async () => {
    const broken: RuleDetail[] = [];
    if (isObviousPin(pin)) {
      const message = "This PIN is easy to guess: use other digits.";
      broken.push({ path: "pin", rule: "pin-not-obvious", message });
    }
    if (reason === undefined && (await deps.pins.of(household)) !== null) {
      const message = "The household has a PIN: say why it gets another one.";
      broken.push({ path: "reason", rule: "reason-given", message });
    }
    refuseBrokenRules(broken, "The PIN was not set.");
    const { role, keyId } = ctx.actor;
    return await deps.pins.newPin(household, pin, { reason: reason ?? null, role, caller: keyId });
  });
  return stateOf(deps, household);
}

/** Read whether a household has a PIN, and who set it. @throws AppError NOT_FOUND */
export async function readPin(deps: CardDeps, ctx: RequestContext, householdDid: string): Promise<PinState> {
  const { household } = await requireVisibleHousehold(deps, ctx, householdDid, readScopeOf(ctx));
  return stateOf(deps, household);
}

async function stateOf({ pins, clock }: CardDeps, household: number): Promise<PinState> {
  const [row, tries, changes] = await Promise.all([
    pins.of(household),
    pins.triesOf(household),
    pins.changesOf(household),
  ]);
  const forAll = row?.lockedUntil != null && isLocked(row, clock.now()) ? row.lockedUntil : null;
  const lockedFor = tries.flatMap(({ caller, lockedUntil }) =>
    lockedUntil === null ? [] : [{ caller, until: lockedUntil.toISOString() }],
  );
  const most = Math.max(0, ...tries.filter(({ lockedUntil }) => lockedUntil === null).map((each) => each.tries));
  return {
    isSet: row !== null,
    lockedForAll: forAll !== null,
    lockedFor,
    lockedUntil:
      forAll?.toISOString() ??
      lockedFor
        .map(({ until }) => until)
        .sort()
        .at(-1) ??
      null,
    triesLeft: forAll === null ? MAX_TRIES - most : 0,
    changes: changes.map(({ reason, role, caller, at }) => ({ reason, role, caller, at: at.toISOString() })),
  };
}
