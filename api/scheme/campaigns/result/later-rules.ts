import type { RuleDetail } from "../../../platform/errors.ts";
import type { LeftOut } from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { leftOutOf } from "./flags/small-frames.ts";
import { registeredDevices } from "./inputs/counted-devices.ts";
import { usualMethod } from "./inputs/emissions-terms.ts";
import { type ResultRecord, resultFrom } from "./record.ts";

/** Rules of results that count what small frames leave out. */
const laterRules = ["small-frame-complete", "saving-per-adult-positive"];

/** List what today's rules say against the committed method of a result that was closed before it was counted what small frames leave out. */
export function laterProblems(record: ResultRecord, leftOut: LeftOut): RuleDetail[] {
  const known = problemsOf(record);
  return problemsOf({ ...record, leftOut }).filter(({ rule, path }) =>
    known.every((each) => each.rule !== rule || each.path !== path),
  );
}

function problemsOf(record: ResultRecord): RuleDetail[] {
  const { reductions, certifiability } = resultFrom(record);
  const index = reductions.findIndex(({ method }) => method === (record.terms.method ?? usualMethod));
  return (certifiability[index]?.problems ?? []).filter(({ rule }) => laterRules.includes(rule));
}

/** The same, by what is registered now. */
export async function laterResultProblems(
  deps: Pick<CampaignDeps, "campaigns" | "devices" | "registry">,
  row: CampaignRow,
  record: ResultRecord,
): Promise<RuleDetail[]> {
  // Without counted devices the result is refused for that.
  if (record.leftOut !== undefined || record.devices === undefined) return [];
  return laterProblems(record, leftOutOf(row, { ...record, list: await registeredDevices(deps, row) }));
}
