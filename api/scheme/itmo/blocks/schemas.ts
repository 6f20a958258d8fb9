import { z } from "@hono/zod-openapi";
import {
  itmoActionSubtypes,
  itmoActionTypes,
  itmoBlockStatuses,
  itmoPurposes,
  unitAuthorizationStatuses,
} from "../../../../indexer/schema/itmo-words.ts";
import { listQuery, page } from "../../../platform/http/index.ts";
import { integer } from "../../../platform/values/numbers.ts";
import { did, freeText, identifier } from "../../../platform/values/text.ts";
import { reason } from "../../registry/index.ts";
import { authorizationId, cooperativeApproachId, itmoSerialNumber, partyId } from "../codes.ts";

const part = {
  firstId: itmoSerialNumber.optional().openapi({ description: "First serial of a part. Absent: the block's." }),
  lastId: itmoSerialNumber.optional().openapi({ description: "Last serial of a part. Absent: the block's." }),
};
const note = freeText(500).optional().openapi({ description: "Public, on chain." });
const entityId = identifier(128).optional().openapi({
  description: "An authorized entity that uses or cancels. Absent: the Party that holds the block.",
});

export const newTransfer = z.strictObject({ acquiringPartyId: partyId, ...part, note }).openapi("NewItmoTransfer");
export type NewTransfer = z.infer<typeof newTransfer>;

const ndcUse = z.strictObject({ ndcYear: integer(1990, 9999), ...part, note });
const oimpUse = z.strictObject({ purpose: z.enum(["OIMP", "IMP", "OP"]), entityId, ...part, note });
export const newUse = z.union([ndcUse, oimpUse]).openapi("NewItmoUse", {
  description: "Towards the NDC of the Party that holds it (ndcYear), or for another international mitigation purpose.",
});
export type NewUse = z.infer<typeof newUse>;

export const newCancellation = z
  .strictObject({ kind: z.enum(["other", "voluntary", "OMGE"]), reason, entityId, ...part })
  .openapi("NewItmoCancellation");
export type NewCancellation = z.infer<typeof newCancellation>;

const serial = z.string().openapi({ description: "Decimal text: serials have 64 bits." });

export const itmoAction = z
  .object({
    action: z.enum(itmoActionTypes),
    subtype: z.enum(itmoActionSubtypes).nullable(),
    firstId: serial,
    lastId: serial,
    transferringPartyId: z.string().nullable(),
    acquiringPartyId: z.string().nullable(),
    usingPartyId: z.string().nullable(),
    usingEntityId: z.string().nullable(),
    purpose: z.enum(itmoPurposes).nullable(),
    ndcYear: z.number().int().nullable(),
    note: z.string().nullable(),
    at: z.iso.datetime(),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
  })
  .openapi("ItmoAction");
export type ItmoAction = z.infer<typeof itmoAction>;

const blockFields = {
  blockId: z.string().openapi({ example: "ITMO-00000000G000000000110" }),
  uniqueId: z.string().openapi({ example: "CA0001-ZMB01-ZMB-1-930-2025" }),
  conversionId: z.string(),
  status: z.enum(itmoBlockStatuses),
  implementerDid: did.nullable(),
  cooperativeApproachId: z.string(),
  authorizationId: z.string(),
  firstTransferringPartyId: z.string(),
  itmoRegistryId: z.string(),
  firstId: serial,
  lastId: serial,
  quantity: z.number().int().openapi({ description: "Tonnes of CO2 equivalent." }),
  vintage: z.number().int(),
  partyId: z.string().nullable().openapi({
    description: "Who holds it, or held it when it was used or cancelled; null for the share of proceeds.",
  }),
  firstTransfer: z
    .enum(itmoActionSubtypes)
    .nullable()
    .openapi({ description: "The action that made it first transferred; null before that." }),
  authorizationStatus: z.enum(unitAuthorizationStatuses).openapi({
    description: "What the regulator has left of its authorization. What was first transferred keeps all of it.",
  }),
  authorizedPurpose: z.enum(itmoPurposes).nullable().openapi({
    description: "What it is authorized for; null when the authorization is revoked, or a revocation is announced.",
  }),
};

export const itmoBlock = z.object(blockFields).openapi("ItmoBlock");
export type ItmoBlock = z.infer<typeof itmoBlock>;

export const itmoBlockHistory = z
  .object({
    ...blockFields,
    splitFrom: z.string().nullable().openapi({ description: "The block that it was split from." }),
    actions: z.array(itmoAction).openapi({ description: "All actions on these serials, oldest first." }),
  })
  .openapi("ItmoBlockHistory");
export type ItmoBlockHistory = z.infer<typeof itmoBlockHistory>;

export const itmoActionDone = z
  .object({
    block: itmoBlock.openapi({ description: "The block of the action, in its new state." }),
    actions: z.array(itmoAction).openapi({ description: "A first transfer that the action caused comes first." }),
    rest: z.array(itmoBlock).openapi({ description: "The parts that did not change." }),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
  })
  .openapi("ItmoActionDone");
export type ItmoActionDone = z.infer<typeof itmoActionDone>;

export const itmoBlockPage = page(itmoBlock).openapi("ItmoBlockPage");
export const itmoBlockQuery = listQuery.extend({
  conversionId: identifier(64).optional(),
  implementerDid: did.optional(),
  authorizationId: authorizationId.optional(),
  cooperativeApproachId: cooperativeApproachId.optional(),
  status: z.enum(itmoBlockStatuses).optional(),
  partyId: partyId.optional(),
});
export type ItmoBlockQuery = z.infer<typeof itmoBlockQuery>;

export const itmoBlockParams = z.object({
  blockId: identifier(128).openapi({
    param: { name: "blockId", in: "path" },
    description: "ITMO-…, the unique id (CA0001-ZMB01-ZMB-1-930-2025), or any serial of the block (ZMB01-17).",
  }),
});
