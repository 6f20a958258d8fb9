import { createPublicClient, http, toHex } from "viem";
import { type RpcCall, type RpcProxy, type RpcRefusal, startRpcProxy } from "./rpc-proxy.ts";

/** Place of the block among the parameters of a method that reads a state. */
const blockPlace: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
};

/** A node's URL behind which, at each call that `isBehind` picks, another node answers that lacks the newest `blocks`. */
export async function startLaggingNode(
  target: string,
  { blocks, isBehind }: { blocks: number; isBehind: (call: RpcCall) => boolean },
): Promise<RpcProxy> {
  const client = createPublicClient({ transport: http(target), cacheTime: 0 });
  return await startRpcProxy(target, async (call) => {
    if (!isBehind(call)) return undefined;
    const newest = (await client.getBlockNumber()) - BigInt(blocks);
    return await answerBehind(call, newest, (request) => client.request(request as never));
  });
}

async function answerBehind(
  { method, params }: RpcCall,
  newest: bigint,
  ask: (request: { method: string; params: unknown[] }) => Promise<unknown>,
): Promise<RpcRefusal | undefined> {
  const isKnown = (block: unknown) => typeof block !== "string" || !block.startsWith("0x") || BigInt(block) <= newest;
  if (method === "eth_blockNumber") return { result: toHex(newest) };
  if (method === "eth_getBlockByNumber") {
    if (params[0] === "latest") return { instead: { method, params: params.with(0, toHex(newest)) } };
    return isKnown(params[0]) ? undefined : { result: null };
  }
  if (method === "eth_getTransactionReceipt") {
    const receipt = (await ask({ method, params })) as { blockNumber: string } | null;
    return isKnown(receipt?.blockNumber) ? { result: receipt } : { result: null };
  }
  const place = blockPlace[method];
  if (place === undefined) return undefined;
  if (params[place] === "latest" || params[place] === undefined) {
    return { instead: { method, params: [...params.slice(0, place), toHex(newest)] } };
  }
  return isKnown(params[place]) ? undefined : { code: -32_000, message: "header not found" };
}
