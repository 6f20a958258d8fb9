import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import type { LoadOrder, StreamResult } from "./load.ts";
import type { Usage } from "./measured.ts";

const hasTaskset = (() => {
  try {
    execFileSync("taskset", ["-V"], { stdio: "ignore" });
    return cpus().length > 1;
  } catch {
    return false;
  }
})();

/** Start a program of this folder; `core` pins it to a core where the system supports that. */
export async function start<Told>(name: string, args: string[], core?: number, env: NodeJS.ProcessEnv = {}) {
  const program = new URL(`./${name}.ts`, import.meta.url);
  const child = fork(program, args, { env: { ...process.env, ...env }, serialization: "advanced" });
  const [told] = (await once(child, "message")) as [Told];
  if (hasTaskset && core !== undefined) {
    execFileSync("taskset", ["-acp", String(core), String(child.pid)], { stdio: "ignore" });
  }
  return { child, told };
}

export async function usageOf(child: ChildProcess): Promise<Usage> {
  const answer = once(child, "message");
  child.send("usage");
  return ((await answer) as [Usage])[0];
}

export async function runStreams(order: LoadOrder): Promise<StreamResult> {
  const program = new URL("./load.ts", import.meta.url);
  const child = fork(program, [], { serialization: "advanced" });
  if (hasTaskset) execFileSync("taskset", ["-acp", "1", String(child.pid)], { stdio: "ignore" });
  child.send(order);
  const [result] = (await once(child, "message")) as [StreamResult];
  child.kill();
  if (result.failures > 0) throw new Error(`${result.failures} streams failed: ${result.failure}`);
  return result;
}
