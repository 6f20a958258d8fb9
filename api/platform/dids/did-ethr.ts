import type { DIDResolver } from "did-resolver";
import { Contract, JsonRpcProvider, Network } from "ethers";
import { EthereumDIDRegistry, getResolver, interpretIdentifier } from "ethr-did-resolver";
import { type DidMethod, UnknownNetworkError } from "./did-resolution.ts";

/** A chain whose did:ethr identities are read through our own node. */
export type EthrNetwork = { chainId: number; rpcUrl: string; registry: `0x${string}`; name?: string | undefined };

/**
 * did:ethr on the configured chains. The registry's block of last change marks a DID's state, so a cached document is
 * dropped with the first change of owner or key.
 */
export function didEthrMethod(networks: EthrNetwork[]): DidMethod & { close(): void } {
  const chains = networks.map((network) => ({ ...network, provider: connect(network) }));
  // The casts: the library sees ethers and did-resolver through other copies of the same types.
  const settings = { networks: chains.map(({ rpcUrl: _, ...chain }) => chain) } as unknown;
  const { ethr } = getResolver(settings as Parameters<typeof getResolver>[0]);
  if (!ethr) throw new Error("ethr-did-resolver offers no did:ethr");
  return {
    name: "ethr",
    resolve: ethr as unknown as DIDResolver,
    async stateOf(did) {
      const { address, network = "mainnet" } = interpretIdentifier(did);
      const chain = chains.find(({ name, chainId }) => name === network || `0x${chainId.toString(16)}` === network);
      if (!chain) throw new UnknownNetworkError("The did:ethr's chain is not configured");
      const registry = new Contract(chain.registry, EthereumDIDRegistry.abi, chain.provider);
      return String(await registry.getFunction("changed")(address));
    },
    close: () => {
      for (const { provider } of chains) provider.destroy();
    },
  };
}

function connect({ chainId, rpcUrl }: EthrNetwork): JsonRpcProvider {
  const network = Network.from(chainId);
  // ethers would answer from its own cache for 250 ms, and ask for the chain id before each call.
  return new JsonRpcProvider(rpcUrl, network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 1 });
}
