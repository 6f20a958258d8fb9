// For tests, loaded into a server by NODE_OPTIONS=--import: the process kills itself before one of its statements to PGlite, so
// that a test can stop it between any two steps of a write. The file that KILL_AT_FILE names says before which one; while it is
// missing, nothing is counted.

import { existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

const file = process.env.KILL_AT_FILE;
let left: number | undefined;

if (file !== undefined && isMainThread) {
  const send = PGlite.prototype.execProtocolStream;
  PGlite.prototype.execProtocolStream = function (...given) {
    if (left === undefined && existsSync(file)) left = Number(readFileSync(file, "utf8"));
    if (left !== undefined) {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    }
    return send.apply(this, given);
  };
}
