import { http, type Transport } from "viem";
import { BlockLog } from "./block-log.ts";

type Header = { number?: string | null; hash?: string | null } | null;

/**
 * A JSON-RPC transport that notes the hash of every block that Ponder is told of, before Ponder can store anything of
 * it. The next start compares these with the chain, see `start.ts`.
 */
export function observedTransport(url: string, logFile: string): Transport {
  const log = new BlockLog(logFile);
  const connect = http(url, { retryCount: 0, timeout: 10_000 });
  return (options) => {
    const transport = connect(options);
    const request: typeof transport.request = async (call, requestOptions) => {
      const answer = await transport.request(call, requestOptions);
      if (call.method === "eth_getBlockByNumber" || call.method === "eth_getBlockByHash") {
        const { number, hash } = (answer as Header) ?? {};
        if (number && hash) log.note(Number(number), hash as `0x${string}`);
      }
      return answer as never;
    };
    return { ...transport, request };
  };
}
