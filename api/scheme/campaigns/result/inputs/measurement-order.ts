import { todayOf } from "../../../../platform/chain/index.ts";
import type { RuleDetail } from "../../../../platform/errors.ts";
import { MEASUREMENT_KEY } from "../../../parameters/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import { groups } from "../../groups.ts";
import type { CampaignRow } from "../../model.ts";
import { type EndedPosition, usageStore } from "../../usage/store.ts";
import type { VerifiedClaim } from "../../verified-claims.ts";
import { type BeforeDraw, beforeDrawOf } from "../flags/before-draw.ts";

/** Read the drawn devices of a campaign's usage survey with their records; none where it has no survey. */
export async function endedPositions({ db }: Pick<CampaignDeps, "db">, row: CampaignRow): Promise<EndedPosition[]> {
  return row.terms.usageFrame === undefined ? [] : usageStore(db).positions(row.campaign);
}

/** Read what a campaign measured before its draw; undefined where it is not drawn. */
export async function readBeforeDraw(
  { registry }: Pick<CampaignDeps, "registry">,
  row: CampaignRow,
  { claims, surveyed }: { claims: readonly VerifiedClaim[]; surveyed: readonly EndedPosition[] },
): Promise<BeforeDraw | undefined> {
  if (row.seed === null || row.drawBlock === null) return undefined;
  const drawnAt = await registry.ledger.timeOf(BigInt(row.drawBlock));
  return beforeDrawOf(drawnAt.getTime() / 1_000, {
    claims,
    visits: surveyed.map(({ position, record }) => ({
      position: position.position,
      surveyedOn: record?.surveyedOn ?? null,
    })),
  });
}

/** List what the regulator's rule of the order of draw and measurement refuses today. Without such a rule any order is accepted. */
export async function measurementOrderProblems(
  deps: Pick<CampaignDeps, "chain" | "db" | "kpt" | "parameters" | "registry">,
  row: CampaignRow,
): Promise<RuleDetail[]> {
  const today = await todayOf(deps);
  const rule = await deps.parameters.newestOn("measurement-order", MEASUREMENT_KEY, today);
  if (rule?.unit !== "after-draw") return [];
  const claims = await deps.kpt.verifiedClaims(row.campaign);
  const found = await readBeforeDraw(deps, row, { claims, surveyed: await endedPositions(deps, row) });
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
