import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Let a process end when this one does, however that comes about: a test that is killed runs no `after`.
 * @returns to be called when the process has ended
 */
export function killWithParent(pid: number, signal: "KILL" | "QUIT" = "KILL"): () => void {
  // The shell waits for the end of a pipe that nobody but us holds.
  const script = `cat; kill -${signal} ${pid}`;
  const guard = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.unref();
  (guard.stdin as Socket).unref();
  return () => {
    guard.kill("SIGKILL");
    guard.stdin.destroy();
  };
}

/** The same for a child of this process. */
export function killChildWithParent(child: ChildProcess): void {
  if (child.pid !== undefined) child.once("exit", killWithParent(child.pid));
}
