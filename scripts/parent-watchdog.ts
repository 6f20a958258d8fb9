import { type ChildProcess, spawn } from "node:child_process";

// A shell in a separate session holds the program and a pipe to this process. When this process ends in any way (also by kill -9), the
// pipe ends and the session is killed. Ctrl-C in a terminal does not reach the session, so this process decides the order of stopping.
const script = `"$@" 3<&- </dev/null & program=$!
trap 'kill -TERM $program 2>/dev/null' TERM
{ trap '' TERM; cat <&3 >/dev/null; kill -KILL 0; } &
exec 3<&-
while :; do wait $program; code=$?; kill -0 $program 2>/dev/null || exit $code; done`;

export type WatchdogOptions = {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** File descriptor that takes what the program prints; "pipe" makes it readable from the process's streams. */
  output: number | "pipe";
};

/**
 * Start a program so that it never outlives this process, however this process ends.
 * SIGTERM to the returned process reaches the program; its exit code is the program's.
 */
export function spawnWatched(
  command: string,
  args: readonly string[],
  { output, ...options }: WatchdogOptions,
): ChildProcess {
  const child = spawn("/bin/sh", ["-c", script, "parent-watchdog", command, ...args], {
    ...options,
    detached: true,
    stdio: ["ignore", output, output, "pipe"],
  });
  const pipe = child.stdio[3];
  child.once("exit", () => pipe?.destroy());
  return child;
}

/** End a program that `spawnWatched` started: SIGTERM first, SIGKILL to its whole session after `graceMs`. */
export async function endWatched(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.stdio[3]?.destroy(), graceMs);
  await ended;
  clearTimeout(force);
}
