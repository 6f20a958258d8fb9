import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Judgement, Trial } from "./runner.ts";

/** A trial without an answer for this time counts as endless, in milliseconds. */
const PATIENCE = 300_000;

/** Run trials in a copy, in a few processes; report each outcome immediately. */
export async function runTrials(
  folder: string,
  { trials, jobs, tell }: { trials: readonly Trial[]; jobs: number; tell: (judgement: Judgement) => void },
): Promise<void> {
  const shares = Array.from({ length: jobs }, (_, job) => trials.filter((_trial, i) => i % jobs === job));
  await Promise.all(shares.map((share) => runShare(folder, share, tell)));
}

async function runShare(folder: string, share: readonly Trial[], tell: (judgement: Judgement) => void): Promise<void> {
  let left = share;
  let broken: Trial | undefined;
  while (left.length > 0) {
    const { judged, isLate, errors } = await runProcess(folder, left, tell);
    left = left.slice(judged);
    const [stuck, ...rest] = left;
    if (stuck === undefined) return;
    if (stuck.id === 0) throw new Error(`The tests do not run: ${stuck.tests}\n${errors}`);
    // A crashed process gets one retry, because the change may not be the cause.
    const isOver = isLate || stuck === broken;
    broken = stuck;
    if (!isOver) continue;
    tell({ id: stuck.id, verdict: isLate ? "timed out" : "did not run", seconds: isLate ? PATIENCE / 1000 : 0 });
    left = rest;
  }
}

/** Number of outcomes before the process ended, whether it was killed for its silence, and its last output. */
function runProcess(
  folder: string,
  trials: readonly Trial[],
  tell: (judgement: Judgement) => void,
): Promise<{ judged: number; isLate: boolean; errors: string }> {
  const env = { ...process.env, HEARTH_COVERAGE: "1" };
  const args = [join(folder, "scripts/mutation/runner.ts"), JSON.stringify(trials)];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    errors = (errors + part).slice(-2_000);
  });
  let judged = 0;
  let isLate = false;
  const stop = () => {
    isLate = true;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(stop, PATIENCE);
  createInterface(child.stdout).on("line", (line) => {
    if (!line.startsWith("{")) return;
    judged++;
    timer.refresh();
    tell(JSON.parse(line));
  });
  return new Promise((resolve) =>
    child.once("close", () => {
      clearTimeout(timer);
      resolve({ judged, isLate, errors });
    }),
  );
}
