/** The words that stand for the ITMO contract's numbers, as the agreed electronic format and the answers have them. */

/** What mitigation outcomes are authorized for, in the order of the contract's numbers, from 1. */
export const itmoPurposes = ["NDC", "OIMP", "IMP", "OP", "NDC and OIMP", "NDC and IMP", "NDC and OP"] as const;
export type ItmoPurpose = (typeof itmoPurposes)[number];

/** What the regulator has left of an authorization. While a change is announced, the guardian can veto it. */
export const authorizationStatuses = [
  "authorized",
  "reduction-announced",
  "reduced",
  "revocation-announced",
  "revoked",
] as const;
export type AuthorizationStatus = (typeof authorizationStatuses)[number];

/** What can happen to an authorization after its registration, besides a new version of its quantity. */
export const authorizationChangeKinds = ["reduction", "revocation", "veto"] as const;
export type AuthorizationChangeKind = (typeof authorizationChangeKinds)[number];

/** The same of a unit. What was first transferred keeps its authorization. */
export const unitAuthorizationStatuses = [...authorizationStatuses, "first-transferred"] as const;
export type UnitAuthorizationStatus = (typeof unitAuthorizationStatuses)[number];

/** What is the first transfer of an outcome for another international mitigation purpose, from 1. */
export const firstTransferDefinitions = ["Authorisation", "Issuance", "Use or Cancellation"] as const;
export type FirstTransferDefinition = (typeof firstTransferDefinitions)[number];

/** From 1. */
export const conversionStatuses = ["requested", "finalised", "reverted"] as const;
export type ConversionStatus = (typeof conversionStatuses)[number];

/** From 1. */
export const itmoBlockStatuses = [
  "held",
  "used-for-ndc",
  "used-for-oimp",
  "cancelled",
  "omge",
  "share-of-proceeds",
  "buffered",
] as const;
export type ItmoBlockStatus = (typeof itmoBlockStatuses)[number];

/** Changes that reduce what the invalidation buffer holds. */
export const bufferChangeKinds = ["cancellation", "release"] as const;
export type BufferChangeKind = (typeof bufferChangeKinds)[number];

/** From 0. */
export const itmoActionTypes = ["First transfer", "Transfer", "Use", "Cancellation", "Voluntary Cancellation"] as const;
export type ItmoActionType = (typeof itmoActionTypes)[number];

/** From 1. */
export const itmoActionSubtypes = [
  "First transfer to another Party",
  "Authorization",
  "Issuance",
  "Use or cancellation",
  "Voluntary transfer to the Adaptation Fund",
  "Voluntary cancellation to deliver OMGE",
  "Other cancellations",
] as const;
export type ItmoActionSubtype = (typeof itmoActionSubtypes)[number];

/** From 0. */
export const itmoCancellations = ["other", "voluntary", "OMGE"] as const;
export type ItmoCancellation = (typeof itmoCancellations)[number];

/** The sectors of the agreed electronic format. */
export const itmoSectors = [
  "Agriculture",
  "Building and construction",
  "Cross-sectoral mechanisms",
  "Energy generation",
  "Forestry and land use",
  "Industrial processes",
  "Transportation",
  "Urban development",
  "Waste management",
] as const;

/** The word for a number of the contract whose list begins with 1; null for 0, which stands for none. */
export function wordAt<W extends string>(words: readonly W[], number: number): W | null {
  return words[number - 1] ?? null;
}
