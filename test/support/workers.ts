import { pino } from "pino";
import { Workers, type WorkersOptions } from "../../api/platform/workers/workers.ts";

/** Workers as one process has them. Without options they have the real clock and a silent log. */
export function newWorkers({
  log = pino({ level: "silent" }),
  clock = { now: () => new Date() },
  ...rest
}: Partial<WorkersOptions> = {}): Workers {
  return new Workers({ log, clock, ...rest });
}
