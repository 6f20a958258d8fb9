import { type EIP1193RequestFn, fallback, HttpRequestError, type HttpTransport, http, type Transport } from "viem";
import { isChainUnreachable } from "../../unavailable.ts";

/** Time limit of a request to the only node, and to one of several, in milliseconds. */
const timeoutMs = { only: 20_000, oneOfSeveral: 5_000 };
/** How long a node that did not answer is asked last, in milliseconds. */
const restMs = 10_000;

/** Create the transport to the nodes of a chain: each request goes to the first one that answers. */
export function rpcTransport(urls: readonly string[], chainId: number): Transport {
  const [only] = urls;
  if (urls.length === 1) return http(only, { retryCount: 1, timeout: timeoutMs.only });
  const resting = new Set<string>();
  const nodes = urls.map((url) => restAfterSilence(url, { chainId, resting, count: urls.length }));
  return fallback(nodes, { retryCount: 1 });
}

/**
 * A node that, after a request that it did not answer, refuses further ones for a while, unless all nodes do. A node of another
 * chain counts as one that does not answer: its state and its nonces are wrong here.
 */
function restAfterSilence(
  url: string,
  { chainId, resting, count }: { chainId: number; resting: Set<string>; count: number },
): HttpTransport {
  const open = http(url, { retryCount: 0, timeout: timeoutMs.oneOfSeveral });
  let silence: unknown;
  let isOfChain = false;
  return (parameters) => {
    const transport = open(parameters);
    const requireChain = async () => {
      const answered = Number(await transport.request({ method: "eth_chainId" }));
      if (answered !== chainId) {
        throw new HttpRequestError({ url, details: `The node is of chain ${answered}, not of ${chainId}.` });
      }
      isOfChain = true;
    };
    const request = async (args: Parameters<EIP1193RequestFn>[0]) => {
      if (resting.has(url) && resting.size < count) throw silence;
      try {
        if (!isOfChain) await requireChain();
        const result = await transport.request(args as never);
        resting.delete(url);
        return result;
      } catch (error) {
        if (isChainUnreachable(error) && !resting.has(url)) {
          silence = error;
          isOfChain = false;
          resting.add(url);
          setTimeout(() => resting.delete(url), restMs).unref();
        }
        throw error;
      }
    };
    return { ...transport, request: request as EIP1193RequestFn };
  };
}
