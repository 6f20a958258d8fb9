import type { StoveUse } from "./compare.ts";
import { cookingRule } from "./cooking-rule.ts";

/** A compared series with its times as dates. */
type StoredStoveUse = Omit<StoveUse, "firstAt" | "lastAt"> & { firstAt: Date; lastAt: Date };

/** Write a compared series as plain JSON. */
export function serializeStoveUse(use: StoredStoveUse) {
  const { item, stove, measure, readings, firstAt, lastAt, events, comparedWith, days } = use;
  return {
    item,
    stove,
    measure,
    readings,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    events,
    comparedWith,
    days: days.map(({ day, logged, events: counted, hasReadings }) => ({ day, logged, events: counted, hasReadings })),
  };
}

/** Write the rule by which events are counted, with its source. */
export function serializeCookingRule() {
  const minutes = (ms: number) => ms / 60_000;
  return {
    aboveCelsius: Number(cookingRule.thresholdMilliCelsius / 1_000n),
    leastPauseMinutes: minutes(cookingRule.leastPauseMs),
    leastEventMinutes: minutes(cookingRule.leastEventMs),
    longestHoldMinutes: minutes(cookingRule.longestHoldMs),
    source: cookingRule.source,
  };
}
