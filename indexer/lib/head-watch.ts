import { createPublicClient, type Transport } from "viem";
import { BlockLog } from "./block-log.ts";

/** Blocks count as final 30 blocks later, so polling now and then is enough to see one of the following blocks. */
const everyMs = 2_000;

/**
 * Keep a log of the chain's latest blocks for as long as this process lives, so that the next start can tell whether
 * the chain still has them, see `prepare.ts`. Resolves when the first is in the log.
 */
export async function watchHead(transport: Transport, file: string): Promise<void> {
  const client = createPublicClient({ transport, cacheTime: 0 });
  const log = new BlockLog(file);
  const look = async () => {
    const { number, hash } = await client.getBlock({ blockTag: "latest" });
    log.note(Number(number), hash);
  };
  await look();
  // Ponder reports a chain that does not answer; the log only misses some blocks.
  setInterval(() => look().catch(() => undefined), everyMs).unref();
}
