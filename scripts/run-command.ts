import { spawn } from "node:child_process";

export type CommandResult = { code: number; output: string; seconds: number };

/** How long a command that ended may leave something behind that still writes, in milliseconds. */
const leftoverMs = 2_000;

/**
 * Run a command of node_modules/.bin or PATH in the project's folder; its output is shown as it comes, and returned.
 * What it leaves running ends with it. After `limitMs` it is killed, and its code is not 0.
 */
export async function runCommand(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  limitMs?: number,
): Promise<CommandResult> {
  const begin = performance.now();
  const path = `node_modules/.bin:${process.env.PATH ?? ""}`;
  const child = spawn(command, args, {
    env: { ...process.env, ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that a signal reaches all of it.
    detached: true,
  });
  const parts: Buffer[] = [];
  const show = (stream: NodeJS.WriteStream) => (part: Buffer) => {
    parts.push(part);
    stream.write(part);
  };
  child.stdout.on("data", show(process.stdout));
  child.stderr.on("data", show(process.stderr));
  const forward = (signal: NodeJS.Signals) => signalGroup(child.pid, signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const limit = limitMs === undefined ? undefined : setTimeout(() => signalGroup(child.pid, "SIGKILL"), limitMs);
  child.once("exit", () => setTimeout(() => signalGroup(child.pid, "SIGKILL"), leftoverMs).unref());
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  clearTimeout(limit);
  process.off("SIGINT", forward).off("SIGTERM", forward);
  return { code, output: Buffer.concat(parts).toString(), seconds: (performance.now() - begin) / 1000 };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of the group is left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
