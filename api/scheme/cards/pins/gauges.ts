import type { Gauges } from "../../../platform/gauges.ts";
import type { Pins } from "./pins.ts";

/** Show how many households' PINs are locked, without saying whose. */
export function addPinGauges(gauges: Gauges, pins: Pins): void {
  gauges.add({
    group: "pins",
    gauges: {
      pins_locked_week: "Households whose PIN is locked for a week for a caller that was locked again and again.",
      pins_locked_last_hour: "Households whose PIN was locked within the last hour and is still locked.",
    },
    read: async () => {
      const { forWeek, lastHour } = await pins.countLocks();
      return { pins_locked_week: forWeek, pins_locked_last_hour: lastHour };
    },
  });
}
