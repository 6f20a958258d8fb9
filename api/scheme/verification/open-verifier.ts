import type { DIDDocument, Resolvable } from "did-resolver";
import type { Address } from "viem";
import type { PlatformConfig } from "../../platform/config.ts";
import {
  createDidResolver,
  type DidMethod,
  didEthrMethod,
  didKeyMethod,
  didWebMethod,
  type EthrNetwork,
} from "../../platform/dids/index.ts";
import type { DidDocument } from "../../platform/identity/index.ts";
import type { OutboundRules } from "../../platform/outbound/index.ts";
import { type CredentialVerifier, createCredentialVerifier } from "./credential-verifier.ts";
import type { ReadOwnList } from "./status-list.ts";

/**
 * This service as an issuer. Its credentials are verified without a request to its public address, which may be
 * unreachable from inside.
 */
export type OwnIssuer = { did: string; document: DidDocument; readList: ReadOwnList };

export type OpenVerifierOptions = {
  outbound: OutboundRules;
  ethrNetworks: EthrNetwork[];
  clock: { now(): Date };
  own?: OwnIssuer | undefined;
};

/** List the networks of did:ethr: the configured ones, and the scheme's chain if it has a registry of did:ethr. */
export function ethrNetworksOf(
  { chain: { chainId, rpcUrl, rpcUrls }, ethrNetworks }: Pick<PlatformConfig, "chain" | "ethrNetworks">,
  didRegistry: Address | undefined,
): EthrNetwork[] {
  return didRegistry ? [{ chainId, rpcUrl, rpcUrls, registry: didRegistry }, ...ethrNetworks] : ethrNetworks;
}

/** Open the verifier with did:key, did:web and did:ethr; `close` ends the connections of did:ethr. */
export function openVerifier({
  outbound,
  ethrNetworks,
  clock,
  own,
}: OpenVerifierOptions): CredentialVerifier & { resolver: Resolvable; close(): Promise<void> } {
  const ethr = ethrNetworks.length > 0 ? didEthrMethod(ethrNetworks) : undefined;
  const web = own === undefined ? didWebMethod(outbound) : withOwn(didWebMethod(outbound), own);
  const methods = [didKeyMethod, web, ...(ethr ? [ethr] : [])];
  const resolver = createDidResolver(methods, () => clock.now().getTime());
  return {
    ...createCredentialVerifier({ resolver, outbound, readOwnList: own?.readList }),
    resolver,
    close: async () => ethr?.close(),
  };
}

function withOwn(method: DidMethod, { did: own, document }: OwnIssuer): DidMethod {
  const found = {
    didDocument: document as DIDDocument,
    didDocumentMetadata: {},
    didResolutionMetadata: { contentType: "application/did+json" },
  };
  return { ...method, resolve: async (did, ...rest) => (did === own ? found : method.resolve(did, ...rest)) };
}
