import { cookingRule } from "./cooking-rule.ts";
import type { StoveSeries } from "./series.ts";

/** A cooking event, in milliseconds since 1970-01-01. */
export type CookingEvent = {
  from: number;
  to: number;
  /** Day of its start as the monitor writes it. */
  date: string;
};

/** Count the cooking events of a series by `cookingRule`. */
export function cookingEvents({ measure, readings }: StoveSeries): CookingEvent[] {
  const hold = measure === "temperature" ? cookingRule.longestHoldMs : Number.POSITIVE_INFINITY;
  const events: CookingEvent[] = [];
  for (const [i, { at, date, isOn }] of readings.entries()) {
    if (!isOn) continue;
    const to = Math.min(readings[i + 1]?.at ?? at, at + hold);
    const before = events.at(-1);
    if (before !== undefined && at - before.to < cookingRule.leastPauseMs) before.to = to;
    else events.push({ from: at, to, date });
  }
  return events.filter(({ from, to }) => to - from >= cookingRule.leastEventMs);
}
