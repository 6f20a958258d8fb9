import { cookingEvents } from "./events.ts";
import type { StoveSeries } from "./series.ts";

const minuteMs = 60_000;
/** Times are compared in steps of this length, so that a second more or less does not hide a copy. */
const stepMs = 5 * minuteMs;
/** Nobody cooks for longer without a pause, so the series is not of cooking. */
export const longestEventMs = 12 * 60 * minuteMs;

/**
 * Describe a series by its cooking events: each event's length and its time since the event before, in steps of five minutes, without
 * repetitions. A copy whose clock was moved, or in which a reading was changed, has the same or nearly the same description.
 */
export function patternOf(series: StoveSeries): string[] {
  const steps = (ms: number) => Math.round(ms / stepMs);
  const events = cookingEvents(series);
  const found = events.map(({ from, to }, i) => {
    const before = events[i - 1];
    return `${before === undefined ? "first" : steps(from - before.from)} ${steps(to - from)}`;
  });
  return [...new Set(found)].sort();
}

/** Find the longest cooking event, in milliseconds. */
export function longestEventOf(series: StoveSeries): number {
  return cookingEvents(series).reduce((longest, { from, to }) => Math.max(longest, to - from), 0);
}
