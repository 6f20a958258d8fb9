import type { DiscardReason, DropReason } from "../schema/campaigns.ts";
import type { CertificateStatus } from "../schema/certificates.ts";

function named<T extends string>(names: readonly T[], value: number): T {
  const name = names[value];
  if (name === undefined) throw new RangeError(`${value} is not one of ${names.join(", ")}`);
  return name;
}

/** Names of the contracts' enumerations, by the number that their events carry. */
export const productStatus = (value: number) =>
  named(["none", "pending", "approved", "withdrawn"], value) as "pending" | "approved" | "withdrawn";
export const certificateStatus = (value: number) =>
  named(["none", "pending", "valid", "suspended", "revoked"], value) as CertificateStatus;
export const refundTarget = (value: number) => named(["voucher", "certificate"] as const, value);
export const dropReason = (value: number): DropReason =>
  named(["other", "refused", "absent", "moved", "ineligible", "incomplete"], value);
export const discardReason = (value: number): DiscardReason =>
  named(["secret-withheld", "block-lost", "campaign-abandoned"], value);
/** Whose account changes. */
export const partyKind = (value: number) => named(["implementer", "supplier", "household"] as const, value);
export const supplierStanding = (authorised: boolean) => (authorised ? "authorised" : "suspended");
