import { z } from "@hono/zod-openapi";
import {
  authorizationChangeKinds,
  authorizationStatuses,
  firstTransferDefinitions,
  itmoPurposes,
  itmoSectors,
} from "../../../../indexer/schema/itmo-words.ts";
import { listQuery, page } from "../../../platform/http/index.ts";
import { exactDecimal, integer } from "../../../platform/values/numbers.ts";
import { calendarDate, freeText } from "../../../platform/values/text.ts";
import { reason } from "../../registry/index.ts";
import { authorizationId, cooperativeApproachId, partyId } from "../codes.ts";
import { authorizationTerms, authorizedEntity } from "../terms.ts";

/** Decimals of a share in per cent: the contract counts ten-thousandths. */
export const PERCENT_DECIMALS = 2;
const year = integer(1990, 9999);
const percent = exactDecimal({ decimals: PERCENT_DECIMALS, min: 0n, max: 10_000n });
const tonnes = integer(1, Number.MAX_SAFE_INTEGER);

const ndcPeriod = z
  .strictObject({ firstYear: year, lastYear: year })
  .openapi("NdcPeriod", { description: "The NDC implementation period, both years included." });

export const newApproach = z
  .strictObject({
    cooperativeApproachId,
    firstTransferringPartyId: partyId,
    participatingPartyIds: z.array(partyId).max(200),
    sectors: z.array(z.enum(itmoSectors)).min(1).max(itmoSectors.length),
    activityType: freeText(200).openapi({ example: "Energy Efficiency households" }),
    ndcPeriod: ndcPeriod.optional().openapi({ default: { firstYear: 2021, lastYear: 2030 } }),
  })
  .openapi("NewCooperativeApproach");
export type NewApproach = z.infer<typeof newApproach>;

export const approach = z
  .object({
    cooperativeApproachId,
    firstTransferringPartyId: partyId,
    participatingPartyIds: z.array(z.string()),
    sectors: z.array(z.string()),
    activityType: z.string(),
    ndcPeriod: z.object({ firstYear: z.number().int(), lastYear: z.number().int() }),
    index: z.number().int().openapi({ description: "The approach's number on chain, from 1." }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("CooperativeApproach");
export type Approach = z.infer<typeof approach>;
export const approachPage = page(approach).openapi("CooperativeApproachPage");
export const approachParams = z.object({
  cooperativeApproachId: cooperativeApproachId.openapi({ param: { name: "cooperativeApproachId", in: "path" } }),
});

const timeframe = z
  .string()
  .regex(/^\d{4} ?- ?\d{4}$/, "Two years are expected, such as 2021 - 2030.")
  .openapi({ example: "2021 - 2030", description: "First and last vintage. Absent: any." });

export const newAuthorization = z
  .strictObject({
    authorizationId,
    cooperativeApproachId,
    date: calendarDate,
    authorizedQuantity: tonnes.openapi({ description: "Tonnes of CO2 equivalent." }),
    purpose: z.enum(itmoPurposes),
    authorizedEntities: z.array(authorizedEntity).max(100),
    timeframe: timeframe.optional(),
    firstTransferDefinition: z.enum(firstTransferDefinitions).optional().openapi({
      description: "Required where the purpose includes OIMP, IMP or OP. For NDC alone it is only kept in the terms.",
    }),
    omgePercent: percent.optional().openapi({ description: "Share cancelled for OMGE at minting. Absent: none." }),
    sopPercent: percent.optional().openapi({ description: "Share of proceeds for adaptation. Absent: none." }),
    terms: authorizationTerms.optional(),
  })
  .openapi("NewAuthorization");
export type NewAuthorization = z.infer<typeof newAuthorization>;

export const newAuthorizationVersion = z
  .strictObject({ authorizedQuantity: tonnes, reason })
  .openapi("NewAuthorizationVersion");
export type NewAuthorizationVersion = z.infer<typeof newAuthorizationVersion>;

export const newReduction = z
  .strictObject({
    purpose: z.enum(itmoPurposes).optional().openapi({ description: "What stays authorized. Absent: unchanged." }),
    authorizedQuantity: integer(0, Number.MAX_SAFE_INTEGER).optional().openapi({
      description:
        "Tonnes in total whose first transfer stays authorized, including those first transferred before. Absent: unchanged.",
    }),
    reason,
  })
  .openapi("NewAuthorizationReduction");
export type NewReduction = z.infer<typeof newReduction>;

export const newRevocation = z.strictObject({ reason }).openapi("NewAuthorizationRevocation");
export type NewRevocation = z.infer<typeof newRevocation>;

const tonnesInResponse = z.number().int().openapi({ description: "Tonnes of CO2 equivalent." });

export const authorizationVersion = z.object({
  version: z.number().int(),
  authorizedQuantity: tonnesInResponse,
  reason: z.string().nullable(),
  changedAt: z.iso.datetime(),
  transactionHash: z.string(),
});

const finalAt = z.iso.datetime().openapi({ description: "From then on the guardian cannot veto it." });

const reduction = z
  .object({
    purpose: z.enum(itmoPurposes).nullable().openapi({ description: "What stays authorized; null: nothing." }),
    authorizedQuantity: tonnesInResponse.openapi({
      description: "Tonnes in total whose first transfer stays authorized.",
    }),
    finalAt,
  })
  .openapi("AuthorizationReduction", { description: "What is left for units that were not first transferred." });

export const authorizationChange = z.object({
  kind: z.enum(authorizationChangeKinds),
  purpose: z
    .enum(itmoPurposes)
    .nullable()
    .openapi({ description: "What stays, or is again, authorized; null: nothing." }),
  authorizedQuantity: tonnesInResponse.nullable().openapi({
    description: "Tonnes in total whose first transfer is authorized after it; null: as registered.",
  }),
  finalAt: finalAt.nullable(),
  reason: z.string(),
  changedAt: z.iso.datetime(),
  transactionHash: z.string(),
});

const summaryFields = {
  authorizationId,
  cooperativeApproachId,
  version: z.number().int(),
  date: calendarDate,
  authorizedQuantity: tonnesInResponse,
  committed: tonnesInResponse.openapi({ description: "Tonnes requested and not reverted." }),
  issued: tonnesInResponse,
  remaining: tonnesInResponse.openapi({ description: "Tonnes that can still be requested." }),
  status: z.enum(authorizationStatuses).openapi({
    description: "What the regulator has left for units that were not first transferred.",
  }),
  reduction: reduction.nullable(),
  firstTransferred: tonnesInResponse.openapi({ description: "Tonnes that were first transferred." }),
  purpose: z.enum(itmoPurposes),
  authorizedEntities: z.array(
    z.object({
      name: z.string(),
      countryOfIncorporation: z.string(),
      id: z.string(),
      implementerDid: z.string().optional(),
    }),
  ),
  timeframe: z.string().nullable(),
  firstTransferDefinition: z.enum(firstTransferDefinitions).nullable(),
  omgePercent: z.number(),
  sopPercent: z.number(),
  omge: tonnesInResponse.openapi({ description: "Tonnes cancelled for OMGE at minting so far." }),
  sop: tonnesInResponse.openapi({ description: "Tonnes given as share of proceeds so far." }),
  terms: z.record(z.string(), z.string()),
  index: z.number().int().openapi({ description: "The authorization's number on chain, from 1." }),
  registeredAt: z.iso.datetime(),
  transactionHash: z.string(),
};

export const authorization = z
  .object({
    ...summaryFields,
    versions: z.array(authorizationVersion),
    changes: z.array(authorizationChange).openapi({ description: "Reductions, revocations and vetoes, oldest first." }),
  })
  .openapi("Authorization");
export type AuthorizationResponse = z.infer<typeof authorization>;
export const authorizationSummary = z.object(summaryFields).openapi("AuthorizationSummary");
export type AuthorizationSummary = z.infer<typeof authorizationSummary>;
export const authorizationPage = page(authorizationSummary).openapi("AuthorizationPage");
export const authorizationQuery = listQuery.extend({ cooperativeApproachId: cooperativeApproachId.optional() });
export const authorizationParams = z.object({
  authorizationId: authorizationId.openapi({ param: { name: "authorizationId", in: "path" } }),
});
