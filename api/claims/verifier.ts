import type { Resolvable } from "did-resolver";
import type { Address } from "viem";
import type { Config } from "../config.ts";
import type { OutboundRules } from "../http/outbound.ts";
import { type CredentialVerifier, createCredentialVerifier } from "./credentials.ts";
import { didEthrMethod, type EthrNetwork } from "./did-ethr.ts";
import { createDidResolver, didKeyMethod } from "./did-resolution.ts";
import { didWebMethod } from "./did-web.ts";

export type OpenVerifierOptions = { outbound: OutboundRules; ethrNetworks: EthrNetwork[]; clock: { now(): Date } };

/** The scheme's own chain, where it has a registry of did:ethr, and the configured ones. */
export function ethrNetworksOf(
  { chain: { chainId, rpcUrl }, ethrNetworks }: Pick<Config, "chain" | "ethrNetworks">,
  didRegistry: Address | undefined,
): EthrNetwork[] {
  return didRegistry ? [{ chainId, rpcUrl, registry: didRegistry }, ...ethrNetworks] : ethrNetworks;
}

/** Make the verifier with did:key, did:web and did:ethr; `close` ends the connections of did:ethr. */
export function openVerifier({
  outbound,
  ethrNetworks,
  clock,
}: OpenVerifierOptions): CredentialVerifier & { resolver: Resolvable; close(): void } {
  const ethr = ethrNetworks.length > 0 ? didEthrMethod(ethrNetworks) : undefined;
  const methods = [didKeyMethod, didWebMethod(outbound), ...(ethr ? [ethr] : [])];
  const resolver = createDidResolver(methods, () => clock.now().getTime());
  return { ...createCredentialVerifier({ resolver, outbound }), resolver, close: () => ethr?.close() };
}
