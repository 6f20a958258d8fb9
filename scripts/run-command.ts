import { spawnWatched } from "./parent-watchdog.ts";

export type CommandOptions = {
  /** Folder in which it runs; absent: that of this process. */
  cwd?: string;
  /** Variables in addition to those of this process. */
  env?: NodeJS.ProcessEnv;
  /** Time limit in milliseconds. The command is then killed, and its code is not 0. */
  limitMs?: number;
  /** The same for milliseconds without output. */
  silenceMs?: number;
  /** Show what it prints when it has ended, in one piece: for commands that run side by side. */
  atOnce?: boolean;
  /** Show no output. */
  quiet?: boolean;
};
/** `stopped` says that a limit ended it. */
export type CommandResult = { code: number; output: string; seconds: number; stopped: boolean };

/**
 * Run a command of node_modules/.bin or PATH in the project's folder; its output is shown as it comes, and returned.
 * Processes that it started end with it, and all end with this process, however that ends.
 */
export async function runCommand(
  command: string,
  args: string[],
  { cwd, env, limitMs, silenceMs, atOnce = false, quiet = false }: CommandOptions = {},
): Promise<CommandResult> {
  const begin = performance.now();
  const path = `node_modules/.bin:${process.env.PATH ?? ""}`;
  const options = { ...(cwd === undefined ? {} : { cwd }), env: { ...process.env, ...env, PATH: path } };
  const child = spawnWatched(command, args, { ...options, output: "pipe" });
  const parts: Buffer[] = [];
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.stdio[3]?.destroy();
  };
  const limit = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
  const silence = silenceMs === undefined ? undefined : setTimeout(stop, silenceMs);
  const show = (stream: NodeJS.WriteStream) => (part: Buffer) => {
    parts.push(part);
    silence?.refresh();
    if (!atOnce && !quiet) stream.write(part);
  };
  child.stdout?.on("data", show(process.stdout));
  child.stderr?.on("data", show(process.stderr));
  // Background processes of a shell ignore SIGINT.
  const end = () => child.kill("SIGTERM");
  process.on("SIGINT", end).on("SIGTERM", end);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  clearTimeout(limit);
  clearTimeout(silence);
  process.off("SIGINT", end).off("SIGTERM", end);
  const output = Buffer.concat(parts).toString();
  if (atOnce && !quiet) process.stdout.write(output);
  return { code, output, seconds: (performance.now() - begin) / 1000, stopped };
}
