import { spawn } from "node:child_process";

export type CommandResult = { code: number; output: string; seconds: number };

/** Run a command of node_modules/.bin or PATH in the project's folder; its output is shown as it comes, and returned. */
export async function runCommand(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const begin = performance.now();
  const path = `node_modules/.bin:${process.env.PATH ?? ""}`;
  const child = spawn(command, args, {
    env: { ...process.env, ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const parts: Buffer[] = [];
  const show = (stream: NodeJS.WriteStream) => (part: Buffer) => {
    parts.push(part);
    stream.write(part);
  };
  child.stdout.on("data", show(process.stdout));
  child.stderr.on("data", show(process.stderr));
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  process.off("SIGINT", forward).off("SIGTERM", forward);
  return { code, output: Buffer.concat(parts).toString(), seconds: (performance.now() - begin) / 1000 };
}
