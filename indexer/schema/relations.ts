import { relations } from "ponder";
import { bufferChange, bufferHold } from "./buffer.ts";
import { campaign, discardedDraw, drawParty, kptClaim, missingPosition, replacement } from "./campaigns.ts";
import { carbonMove, conversionLot, itmoLot } from "./carbon.ts";
import { allocationChunk, certificate } from "./certificates.ts";
import { claim, dispute, payment } from "./claims.ts";
import {
  approachParty,
  authorizationChange,
  authorizedEntity,
  cooperativeApproach,
  itmoAction,
  itmoAuthorization,
  itmoAuthorizationVersion,
  itmoBlock,
  itmoConversion,
  itmoHolding,
} from "./itmo.ts";
import { household, implementer, implementerDebt, plan, product, supplier, supplierStatus } from "./participants.ts";
import { redemption } from "./redemptions.ts";
import { swap } from "./swaps.ts";
import { batch, voucher } from "./vouchers.ts";

/**
 * How the tables hang together, for nested GraphQL queries:
 * campaign ↔ KPT claim, campaign ↔ certificate ↔ voucher ↔ redemption ↔ claim ↔ payment,
 * redemption ↔ lot ↔ conversion ↔ ITMO block ↔ action, cooperative approach ↔ authorization ↔ conversion.
 */
export const campaignRelations = relations(campaign, ({ one, many }) => ({
  plan: one(plan, { fields: [campaign.planIndex], references: [plan.index] }),
  certificate: one(certificate, { fields: [campaign.certificateIndex], references: [certificate.index] }),
  drawParties: many(drawParty),
  discardedDraws: many(discardedDraw),
  replacements: many(replacement),
  missing: many(missingPosition),
  kptClaims: many(kptClaim),
}));

export const drawPartyRelations = relations(drawParty, ({ one }) => ({
  campaign: one(campaign, { fields: [drawParty.campaignIndex], references: [campaign.index] }),
}));

export const discardedDrawRelations = relations(discardedDraw, ({ one }) => ({
  campaign: one(campaign, { fields: [discardedDraw.campaignIndex], references: [campaign.index] }),
}));

export const missingPositionRelations = relations(missingPosition, ({ one }) => ({
  campaign: one(campaign, { fields: [missingPosition.campaignIndex], references: [campaign.index] }),
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
  conversionLots: many(conversionLot),
  itmoLots: many(itmoLot),
  debts: many(implementerDebt),
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

export const redemptionRelations = relations(redemption, ({ one, many }) => ({
  voucher: one(voucher, { fields: [redemption.voucherId], references: [voucher.id] }),
  supplier: one(supplier, { fields: [redemption.supplierIndex], references: [supplier.index] }),
  product: one(product, { fields: [redemption.productIndex], references: [product.index] }),
  claim: one(claim, { fields: [redemption.id], references: [claim.id] }),
  itmoLots: many(itmoLot),
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
  swaps: many(swap),
}));

export const supplierStatusRelations = relations(supplierStatus, ({ one }) => ({
  supplier: one(supplier, { fields: [supplierStatus.supplierIndex], references: [supplier.index] }),
}));

export const householdRelations = relations(household, ({ many }) => ({ vouchers: many(voucher) }));
export const productRelations = relations(product, ({ many }) => ({ redemptions: many(redemption) }));
export const implementerRelations = relations(implementer, ({ many }) => ({
  certificates: many(certificate),
  debts: many(implementerDebt),
  swaps: many(swap),
  conversions: many(itmoConversion),
}));

export const implementerDebtRelations = relations(implementerDebt, ({ one }) => ({
  implementer: one(implementer, { fields: [implementerDebt.implementerIndex], references: [implementer.index] }),
  certificate: one(certificate, { fields: [implementerDebt.certificateIndex], references: [certificate.index] }),
}));
export const planRelations = relations(plan, ({ many }) => ({
  certificates: many(certificate),
  campaigns: many(campaign),
}));

export const swapRelations = relations(swap, ({ one }) => ({
  supplier: one(supplier, { fields: [swap.supplierIndex], references: [supplier.index] }),
  implementer: one(implementer, { fields: [swap.implementerIndex], references: [implementer.index] }),
  claim: one(claim, { fields: [swap.claimId], references: [claim.id] }),
  move: one(carbonMove, { fields: [swap.moveSequence], references: [carbonMove.sequence] }),
}));

export const approachRelations = relations(cooperativeApproach, ({ many }) => ({
  parties: many(approachParty),
  authorizations: many(itmoAuthorization),
}));

export const partyRelations = relations(approachParty, ({ one }) => ({
  approach: one(cooperativeApproach, {
    fields: [approachParty.approachIndex],
    references: [cooperativeApproach.index],
  }),
}));

export const authorizationRelations = relations(itmoAuthorization, ({ one, many }) => ({
  approach: one(cooperativeApproach, {
    fields: [itmoAuthorization.approachIndex],
    references: [cooperativeApproach.index],
  }),
  versions: many(itmoAuthorizationVersion),
  changes: many(authorizationChange),
  entities: many(authorizedEntity),
  conversions: many(itmoConversion),
  blocks: many(itmoBlock),
}));

export const versionRelations = relations(itmoAuthorizationVersion, ({ one }) => ({
  authorization: one(itmoAuthorization, {
    fields: [itmoAuthorizationVersion.authorizationIndex],
    references: [itmoAuthorization.index],
  }),
}));

export const authorizationChangeRelations = relations(authorizationChange, ({ one }) => ({
  authorization: one(itmoAuthorization, {
    fields: [authorizationChange.authorizationIndex],
    references: [itmoAuthorization.index],
  }),
}));

export const entityRelations = relations(authorizedEntity, ({ one }) => ({
  authorization: one(itmoAuthorization, {
    fields: [authorizedEntity.authorizationIndex],
    references: [itmoAuthorization.index],
  }),
}));

export const conversionRelations = relations(itmoConversion, ({ one, many }) => ({
  implementer: one(implementer, { fields: [itmoConversion.implementerIndex], references: [implementer.index] }),
  authorization: one(itmoAuthorization, {
    fields: [itmoConversion.authorizationIndex],
    references: [itmoAuthorization.index],
  }),
  blocks: many(itmoBlock),
  actions: many(itmoAction),
  buffer: one(bufferHold, { fields: [itmoConversion.index], references: [bufferHold.conversionIndex] }),
  certificateLots: many(conversionLot),
  lots: many(itmoLot),
}));

export const bufferRelations = relations(bufferHold, ({ one, many }) => ({
  conversion: one(itmoConversion, { fields: [bufferHold.conversionIndex], references: [itmoConversion.index] }),
  changes: many(bufferChange),
}));

export const bufferChangeRelations = relations(bufferChange, ({ one }) => ({
  hold: one(bufferHold, { fields: [bufferChange.conversionIndex], references: [bufferHold.conversionIndex] }),
  certificate: one(certificate, { fields: [bufferChange.certificateIndex], references: [certificate.index] }),
}));

export const blockRelations = relations(itmoBlock, ({ one, many }) => ({
  conversion: one(itmoConversion, { fields: [itmoBlock.conversionIndex], references: [itmoConversion.index] }),
  authorization: one(itmoAuthorization, {
    fields: [itmoBlock.authorizationIndex],
    references: [itmoAuthorization.index],
  }),
  actions: many(itmoAction),
  holdings: many(itmoHolding),
}));

export const holdingRelations = relations(itmoHolding, ({ one }) => ({
  block: one(itmoBlock, { fields: [itmoHolding.blockId], references: [itmoBlock.id] }),
}));

export const actionRelations = relations(itmoAction, ({ one }) => ({
  block: one(itmoBlock, { fields: [itmoAction.blockId], references: [itmoBlock.id] }),
  conversion: one(itmoConversion, { fields: [itmoAction.conversionIndex], references: [itmoConversion.index] }),
}));

export const conversionLotRelations = relations(conversionLot, ({ one }) => ({
  conversion: one(itmoConversion, { fields: [conversionLot.conversionIndex], references: [itmoConversion.index] }),
  certificate: one(certificate, { fields: [conversionLot.certificateIndex], references: [certificate.index] }),
}));

export const lotRelations = relations(itmoLot, ({ one }) => ({
  conversion: one(itmoConversion, { fields: [itmoLot.conversionIndex], references: [itmoConversion.index] }),
  certificate: one(certificate, { fields: [itmoLot.certificateIndex], references: [certificate.index] }),
  redemption: one(redemption, { fields: [itmoLot.redemptionId], references: [redemption.id] }),
  voucher: one(voucher, { fields: [itmoLot.voucherId], references: [voucher.id] }),
}));
