import type { DidMethod } from "./did-resolution.ts";
import type { EthrNetwork } from "./ethr-registry.ts";

/**
 * Create the did:ethr method for the configured chains. The registry's block of last change identifies a DID's state, so a cached
 * document is dropped as soon as an owner or key changes.
 */
export function didEthrMethod(networks: EthrNetwork[]): DidMethod & { close(): Promise<void> } {
  let opened: Promise<Awaited<ReturnType<typeof openRegistries>>> | undefined;
  const registries = () => {
    opened ??= openRegistries(networks);
    return opened;
  };
  return {
    name: "ethr",
    resolve: async (...did) => (await registries()).resolve(...did),
    stateOf: async (did) => (await registries()).stateOf(did),
    close: async () => (await opened)?.close(),
  };
}

/** Most systems never read a did:ethr, and its library is large: it is loaded with the first one. */
async function openRegistries(networks: EthrNetwork[]) {
  const { openEthrRegistries } = await import("./ethr-registry.ts");
  return openEthrRegistries(networks);
}
