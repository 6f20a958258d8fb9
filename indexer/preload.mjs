// Preloaded into Ponder's process. Ponder samples the event loop's lag by a timer of one millisecond, which wakes an idle process
// several hundred times a second; half a second is precise enough for an indexer. It also writes a file of types into this folder, which
// fails where the file system is read-only, as in a container.
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import "./loading.mjs";

const leastResolution = 500;
const require = createRequire(import.meta.url);

const hooks = require("node:perf_hooks");
const { monitorEventLoopDelay } = hooks;
hooks.monitorEventLoopDelay = ({ resolution = leastResolution, ...options } = {}) =>
  monitorEventLoopDelay({ ...options, resolution: Math.max(resolution, leastResolution) });

const types = join(import.meta.dirname, "ponder-env.d.ts");
const fs = require("node:fs");
const { writeFileSync } = fs;
fs.writeFileSync = (path, ...rest) => {
  try {
    writeFileSync(path, ...rest);
  } catch (error) {
    if (path !== types || !["EROFS", "EACCES"].includes(error.code)) throw error;
  }
};
syncBuiltinESMExports();
