import type { RuleDetail } from "../../../platform/errors.ts";
import { MEASUREMENT_KEY } from "../../parameters/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { groups } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import { type EndedPosition, usageStore } from "../usage/store.ts";
import type { VerifiedClaim } from "../verified-claims.ts";
import { type BeforeDraw, beforeDrawOf } from "./before-draw.ts";
import { todayOf } from "./today.ts";

/** Most positions of a survey. */
const maxPositions = 1_000_001;

type Deps = Pick<CampaignDeps, "db" | "registry">;

/** Read the drawn devices of a campaign's usage survey with their records; none where it has no survey. */
export async function endedPositions({ db }: Pick<CampaignDeps, "db">, row: CampaignRow): Promise<EndedPosition[]> {
  return row.terms.usageFrame === undefined ? [] : usageStore(db).positionsAfter(row.campaign, -1, maxPositions);
}

/** Read what a campaign measured before its draw; undefined where it is not drawn. */
export async function readBeforeDraw(
  deps: Deps,
  row: CampaignRow,
  claims: readonly VerifiedClaim[],
): Promise<BeforeDraw | undefined> {
  if (row.seed === null || row.drawBlock === null) return undefined;
  const drawnAt = await deps.registry.ledger.timeOf(BigInt(row.drawBlock));
  const ended = await endedPositions(deps, row);
  return beforeDrawOf(drawnAt.getTime() / 1_000, {
    claims,
    visits: ended.map(({ position, record }) => ({
      position: position.position,
      surveyedOn: record?.surveyedOn ?? null,
    })),
  });
}

/** List what the regulator's rule of the order of draw and measurement refuses today. Without such a rule any order is accepted. */
export async function measurementOrderProblems(
  deps: Deps & Pick<CampaignDeps, "chain" | "kpt" | "parameters">,
  row: CampaignRow,
): Promise<RuleDetail[]> {
  const today = await todayOf(deps);
  const rule = await deps.parameters.newestOn("measurement-order", MEASUREMENT_KEY, today);
  if (rule?.unit !== "after-draw") return [];
  const found = await readBeforeDraw(deps, row, await deps.kpt.verifiedClaims(row.campaign));
  if (found === undefined) return [];
  const counts = [
    ...groups.map((group) => [found[group].length, `${group} households`] as const),
    [found.surveyed.length, "devices of the usage survey"] as const,
  ];
  const named = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  if (named.length === 0) return [];
  const message = `${named.join(", ")} were measured before the day of the draw, ${found.drawnOn}. The regulator's rule asks for the draw first.`;
  return [{ path: "draw", rule: "measured-after-draw", message }];
}
