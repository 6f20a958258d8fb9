import { type CampaignInput, type Flag, testDays } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import type { MeasuredHousehold } from "../inputs/households.ts";

type Measured = Record<Group, readonly MeasuredHousehold[]>;

/**
 * Flag days that the field team could choose after it knew the fuel: a part of the test's days, another number of days than for other
 * households, or a second claim of a household.
 */
export function dayFlags(test: CampaignInput["test"], measured: Measured): Flag[] {
  const days = testDays(test, test.dayCount);
  const usual = usualLogs(measured);
  return groups.flatMap((group) => {
    const flag = (
      rule: Flag["rule"],
      isMeant: (household: MeasuredHousehold) => boolean,
      says: (households: string) => string,
    ): Flag[] => {
      const meant = measured[group].filter(isMeant);
      if (meant.length === 0) return [];
      const areAll = meant.length === measured[group].length;
      const message = says(areAll ? `All ${group} households` : `${meant.length} households`);
      return [{ group, rule, message, positions: areAll ? [] : meant.map(({ position }) => position) }];
    };
    return [
      ...flag(
        "days-chosen",
        ({ logs }) => logs < days,
        (households) =>
          `${households} have fewer daily logs than the ${days} of the whole test: the days could be chosen.`,
      ),
      ...flag(
        "days-differ",
        ({ logs }) => logs !== usual,
        (households) => `${households} have another number of daily logs than ${usual}, which is the most frequent.`,
      ),
      ...flag(
        "measured-again",
        ({ claimIds }) => claimIds.length > 1,
        (households) => `${households} have more than one claim.`,
      ),
    ];
  });
}

/** The most frequent number of logs in both groups; the smallest of several. */
function usualLogs(measured: Measured): number {
  const counts = new Map<number, number>();
  for (const { logs } of groups.flatMap((group) => measured[group])) counts.set(logs, (counts.get(logs) ?? 0) + 1);
  const [usual] = [...counts].sort(([a, n], [b, m]) => m - n || a - b);
  return usual?.[0] ?? 0;
}
