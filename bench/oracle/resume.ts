import { setTimeout as sleep } from "node:timers/promises";
import { newTestUser, openTestOracle, type TestUser } from "../../api/oracle/testing.ts";
import { agentOf, framesOf, isWhole, readAll, stream, type TestFrame } from "../../api/oracle/testing-streams.ts";
import { type Figure, percentile } from "../figures.ts";

/** Events of the run that is come back to. */
const events = 10_000;

/** How long it takes to come back to a long run, and what is lost or doubled by clients that are cut off again and again. */
export async function benchResume(disconnects: number): Promise<Figure[]> {
  const agent = agentOf(() => ({}));
  const oracle = await openTestOracle(agent);
  try {
    const user = await newTestUser(oracle);
    agent.turn = async ({ emit }) => {
      for (let i = 0; i < events / 2; i++) {
        for (const status of ["isRunning", "done"] as const) {
          emit({ type: "tool", toolCallId: `c${i}`, toolName: "step", args: { i }, status });
        }
        if (i % 100 === 0) await new Promise(setImmediate);
      }
      return {};
    };
    const answer = await stream(user, await user.session());
    const runId = answer.headers.get("x-run-id") ?? "";
    await readAll(answer);
    const samples: number[] = [];
    const first: number[] = [];
    for (let i = 0; i < 10; i++) {
      const began = performance.now();
      const replay = framesOf(await user.call("GET", `/runs/${runId}`));
      await replay.next();
      first.push(performance.now() - began);
      for await (const _ of replay);
      samples.push(performance.now() - began);
    }
    return [
      { name: `resume of a run of ${events} events, first frame, p50`, value: percentile(first, 0.5), unit: "ms" },
      { name: `resume of a run of ${events} events, whole, p50`, value: percentile(samples, 0.5), unit: "ms" },
      ...(await benchDisconnects(agent, user, disconnects)),
    ];
  } finally {
    await oracle.close();
  }
}

/** Each client is cut off after a few frames, comes back with the last number it saw, and so on until `done`. */
async function benchDisconnects(
  agent: ReturnType<typeof agentOf>,
  user: TestUser,
  disconnects: number,
): Promise<Figure[]> {
  const clients = 20;
  let running = true;
  agent.turn = async ({ emit, signal }) => {
    for (let i = 0; running && !signal.aborted; i++) {
      emit({ type: "tool", toolCallId: `c${i}`, toolName: "step", args: { i }, status: "done" });
      await sleep(2);
    }
    return {};
  };
  let cuts = 0;
  let lost = 0;
  let doubled = 0;
  let broken = 0;
  const client = async () => {
    const seen: TestFrame[] = [];
    let answer = await stream(user, await user.session());
    const runId = answer.headers.get("x-run-id") ?? "";
    for (;;) {
      const from = seen.length;
      for await (const frame of framesOf(answer)) {
        const last = seen.at(-1)?.id ?? 0;
        if (frame.id <= last) doubled += 1;
        if (frame.id > last + 1) lost += frame.id - last - 1;
        seen.push(frame);
        if (running && seen.length >= from + 3) break;
      }
      if (seen.at(-1)?.event === "done") break;
      cuts += 1;
      if (cuts >= disconnects) running = false;
      answer = await user.call("GET", `/runs/${runId}?after=${seen.at(-1)?.id ?? 0}`);
    }
    if (!isWhole(seen)) broken += 1;
  };
  await Promise.all(Array.from({ length: clients }, client));
  const none = (value: number) => ({ aim: "0", met: value === 0 });
  return [
    { name: "forced disconnects", value: cuts, unit: "" },
    { name: "frames lost", value: lost, unit: "", ...none(lost) },
    { name: "frames doubled", value: doubled, unit: "", ...none(doubled) },
    { name: "streams whose digest does not hold", value: broken, unit: "", ...none(broken) },
  ];
}
