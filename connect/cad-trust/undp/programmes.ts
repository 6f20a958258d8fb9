import { Decimal } from "decimal.js";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import { endOfDay, startOfDay } from "../../../api/platform/values/text.ts";
import type { CadTrustDeps } from "../deps.ts";
import type { ProjectSettings } from "../settings/schemas.ts";
import { requireSettings } from "../settings/service.ts";
import type { UndpProgramme } from "./schemas.ts";

/** Gases that burning wood and charcoal emits. */
const gases = ["CO2", "CH4", "N2O"];

/**
 * The projects of the settings as UNDP's national registry imports them. Times are seconds since 1970, UTC.
 * @throws AppError FORBIDDEN; NOT_FOUND before the settings were set; RULE_VIOLATION naming what each project lacks
 */
export async function listUndpProgrammes(deps: CadTrustDeps, ctx: RequestContext): Promise<UndpProgramme[]> {
  requireRole(ctx.actor, "regulator");
  const { profile } = await requireSettings(deps);
  refuseBrokenRules(profile.projects.flatMap(problemsOf), "The national registry would refuse these projects.");
  return profile.projects.map((project) => programme(project, profile.values.undpSector ?? {}));
}

function problemsOf({ validation, estimations, activityId }: ProjectSettings, i: number): RuleDetail[] {
  const path = `profile.projects.${i}`;
  return [
    ...(validation?.creditingPeriod
      ? []
      : [
          {
            path: `${path}.validation.creditingPeriod`,
            rule: "crediting-period-given",
            message: `${activityId} has no crediting period.`,
          },
        ]),
    ...(estimations.length > 0
      ? []
      : [{ path: `${path}.estimations`, rule: "estimation-given", message: `${activityId} has no estimation.` }]),
  ];
}

function programme(
  { activityId, name, sectors, locations, estimations, validation }: ProjectSettings,
  sectorNames: Readonly<Record<string, string>>,
): UndpProgramme {
  const [sector = ""] = sectors;
  const period = validation?.creditingPeriod;
  if (period === undefined) throw new AppError("INTERNAL", `${activityId} has no crediting period.`);
  const estimated = estimations.reduce((sum, { unitCount }) => sum.plus(unitCount), new Decimal(0));
  return {
    title: name,
    externalId: activityId,
    sector: sectorNames[sector] ?? sector,
    startTime: Number(startOfDay(period.startDate)),
    endTime: Number(endOfDay(period.endDate)),
    article6trade: true,
    programmeProperties: {
      geographicalLocation: locations.map(({ country, region }) => region ?? country),
      greenHouseGasses: gases,
    },
    // JSON with every digit.
    creditEst: JSON.rawJSON(estimated.toFixed()) as unknown as number,
  };
}
