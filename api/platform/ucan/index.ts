/** Capability tokens (UCAN 0.9): verify them, ask what they allow, mint them; the paths and CIDs that they name. */

export { coversAbility } from "./abilities.ts";
export { Access, isVisible, type Subject, type Visibility } from "./access.ts";
export { type Authority, type OpenAuthority, openAuthority, refuseExpired } from "./authority.ts";
export { blockSize, contentCid, isCid, multihashKey, type ParsedCid, parseCid, rawCid, rawDigestOf } from "./cid.ts";
export { type Ability, abilities, type Grant, type MultihashKey } from "./grant.ts";
export { mintToken } from "./mint.ts";
export { notFound } from "./not-found.ts";
export {
  ancestorsOf,
  brokenPathRules,
  isDotPath,
  isWithin,
  makeControlsVisible,
  nameOf,
  parentOf,
  parseFolder,
  parsePath,
  segmentsOf,
} from "./paths.ts";
export { isDid, isVfs } from "./resource.ts";
export type { RevocationRow, RevocationStore } from "./revocation-store.ts";
export type { ServiceAccessDeps } from "./service-access.ts";
export { ServiceAccess } from "./service-access.ts";
export { deriveScopes } from "./token/capabilities.ts";
export { type Chain, decodeChain, type Link, linksAbove } from "./token/delegation-chain.ts";
export { brokenLinkRules } from "./token/link-rules.ts";
export { createSignatureVerifier, type SignatureVerifier } from "./token/signatures.ts";
