import { submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import type { Worker, Workers } from "../../../platform/workers/index.ts";
import type { ItmoDeps } from "../deps.ts";
import { readState, SECONDS_PER_DAY } from "./buffer.ts";

const EVERY_MS = 600_000;

type SettlerDeps = ItmoDeps & { log: Log };

/** Cancel and release what the buffer's rules allow, every ten minutes, so that nobody has to ask for it. */
export function startBufferSettler(deps: SettlerDeps & { workers: Workers }): Worker {
  const ended = new Set<number>();
  const run = ({ signal }: { signal: AbortSignal }) => settleBuffered(deps, { ended, signal });
  return deps.workers.add({ name: "invalidation-buffer", everyMs: EVERY_MS, run }).start();
}

type Round = {
  /** Conversions of which nothing is held any more. The round adds to it. */
  ended: Set<number>;
  signal?: AbortSignal;
};

/** Settle what is due of every conversion. What the chain refuses is left for a later round. */
export async function settleBuffered(deps: SettlerDeps, { ended, signal }: Round): Promise<void> {
  const { chain, log } = deps;
  const [holds, changes, now] = await Promise.all([
    chain.past("invalidationBuffer", "UnitsBuffered", {}),
    chain.past("certificates", "CertificateStatusChanged", {}),
    chain.now(),
  ]);
  for (const { conversion, heldUntil } of holds.map(({ args }) => args)) {
    if (signal?.aborted) return;
    const isDue = Number(now) >= heldUntil || changes.length > 0;
    if (ended.has(conversion) || !isDue) continue;
    try {
      await settleConversion(deps, conversion, ended);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.info(
        { err: error, conversion },
        "what the invalidation buffer holds was not settled; a later round tries again",
      );
    }
  }
}

async function settleConversion(deps: ItmoDeps, conversion: number, ended: Set<number>): Promise<void> {
  const { held, due, status, cancellations } = await readState(deps, conversion);
  if (held === 0n) {
    ended.add(conversion);
    return;
  }
  const functionName = status === "releasable" ? "release" : "cancelRevoked";
  if (functionName === "cancelRevoked" && due === 0n) return;
  // Processes that share the database send it once. A refused call can be sent again the next day.
  const day = (await deps.chain.now()) / BigInt(SECONDS_PER_DAY);
  const idempotencyKey = `invalidation-buffer:${conversion}:${functionName}:${cancellations.length}:${day}`;
  await submitCall(
    deps,
    { idempotencyKey },
    {
      sender: "operator",
      contract: "invalidationBuffer",
      functionName,
      args: [conversion],
      purpose: functionName === "release" ? "itmo.release" : "itmo.cancel-buffered",
    },
  );
}
