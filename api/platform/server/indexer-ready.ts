import type { ReadyCheck } from "./readiness.ts";

/** Longest lag of the indexer behind the chain, in seconds of chain time. */
const allowedLag = 30;

type IndexerStatus = Record<string, { id: number; block: { number: number; timestamp: number } }>;

/** Create a check that is ready when the indexer answers and its newest block is at most 30 s of chain time behind. */
export function indexerCheck(indexerUrl: string, chainNow: () => Promise<bigint>): ReadyCheck {
  return async () => {
    const answer = await fetch(`${indexerUrl}/status`, { signal: AbortSignal.timeout(2_500) });
    if (!answer.ok) return { ready: false, reason: `the indexer answers ${answer.status}` };
    const [chain] = Object.values((await answer.json()) as IndexerStatus);
    if (chain === undefined) return { ready: false, reason: "the indexer follows no chain yet" };
    const lagSeconds = Math.max(0, Number(await chainNow()) - chain.block.timestamp);
    return { ready: lagSeconds <= allowedLag, blockNumber: chain.block.number, lagSeconds };
  };
}
