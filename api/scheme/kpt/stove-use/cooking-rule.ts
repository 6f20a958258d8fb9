const minuteMs = 60_000;

/**
 * How cooking events are counted. The numbers are the defaults of `firefinder_detector` of the R package sumsarizer
 * (github.com/Geocene/sumsarizer, R/event_detectors.R). Its rules about the slope of the temperature are not used.
 */
export const cookingRule = {
  /** A reading above 75 °C is on. */
  thresholdMilliCelsius: 75_000n,
  /** A pause that is shorter joins two events. */
  leastPauseMs: 30 * minuteMs,
  /** A shorter event does not count; judged after pauses are joined. */
  leastEventMs: 5 * minuteMs,
  /** A temperature holds until the next reading, but not longer. An on or off holds until the next reading. */
  longestHoldMs: 30 * minuteMs,
  source: "defaults of firefinder_detector of the R package sumsarizer, github.com/Geocene/sumsarizer",
} as const;
