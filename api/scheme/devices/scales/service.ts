import { AppError, defineRules, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { decodeCursor, type RequestContext, toPage } from "../../../platform/http/index.ts";
import { changeOnce } from "../../../platform/idempotency/index.ts";
import { type DeviceDeps, lastRecordableDay, ownPlan, visiblePlan } from "../service.ts";
import type { Calibration, NewCalibration } from "./schemas.ts";
import { scaleStore } from "./store.ts";
import type { ScaleCalibrationRow } from "./tables.ts";

const broken = defineRules({
  "ends-before-made": ["dates-ordered", "A calibration does not end before it was made."],
  "calibrated-in-future": [
    "calibrated-not-in-future",
    "A calibration is recorded once it is made: {lastDay} at the latest.",
  ],
});

/**
 * Record a scale's calibration. It cannot be changed.
 * @throws AppError FORBIDDEN, CONFLICT for a second calibration of a day, RULE_VIOLATION naming every broken rule
 */
export async function recordCalibration(
  deps: DeviceDeps,
  ctx: RequestContext,
  input: NewCalibration,
): Promise<Calibration> {
  const { planId, serial, calibratedOn, validUntil, certificate, sha256 = null } = input;
  const plan = await ownPlan(deps, ctx, planId);
  const problems: RuleDetail[] = [];
  if (validUntil < calibratedOn) problems.push(broken("ends-before-made", "validUntil"));
  const lastDay = await lastRecordableDay(deps);
  if (calibratedOn > lastDay) problems.push(broken("calibrated-in-future", "calibratedOn", { lastDay }));
  refuseBrokenRules(problems);
  const row = { plan, serial, calibratedOn, validUntil, certificate, sha256, createdAt: deps.clock.now() };
  await changeOnce(deps.db, ctx, async () => async (tx) => {
    if (await scaleStore(deps.db).add(tx, row)) return serial;
    const message = `The calibration of scale ${serial} on ${calibratedOn} is recorded already.`;
    throw new AppError("CONFLICT", message, {
      details: [{ path: "calibratedOn", rule: "not-registered-before", message }],
    });
  });
  return serialize(planId, (await scaleStore(deps.db).ofDay(row)) ?? row);
}

/** List the calibrations of a plan's scales. @throws AppError NOT_FOUND for a plan that the actor may not see */
export async function listCalibrations(
  deps: DeviceDeps,
  ctx: RequestContext,
  { planId, limit, cursor }: { planId: string; limit: number; cursor?: string | undefined },
): Promise<{ items: Calibration[]; nextCursor: string | null }> {
  const plan = await visiblePlan(deps, ctx, planId);
  const [serial = "", day = ""] = decodeCursor(cursor, 2) ?? [];
  const rows = await scaleStore(deps.db).listAfter(plan, [String(serial), String(day)], limit + 1);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.serial, row.calibratedOn]);
  return { items: items.map((row) => serialize(planId, row)), nextCursor };
}

function serialize(planId: string, row: ScaleCalibrationRow): Calibration {
  const { serial, calibratedOn, validUntil, certificate, sha256, createdAt } = row;
  return { serial, planId, calibratedOn, validUntil, certificate, sha256, createdAt: createdAt.toISOString() };
}
