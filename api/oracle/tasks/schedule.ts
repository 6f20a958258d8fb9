import { Cron } from "croner";
import { AppError } from "../../platform/errors.ts";

/** The shortest time between two turns of a task, in milliseconds. */
const shortestMs = 15 * 60_000;

export type Schedule = { schedule: string; timezone: string };

/**
 * Compute when a task is next due after a time; null means never. @throws AppError INVALID_INPUT for a malformed schedule, or one
 * that is due too often
 */
export function nextTime({ schedule, timezone }: Schedule, after: Date): Date | null {
  const cron = read(schedule, timezone);
  return cron.nextRun(after);
}

/** @throws AppError INVALID_INPUT naming every broken rule */
export function checkSchedule(given: Schedule, now: Date): Date {
  const cron = read(given.schedule, given.timezone);
  const [first, ...later] = cron.nextRuns(20, now);
  if (first === undefined) throw refused("schedule-due", "The schedule is never due: its time has passed.");
  const gaps = later.map((each, i) => each.getTime() - (i === 0 ? first : (later[i - 1] ?? first)).getTime());
  if (gaps.some((gap) => gap < shortestMs))
    throw refused("schedule-interval", "A task may run at most every 15 minutes.");
  return first;
}

function read(schedule: string, timezone: string): Cron {
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return new Cron(schedule, { timezone, mode: "5-part", paused: true });
  } catch {
    const message =
      "Give a cron expression of five parts, such as `0 8 * * 1`, or a moment such as `2027-01-31T08:00:00`, and a known time zone.";
    throw refused("schedule", message);
  }
}

function refused(rule: string, message: string): AppError {
  return new AppError("INVALID_INPUT", message, { details: [{ path: "schedule", rule, message }] });
}
