import { type Chain, dateOf, dayOf, todayOf } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { brokenRuleError, defineRules, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { decodeCursor, type RequestContext, requireOwnImplementer, toPage } from "../../platform/http/index.ts";
import { changeOnce } from "../../platform/idempotency/index.ts";
import type { Operations } from "../../platform/operations/index.ts";
import { alreadyRegistered, notRegistered, type Registry, unregistered } from "../registry/index.ts";
import type { DeviceChange, DeviceResponse, NewDevice } from "./schemas.ts";
import { spellingOf } from "./spelling.ts";
import type { DeviceStore } from "./store.ts";
import type { DeviceRow } from "./tables.ts";

export const WRITE_SCOPE = "devices:write";

export type DeviceDeps = {
  chain: Pick<Chain, "latest" | "now">;
  clock: Clock;
  db: Database;
  devices: DeviceStore;
  operations: Operations;
  registry: Registry;
};

const broken = defineRules({
  "retired-before-installed": ["dates-ordered", "A device is not retired before it is installed."],
  "installed-in-future": [
    "installed-not-in-future",
    "A device is registered once it is installed: {lastDay} at the latest.",
  ],
  "retired-in-future": [
    "retired-not-in-future",
    "A device is retired once it no longer counts: {lastDay} at the latest.",
  ],
  "retired-already": ["retired-once", "Device {serial} is retired already."],
});

/**
 * Register a device.
 * @throws AppError FORBIDDEN, CONFLICT for a serial that is registered, RULE_VIOLATION naming every broken rule
 */
export async function registerDevice(deps: DeviceDeps, ctx: RequestContext, input: NewDevice): Promise<DeviceResponse> {
  const plan = await ownPlan(deps, ctx, input.planId);
  await changeOnce(deps.db, ctx, async () => {
    const household = await deps.registry.households.byDid(input.householdDid);
    const lastDay = await lastRecordableDay(deps);
    const problems = deviceProblems(input, { isHouseholdUnknown: household === null, lastDay });
    refuseBrokenRules(problems, "The device breaks rules; nothing was registered.");
    const { at, block } = await recordedNow(deps);
    const place = { plan, household: household?.household ?? 0 };
    const row = rowOf(input, { ...place, createdAt: at, createdIn: block });
    return async (tx) => {
      const added = await deps.devices.add([row], tx);
      if (added.size === 0) throw alreadyRegistered("Device", "serial", input.serial);
      return row.serial;
    };
  });
  return getDevice(deps, ctx, input.serial);
}

/** Retire a device. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it is retired already, RULE_VIOLATION */
export async function retireDevice(
  deps: DeviceDeps,
  ctx: RequestContext,
  serial: string,
  { retiredOn }: DeviceChange,
): Promise<DeviceResponse> {
  const row = await deps.devices.bySerial(serial);
  if (row === null || !(await maySee(deps, ctx, row.plan))) throw notRegistered("Device", serial);
  await requireOwnPlan(deps, ctx, row.plan);
  const { at: retirementRecordedAt, block: retirementRecordedIn } = await recordedNow(deps);
  await changeOnce(deps.db, ctx, async () => {
    refuseBrokenRules(dateProblems({ installedOn: row.installedOn, retiredOn }, await lastRecordableDay(deps)));
    return async (tx) => {
      if (await deps.devices.retire(tx, serial, { retiredOn, retirementRecordedAt, retirementRecordedIn }))
        return serial;
      throw brokenRuleError("CONFLICT", broken("retired-already", "retiredOn", { serial }));
    };
  });
  return getDevice(deps, ctx, serial);
}

/** Read a device. @throws AppError NOT_FOUND, also for one that the actor may not see */
export async function getDevice(deps: DeviceDeps, ctx: RequestContext, serial: string): Promise<DeviceResponse> {
  const row = await deps.devices.bySerial(serial);
  if (row === null || !(await maySee(deps, ctx, row.plan))) throw notRegistered("Device", serial);
  return serialize(deps, row);
}

/** List the devices of a plan, in the order of their serials. @throws AppError NOT_FOUND for a plan that the actor may not see */
export async function listDevices(
  deps: DeviceDeps,
  ctx: RequestContext,
  query: { planId: string; householdDid?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<{ items: DeviceResponse[]; nextCursor: string | null }> {
  const plan = await visiblePlan(deps, ctx, query.planId);
  const after = String(decodeCursor(query.cursor)?.[0] ?? "");
  const { householdDid } = query;
  const household = householdDid === undefined ? undefined : await deps.registry.households.byDid(householdDid);
  if (household === null) return { items: [], nextCursor: null };
  const rows = await deps.devices.listAfter({ plan, household: household?.household }, after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.serial]);
  return { items: await Promise.all(items.map((row) => serialize(deps, row))), nextCursor };
}

/** The index of a plan. @throws AppError NOT_FOUND, also for one that the actor may not see */
export async function visiblePlan(deps: DeviceDeps, ctx: RequestContext, planId: string): Promise<number> {
  const plan = await deps.registry.plans.byId(planId);
  if (plan === null || !(await maySee(deps, ctx, plan.plan))) throw notRegistered("Monitoring plan", planId);
  return plan.plan;
}

/** The index of a plan whose implementer the actor is or acts for. @throws AppError FORBIDDEN, RULE_VIOLATION */
export async function ownPlan(deps: DeviceDeps, ctx: RequestContext, planId: string): Promise<number> {
  const plan = await deps.registry.plans.byId(planId);
  if (plan === null) refuseBrokenRules([unregistered("Monitoring plan", "planId", planId)]);
  const index = plan?.plan ?? 0;
  await requireOwnPlan(deps, ctx, index);
  return index;
}

async function requireOwnPlan(deps: DeviceDeps, ctx: RequestContext, plan: number): Promise<void> {
  if (ctx.actor.role === "regulator" || ctx.actor.role === "admin") return;
  requireOwnImplementer(ctx.actor, await implementerDidOf(deps, plan), WRITE_SCOPE);
}

async function maySee(deps: DeviceDeps, ctx: RequestContext, plan: number): Promise<boolean> {
  const { role, implementerDid, dids, scopes } = ctx.actor;
  if (role === "admin" || role === "regulator" || role === "evaluator") return true;
  const own = await implementerDidOf(deps, plan);
  if (role === "implementer") return implementerDid === own;
  return role === "integrator" && scopes.includes(WRITE_SCOPE) && (dids === null || dids.includes(own));
}

async function implementerDidOf({ registry }: DeviceDeps, plan: number): Promise<string> {
  const row = await registry.plans.byIndex(plan);
  return row === null ? "" : ((await registry.implementers.byIndex(row.implementer))?.did ?? "");
}

/** The last day of which something can be recorded as done: that after the latest block's, because where it was done it may be a day later. */
export async function lastRecordableDay({ chain }: Pick<DeviceDeps, "chain">): Promise<string> {
  return dateOf((dayOf(await todayOf({ chain })) ?? 0) + 1);
}

/** List each rule that a device breaks. `lastDay`: the last one on which it can be installed or retired. */
export function deviceProblems(
  input: NewDevice,
  { isHouseholdUnknown, lastDay }: { isHouseholdUnknown: boolean; lastDay: string },
): RuleDetail[] {
  const problems = dateProblems(input, lastDay);
  if (input.installedOn > lastDay) problems.push(broken("installed-in-future", "installedOn", { lastDay }));
  if (isHouseholdUnknown) problems.push(unregistered("Household", "householdDid", input.householdDid));
  return problems;
}

function dateProblems(
  { installedOn, retiredOn }: Pick<NewDevice, "installedOn" | "retiredOn">,
  lastDay: string,
): RuleDetail[] {
  if (retiredOn === undefined) return [];
  const problems: RuleDetail[] = [];
  if (retiredOn < installedOn) problems.push(broken("retired-before-installed", "retiredOn"));
  if (retiredOn > lastDay) problems.push(broken("retired-in-future", "retiredOn", { lastDay }));
  return problems;
}

/** When a device or its end is recorded: time and number of the latest block, because a campaign compares it with the block of its draw. */
export async function recordedNow({ chain }: Pick<DeviceDeps, "chain">): Promise<{ at: Date; block: number }> {
  const { timestamp, number } = await chain.latest();
  return { at: new Date(Number(timestamp) * 1_000), block: Number(number) };
}

export function rowOf(
  { serial, model, installedOn, retiredOn, evidence = [] }: NewDevice,
  { plan, household, createdAt, createdIn }: Pick<DeviceRow, "plan" | "household" | "createdAt" | "createdIn">,
): DeviceRow {
  const isRetired = retiredOn !== undefined;
  return {
    serial,
    spelling: spellingOf(serial),
    model,
    plan,
    household,
    installedOn,
    retiredOn: retiredOn ?? null,
    retirementRecordedAt: isRetired ? createdAt : null,
    retirementRecordedIn: isRetired ? createdIn : null,
    evidence,
    createdAt,
    createdIn,
  };
}

async function serialize({ registry }: DeviceDeps, row: DeviceRow): Promise<DeviceResponse> {
  const { serial, model, installedOn, retiredOn, retirementRecordedAt, evidence, createdAt } = row;
  const [plan, household] = await Promise.all([
    registry.plans.byIndex(row.plan),
    registry.households.byIndex(row.household),
  ]);
  return {
    serial,
    model,
    planId: plan?.planId ?? "",
    householdDid: household?.did ?? null,
    installedOn,
    retiredOn,
    retirementRecordedAt: retirementRecordedAt?.toISOString() ?? null,
    evidence,
    createdAt: createdAt.toISOString(),
  };
}
