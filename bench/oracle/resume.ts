import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  mintOracleToken,
  newTestUser,
  openTestOracle,
  type TestOracle,
  type TestUser,
} from "../../test/support/oracle/oracle.ts";
import { agentOf, framesOf, readAll, stream } from "../../test/support/oracle/streams.ts";
import { type Figure, percentile } from "../figures.ts";
import type { CutOffOrder, CutOffResult } from "./cut-off.ts";

/** Events of the run that is resumed. */
const events = 10_000;
/** Clients whose connections are cut at the same time. */
const clients = 20;
/** Events of each of their turns, and milliseconds between events. */
const turnEvents = 300;
const eventMs = 5;

/** Time to resume a long run, and the events that clients lose or get twice when their connections are cut repeatedly. */
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
      ...(await benchDisconnects(agent, { oracle, user }, disconnects)),
    ];
  } finally {
    await oracle.close();
  }
}

/** Cut each client's connection after a few frames, resume from its last event, and so on until `done`. */
async function benchDisconnects(
  agent: ReturnType<typeof agentOf>,
  { oracle, user }: { oracle: Pick<TestOracle, "url" | "did">; user: TestUser },
  disconnects: number,
): Promise<Figure[]> {
  agent.turn = async ({ emit, signal }) => {
    for (let i = 0; i < turnEvents && !signal.aborted; i++) {
      emit({ type: "tool", toolCallId: `c${i}`, toolName: "step", args: { i }, status: "done" });
      await sleep(eventMs);
    }
    return {};
  };
  const sessions = await Promise.all(Array.from({ length: clients }, () => user.session()));
  // The runs may take longer than a default token lives.
  const expiration = Math.floor(Date.now() / 1000) + 14 * 60;
  const invocation = await mintOracleToken({ issuer: user.key, audience: oracle.did, expiration });
  const headers = { ...user.headers, authorization: `Bearer ${invocation}` };
  const child = fork(new URL("./cut-off.ts", import.meta.url), []);
  const began = performance.now();
  const { cuts, lost, doubled, broken } = await new Promise<CutOffResult>((resolve, reject) => {
    child.on("message", resolve);
    child.on("exit", (code) => reject(new Error(`the clients ended with ${code}`)));
    child.send({ url: oracle.url, headers, sessions, cuts: disconnects } satisfies CutOffOrder);
  });
  child.kill();
  const none = (value: number) => ({ aim: "0", met: value === 0 });
  return [
    { name: "forced disconnects", value: cuts, unit: "" },
    { name: "forced disconnects a second", value: (cuts / (performance.now() - began)) * 1000, unit: "/s" },
    { name: "frames lost", value: lost, unit: "", ...none(lost) },
    { name: "frames doubled", value: doubled, unit: "", ...none(doubled) },
    { name: "streams whose digest does not hold", value: broken, unit: "", ...none(broken) },
  ];
}
