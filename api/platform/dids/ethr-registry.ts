import type { DIDResolver } from "did-resolver";
import { type AbstractProvider, Contract, FallbackProvider, JsonRpcProvider, Network } from "ethers";
import { EthereumDIDRegistry, getResolver, interpretIdentifier } from "ethr-did-resolver";
import { type DidMethod, UnknownNetworkError } from "./did-resolution.ts";

/** A chain whose did:ethr identities are read through the node at `rpcUrl`, or through the first of `rpcUrls` that answers. */
export type EthrNetwork = {
  chainId: number;
  rpcUrl: string;
  rpcUrls?: readonly string[] | undefined;
  registry: `0x${string}`;
  name?: string | undefined;
};

/** Open the registries of did:ethr on the configured chains. */
export function openEthrRegistries(networks: EthrNetwork[]): Required<Omit<DidMethod, "name">> & { close(): void } {
  const chains = networks.map((network) => ({ ...network, provider: connect(network) }));
  // The casts are needed because the library uses other copies of the types of ethers and did-resolver.
  const settings = { networks: chains.map(({ rpcUrl: _, rpcUrls: __, ...chain }) => chain) } as unknown;
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

/** How long a node may take before the next one is asked too, in milliseconds. */
const stallTimeout = 2_000;

function connect({ chainId, rpcUrl, rpcUrls = [rpcUrl] }: EthrNetwork): AbstractProvider {
  const network = Network.from(chainId);
  const nodes = rpcUrls.map((url) => connectNode(url, network));
  if (nodes.length === 1) return nodes[0] as JsonRpcProvider;
  const ranked = nodes.map((provider, place) => ({ provider, priority: place + 1, stallTimeout, weight: 1 }));
  return new FallbackProvider(ranked, network, { quorum: 1, cacheTimeout: -1 });
}

function connectNode(rpcUrl: string, network: Network): JsonRpcProvider {
  // By default ethers caches results for 250 ms, and requests the chain id before each call.
  return new JsonRpcProvider(rpcUrl, network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 1 });
}
