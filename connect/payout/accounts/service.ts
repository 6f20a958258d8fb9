import { AppError, type RuleDetail, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { type RequestContext, requireOwnSupplier, requireRole } from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { HearthError } from "../../../wire/src/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PayoutDeps } from "../deps.ts";
import type { AccountRow } from "../tables.ts";
import type { AccountState, NewAccount, PayoutAccount } from "./schemas.ts";

/** How long a change waits when money was sent to the account before, as a change of the account on chain does. */
const changeWaitMs = 24 * 3_600_000;

/**
 * Set a supplier's mobile account. The first one applies immediately, and so does a change while nothing was sent to the
 * supplier; any other change applies after 24 hours, so that a stolen key cannot redirect money unseen. Attempts that were made keep
 * their number.
 * @throws AppError FORBIDDEN (another supplier), NOT_FOUND, RULE_VIOLATION naming every broken rule
 */
export async function setAccount(deps: PayoutDeps, ctx: RequestContext, input: NewAccount): Promise<PayoutAccount> {
  requireOwnSupplier(ctx.actor, input.supplierDid, "payouts:write");
  await requireSupplier(deps, ctx, input.supplierDid);
  const { accounts, attempts, box, host } = deps;
  const id = await changeOnce(host.db, ctx, async () => {
    refuseBrokenRules(await problemsOf(deps, input), "The mobile account cannot be used.");
    const createdAt = host.clock.now();
    // Of all accounts: otherwise the same number, set again, would take the wait away.
    const isUsed = await attempts.areCallsTo((await accounts.history(input.supplierDid)).map((each) => each.id));
    const row: AccountRow = {
      id: newId(createdAt),
      supplierDid: input.supplierDid,
      partnerId: input.partnerId,
      sealedNumber: box.seal(input.number),
      sealedHolder: box.seal(input.holder),
      setBy: ctx.actor.keyId,
      setByRole: ctx.actor.role,
      createdAt,
      appliesAt: isUsed ? new Date(createdAt.getTime() + changeWaitMs) : createdAt,
      droppedAt: null,
    };
    return async (tx) => {
      await accounts.change(tx, row);
      return row.id;
    };
  });
  const row = await accounts.find(id);
  if (row === undefined) throw new Error(`The mobile account ${id} is not stored.`);
  await deps.orders.lookAgain(input.supplierDid);
  deps.nudge();
  return serialize(deps, row, row.appliesAt > row.createdAt ? "waits" : "applies");
}

/** List the changes of a supplier's mobile account, newest first. @throws AppError FORBIDDEN; NOT_FOUND */
export async function listAccounts(
  deps: PayoutDeps,
  ctx: RequestContext,
  supplierDid: string,
): Promise<{ items: PayoutAccount[] }> {
  if (ctx.actor.role === "supplier" || ctx.actor.role === "integrator") {
    requireOwnSupplier(ctx.actor, supplierDid, "payouts:read");
  } else requireRole(ctx.actor, "regulator");
  await requireSupplier(deps, ctx, supplierDid);
  const now = deps.host.clock.now();
  const [rows, current] = await Promise.all([
    deps.accounts.history(supplierDid),
    deps.accounts.current(supplierDid, now),
  ]);
  return { items: rows.map((row) => serialize(deps, row, stateOf(row, current?.id, now))) };
}

/** The last 3 digits of a number. */
export function maskNumber(number: string): string {
  return `•••${number.slice(-3)}`;
}

function stateOf({ id, droppedAt, appliesAt }: AccountRow, current: string | undefined, now: Date): AccountState {
  if (droppedAt !== null) return "dropped";
  if (id === current) return "applies";
  return appliesAt > now ? "waits" : "replaced";
}

async function problemsOf(deps: PayoutDeps, { partnerId }: NewAccount): Promise<RuleDetail[]> {
  const partner = await deps.partners.find(partnerId);
  if (partner !== undefined && partner.closedAt === null) return [];
  const message =
    partner === undefined ? `There is no payout partner ${partnerId}.` : `The payout partner ${partnerId} is closed.`;
  return [{ path: "partnerId", rule: "partner-open", message }];
}

async function requireSupplier({ host }: PayoutDeps, ctx: RequestContext, did: string): Promise<void> {
  try {
    await host.clientAs(ctx).get("/v1/suppliers/{did}", { path: { did } });
  } catch (error) {
    if (error instanceof HearthError && error.status === 404) {
      throw new AppError("NOT_FOUND", `There is no supplier ${did}.`, { cause: error });
    }
    throw asAppError(error);
  }
}

function serialize({ box }: PayoutDeps, row: AccountRow, state: AccountState): PayoutAccount {
  const { id, supplierDid, partnerId, setByRole, createdAt, appliesAt } = row;
  return {
    id,
    supplierDid,
    partnerId,
    number: maskNumber(box.open(row.sealedNumber)),
    state,
    setByRole,
    createdAt: createdAt.toISOString(),
    appliesAt: appliesAt.toISOString(),
  };
}
