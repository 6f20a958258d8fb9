import type { DIDResolver } from "did-resolver";
import { Contract, JsonRpcProvider, Network } from "ethers";
import { EthereumDIDRegistry, getResolver, interpretIdentifier } from "ethr-did-resolver";
import { type DidMethod, UnknownNetworkError } from "./did-resolution.ts";

/** A chain whose did:ethr identities are read through the node at `rpcUrl`. */
export type EthrNetwork = { chainId: number; rpcUrl: string; registry: `0x${string}`; name?: string | undefined };

/** Open the registries of did:ethr on the configured chains. */
export function openEthrRegistries(networks: EthrNetwork[]): Required<Omit<DidMethod, "name">> & { close(): void } {
  const chains = networks.map((network) => ({ ...network, provider: connect(network) }));
  // The casts are needed because the library uses other copies of the types of ethers and did-resolver.
  const settings = { networks: chains.map(({ rpcUrl: _, ...chain }) => chain) } as unknown;
  const { ethr } = getResolver(settings as Parameters<typeof getResolver>[0]);
  if (!ethr) throw new Error("ethr-did-resolver offers no did:ethr");
  return {
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
  // By default ethers caches results for 250 ms, and requests the chain id before each call.
  return new JsonRpcProvider(rpcUrl, network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 1 });
}
