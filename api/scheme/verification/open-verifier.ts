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

/** This service as an issuer: what it signed is verified without asking its own address, which it may not reach from inside. */
export type OwnIssuer = { did: string; document: DidDocument; readList: ReadOwnList };

export type OpenVerifierOptions = {
  outbound: OutboundRules;
  ethrNetworks: EthrNetwork[];
  clock: { now(): Date };
  own?: OwnIssuer | undefined;
};

/** The scheme's own chain, where it has a registry of did:ethr, and the configured ones. */
export function ethrNetworksOf(
  { chain: { chainId, rpcUrl }, ethrNetworks }: Pick<PlatformConfig, "chain" | "ethrNetworks">,
  didRegistry: Address | undefined,
): EthrNetwork[] {
  return didRegistry ? [{ chainId, rpcUrl, registry: didRegistry }, ...ethrNetworks] : ethrNetworks;
}

/** Make the verifier with did:key, did:web and did:ethr; `close` ends the connections of did:ethr. */
export function openVerifier({
  outbound,
  ethrNetworks,
  clock,
  own,
}: OpenVerifierOptions): CredentialVerifier & { resolver: Resolvable; close(): void } {
  const ethr = ethrNetworks.length > 0 ? didEthrMethod(ethrNetworks) : undefined;
  const web = own === undefined ? didWebMethod(outbound) : withOwn(didWebMethod(outbound), own);
  const methods = [didKeyMethod, web, ...(ethr ? [ethr] : [])];
  const resolver = createDidResolver(methods, () => clock.now().getTime());
  return {
    ...createCredentialVerifier({ resolver, outbound, readOwnList: own?.readList }),
    resolver,
    close: () => ethr?.close(),
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
