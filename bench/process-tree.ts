import { readdirSync, readFileSync } from "node:fs";

/** Resources that a process has used since it started, and the memory that it uses now. */
export type ProcessUse = {
  pid: number;
  command: string;
  /** Processor time of the process alone, in seconds. */
  processor: number;
  /** Proportional share of resident memory, in bytes: shared pages are split among the processes that map them. */
  memory: number;
  /** Voluntary context switches of all threads: how often a thread slept and was woken. */
  wakes: number;
};

/** Linux reports processor time in hundredths of a second, whatever the kernel's tick is. */
const ticksPerSecond = 100;

/** A process and all its descendants. Processes that end during the reading are left out. */
export function readTree(root: number): ProcessUse[] {
  return pidsBelow(root).flatMap((pid) => orNothing(() => [readProcess(pid)]) ?? []);
}

/** Processor seconds of a process and its descendants, including children that have ended. */
export function processorOfTree(root: number): number {
  // User and system time of the process and of its ended children: fields 14 to 17 of proc(5).
  const ticks = pidsBelow(root).flatMap((pid) => orNothing(() => statOf(pid).slice(11, 15).map(Number)) ?? []);
  return ticks.reduce((a, b) => a + b, 0) / ticksPerSecond;
}

function pidsBelow(root: number): number[] {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []).map((each) => each.pid));
  return found;
}

function readProcess(pid: number): ProcessUse {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  return {
    pid,
    command,
    processor: (user + system) / ticksPerSecond,
    memory: kilobytes * 1024,
    wakes: wakesOf(pid),
  };
}

function wakesOf(pid: number): number {
  let wakes = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const status = orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")) ?? "";
    wakes += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return wakes;
}

function allProcesses(): { pid: number; parent: number }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => orNothing(() => [{ pid: Number(pid), parent: Number(statOf(Number(pid))[1]) }]) ?? []);
}

/** The fields of /proc/PID/stat from the third on; the second, the name, may contain any character. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}

/** Undefined when the process has ended. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
