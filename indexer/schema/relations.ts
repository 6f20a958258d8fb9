import { relations } from "ponder";
import { campaign, kptClaim, replacement } from "./campaigns.ts";
import { allocationChunk, certificate } from "./certificates.ts";
import { claim, dispute, payment } from "./claims.ts";
import { household, implementer, plan, product, supplier, supplierStatus } from "./participants.ts";
import { redemption } from "./redemptions.ts";
import { batch, voucher } from "./vouchers.ts";

/**
 * How the tables hang together, for nested GraphQL queries:
 * campaign ↔ KPT claim, campaign ↔ certificate ↔ voucher ↔ redemption ↔ claim ↔ payment.
 */
export const campaignRelations = relations(campaign, ({ one, many }) => ({
  plan: one(plan, { fields: [campaign.planIndex], references: [plan.index] }),
  certificate: one(certificate, { fields: [campaign.certificateIndex], references: [certificate.index] }),
  replacements: many(replacement),
  kptClaims: many(kptClaim),
}));

export const replacementRelations = relations(replacement, ({ one }) => ({
  campaign: one(campaign, { fields: [replacement.campaignIndex], references: [campaign.index] }),
}));

export const kptClaimRelations = relations(kptClaim, ({ one }) => ({
  campaign: one(campaign, { fields: [kptClaim.campaignIndex], references: [campaign.index] }),
}));

export const certificateRelations = relations(certificate, ({ one, many }) => ({
  implementer: one(implementer, { fields: [certificate.implementerIndex], references: [implementer.index] }),
  plan: one(plan, { fields: [certificate.planIndex], references: [plan.index] }),
  chunks: many(allocationChunk),
  batches: many(batch),
  vouchers: many(voucher),
  campaigns: many(campaign),
}));

export const chunkRelations = relations(allocationChunk, ({ one }) => ({
  certificate: one(certificate, { fields: [allocationChunk.certificateIndex], references: [certificate.index] }),
}));

export const batchRelations = relations(batch, ({ one, many }) => ({
  certificate: one(certificate, { fields: [batch.certificateIndex], references: [certificate.index] }),
  vouchers: many(voucher),
}));

export const voucherRelations = relations(voucher, ({ one, many }) => ({
  certificate: one(certificate, { fields: [voucher.certificateIndex], references: [certificate.index] }),
  batch: one(batch, { fields: [voucher.batchIndex], references: [batch.index] }),
  household: one(household, { fields: [voucher.householdIndex], references: [household.index] }),
  redemptions: many(redemption),
}));

export const redemptionRelations = relations(redemption, ({ one }) => ({
  voucher: one(voucher, { fields: [redemption.voucherId], references: [voucher.id] }),
  supplier: one(supplier, { fields: [redemption.supplierIndex], references: [supplier.index] }),
  product: one(product, { fields: [redemption.productIndex], references: [product.index] }),
  claim: one(claim, { fields: [redemption.id], references: [claim.id] }),
}));

export const claimRelations = relations(claim, ({ one, many }) => ({
  redemption: one(redemption, { fields: [claim.id], references: [redemption.id] }),
  voucher: one(voucher, { fields: [claim.voucherId], references: [voucher.id] }),
  supplier: one(supplier, { fields: [claim.supplierIndex], references: [supplier.index] }),
  payment: one(payment, { fields: [claim.id], references: [payment.claimId] }),
  disputes: many(dispute),
}));

export const paymentRelations = relations(payment, ({ one }) => ({
  claim: one(claim, { fields: [payment.claimId], references: [claim.id] }),
  supplier: one(supplier, { fields: [payment.supplierIndex], references: [supplier.index] }),
}));

export const disputeRelations = relations(dispute, ({ one }) => ({
  claim: one(claim, { fields: [dispute.claimId], references: [claim.id] }),
}));

export const supplierRelations = relations(supplier, ({ many }) => ({
  statuses: many(supplierStatus),
  redemptions: many(redemption),
  claims: many(claim),
  payments: many(payment),
}));

export const supplierStatusRelations = relations(supplierStatus, ({ one }) => ({
  supplier: one(supplier, { fields: [supplierStatus.supplierIndex], references: [supplier.index] }),
}));

export const householdRelations = relations(household, ({ many }) => ({ vouchers: many(voucher) }));
export const productRelations = relations(product, ({ many }) => ({ redemptions: many(redemption) }));
export const implementerRelations = relations(implementer, ({ many }) => ({ certificates: many(certificate) }));
export const planRelations = relations(plan, ({ many }) => ({
  certificates: many(certificate),
  campaigns: many(campaign),
}));
