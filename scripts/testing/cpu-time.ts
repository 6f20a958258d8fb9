import { readFileSync } from "node:fs";

/** Processor time of this process and of the ended processes that it started, in seconds; on Linux alone with the latter. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + endedChildrenSeconds();
}

/** From `cutime` and `cstime`, in hundredths of a second (proc_pid_stat(5)). */
function endedChildrenSeconds(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(afterName[13]) + Number(afterName[14])) / 100;
}
