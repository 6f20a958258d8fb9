import { dateOf } from "../../../platform/chain/index.ts";
import type { StoveDay } from "../stove-use/compare.ts";
import { longestEventMs } from "../stove-use/pattern.ts";
import type { FlaggedClaim } from "./store.ts";
import type { KptStoveSeriesRow } from "./tables.ts";

type StoveFlag = {
  rule: "stove-use-differs" | "stove-series-incomplete" | "stove-series-constant";
  path: string;
  message: string;
};

/** List the days on which a claim's stove-use monitors and its logs differ, and the days without readings. */
export function stoveFlags({ startDay }: FlaggedClaim, series: readonly KptStoveSeriesRow[]): StoveFlag[] {
  const datesOf = (days: readonly StoveDay[]) => days.map(({ day }) => dateOf(startDay + day)).join(", ");
  const incomplete = series.flatMap(({ item, days }): StoveFlag[] => {
    const silent = days.filter(({ hasReadings }) => !hasReadings);
    if (silent.length === 0) return [];
    const message = `The stove-use monitor has no readings on ${datesOf(silent)}.`;
    return [{ rule: "stove-series-incomplete", path: `evidence.${item}`, message }];
  });
  const differing = comparisonsOf(series).flatMap(({ item, what, days }): StoveFlag[] => {
    const known = days.filter(({ hasReadings }) => hasReadings);
    const onlyLogged = known.filter(({ logged, events }) => logged && events === 0);
    const onlySeen = known.filter(({ logged, events }) => !logged && events > 0);
    const sentences = [
      ...(onlyLogged.length === 0
        ? []
        : [`On ${datesOf(onlyLogged)} the claim logs use of ${what}, and the stove-use monitor saw no cooking.`]),
      ...(onlySeen.length === 0
        ? []
        : [`On ${datesOf(onlySeen)} the stove-use monitor saw cooking, and the claim logs no use of ${what}.`]),
    ];
    if (sentences.length === 0) return [];
    return [{ rule: "stove-use-differs", path: `evidence.${item}`, message: sentences.join(" ") }];
  });
  const constant = series.flatMap(({ item, longestEventMs: longest }): StoveFlag[] => {
    if (longest <= longestEventMs) return [];
    const hours = Math.floor(longest / 3_600_000);
    const message = `The stove-use monitor saw cooking for ${hours} hours without a pause.`;
    return [{ rule: "stove-series-constant", path: `evidence.${item}`, message }];
  });
  return [...differing, ...incomplete, ...constant];
}

/** Each series of a listed stove by itself; all others together, because fuel may be burnt in any of their stoves. */
function comparisonsOf(series: readonly KptStoveSeriesRow[]): { item: number; what: string; days: StoveDay[] }[] {
  const own = series
    .filter(({ comparedWith }) => comparedWith === "stove")
    .map(({ item, stove, days }) => ({ item, what: `the stove ${stove}`, days }));
  const [first, ...others] = series.filter(({ comparedWith }) => comparedWith === "fuel");
  if (first === undefined) return own;
  const days = first.days.map((day, i) => {
    const all = [day, ...others.flatMap((each) => each.days[i] ?? [])];
    const events = all.reduce((sum, each) => sum + each.events, 0);
    return { ...day, events, hasReadings: events > 0 || all.every(({ hasReadings }) => hasReadings) };
  });
  return [...own, { item: first.item, what: "fuel", days }];
}
