import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import { type KptCampaign, type KptFacts, kptDayOf } from "../../../../wire/src/kpt-rules.ts";
import { driedFuels, kptFuels } from "../../../../wire/src/kpt-visits.ts";
import type { Campaign } from "../campaigns/records.ts";
import type { KptDraft } from "./kpt-draft.ts";
import type { VisitsOf } from "./visits-draft.ts";

/**
 * Collect the facts that a draft is checked against, as far as the page knows them: only the API knows the date and the
 * other claims, and the calorific values that the regulator recorded.
 */
export function factsOf(draft: KptDraft, campaign: Campaign): KptFacts {
  const { testPeriod, logConvention, days, season, externalFactors, emissions } = campaign;
  const hasPeriod = draft.startDate !== "" && draft.endDate !== "";
  const window = spanOf(testPeriod);
  return {
    span: hasPeriod ? spanOf(draft) : window,
    today: Number.POSITIVE_INFINITY,
    campaign: {
      campaignId: campaign.campaignId,
      window,
      logConvention,
      days: days ?? undefined,
      dryMass: emissions?.fuelMass === "dry" ? { dryNcvOf: driedFuels } : undefined,
      season: season ?? undefined,
      externalFactors: externalFactors ?? undefined,
      member: memberOf(draft, campaign),
      isNearest: false,
      isDrawn: campaign.status !== "committed",
      hasReferenceClaims: campaign.groups.reference.claims > 0,
      otherGroup: { hasClaims: false, sharesDay: false },
    },
  };
}

/** Data of the campaign that the form's visits need. */
export function visitsOfCampaign({ testPeriod, logConvention, emissions }: Campaign): VisitsOf {
  const fuel = kptFuels.find((each) => each === emissions?.fuel) ?? "wood";
  return { startDate: testPeriod.startDate, logConvention, fuel, mass: emissions?.fuelMass };
}

function spanOf({ startDate, endDate }: { startDate: string; endDate: string }) {
  return { startDay: kptDayOf(startDate), endDay: kptDayOf(endDate) };
}

/** A household that was never drawn is treated as a reserve, since the page does not know the frames. */
function memberOf({ householdId, testGroup }: KptDraft, { groups }: Campaign): KptCampaign["member"] {
  const statusIn = (group: CampaignGroup) => {
    const { sample, replacements } = groups[group];
    if (replacements.some(({ dropped }) => dropped.householdId === householdId)) return "replaced";
    return sample.includes(householdId) ? "sampled" : undefined;
  };
  const other = testGroup === "reference" ? "intervention" : "reference";
  const own = statusIn(testGroup);
  const otherStatus = own === undefined ? statusIn(other) : undefined;
  if (otherStatus !== undefined) return { group: other, status: otherStatus };
  return { group: testGroup, status: own ?? "reserve" };
}
