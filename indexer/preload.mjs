// Preloaded into Ponder's process. Ponder samples the event loop's lag by a timer of one millisecond, which wakes an idle process
// several hundred times a second; half a second tells as much of an index.
import { createRequire, syncBuiltinESMExports } from "node:module";

const leastResolution = 500;

const hooks = createRequire(import.meta.url)("node:perf_hooks");
const { monitorEventLoopDelay } = hooks;
hooks.monitorEventLoopDelay = ({ resolution = leastResolution, ...options } = {}) =>
  monitorEventLoopDelay({ ...options, resolution: Math.max(resolution, leastResolution) });
syncBuiltinESMExports();
