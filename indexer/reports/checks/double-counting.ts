import { setImmediate } from "node:timers/promises";
import type { CheckResult } from "../../../wire/src/reports.ts";
import { type Ask, readStanding } from "../ask.ts";
import { authorizationChecks } from "./authorizations.ts";
import { carbonChecks } from "./carbon.ts";
import { certificateChecks } from "./certificates.ts";
import { carryOut, type OpenChain, type RowCheck } from "./check.ts";
import { blockChecks } from "./itmos.ts";
import { voucherChecks } from "./vouchers.ts";

export const checks: readonly RowCheck[] = [
  ...certificateChecks,
  ...voucherChecks,
  ...carbonChecks,
  ...authorizationChecks,
  ...blockChecks,
];

/** Run every check at the index's last block. */
export async function checkDoubleCounting(
  ask: Ask,
  openChain: OpenChain,
): Promise<{ block: bigint; checks: CheckResult[] }> {
  const { block } = await readStanding(ask);
  const results: CheckResult[] = [];
  for (const check of checks) {
    // Run one check at a time and yield in between, because the embedded database has a single connection.
    await setImmediate();
    results.push(await carryOut(ask, openChain, check));
  }
  return { block, checks: results };
}
