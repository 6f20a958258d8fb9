import { BlockLog } from "./block-log.ts";

/** Blocks count as final 30 blocks later, so polling now and then is enough to see one of the following blocks. */
const everyMs = 2_000;

async function latestBlock(rpcUrl: string): Promise<{ number: string; hash: `0x${string}` }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(rpcUrl, { method: "POST", headers, body, signal: AbortSignal.timeout(5_000) });
  const { result } = (await response.json()) as { result: { number: string; hash: `0x${string}` } };
  return result;
}

/**
 * Keep a log of the chain's latest blocks for as long as this process lives, so that the next start can tell whether
 * the chain still has them, see `prepare.ts`. Resolves when the first is in the log.
 */
export async function watchHead(rpcUrl: string, file: string): Promise<void> {
  const log = new BlockLog(file);
  const look = async () => {
    const { number, hash } = await latestBlock(rpcUrl);
    log.note(Number(number), hash);
  };
  await look();
  // Ponder reports a chain that does not answer; the log only misses some blocks.
  setInterval(() => look().catch(() => undefined), everyMs).unref();
}
