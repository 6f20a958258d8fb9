import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../platform/http/index.ts";
import { amountInResponse } from "../../platform/values/numbers.ts";
import { did, freeText, identifier, timestamp } from "../../platform/values/text.ts";

const types = z.union([z.string().max(256), z.array(z.string().max(256)).max(20)]);

/** `{type, proof: "<compact JWT>"}`, a W3C object with a JwtProof2020, or an EnvelopedVerifiableCredential. */
export const presentedCredential = z
  .looseObject({
    type: types,
    proof: z.union([z.string().min(1), z.looseObject({ type: z.string(), jwt: z.string() })]).optional(),
    id: z.string().optional(),
  })
  .superRefine((value, ctx) => {
    const { type, proof, ...others } = value;
    if (typeof proof === "string") {
      for (const name of Object.keys(others)) {
        ctx.addIssue({
          code: "custom",
          path: [name],
          message: "This field is not known here.",
          params: { rule: "unknown-field" },
        });
      }
    } else if (proof === undefined && ![type].flat().includes("EnvelopedVerifiableCredential")) {
      ctx.addIssue({
        code: "custom",
        path: ["proof"],
        message: "This field is required.",
        params: { rule: "required" },
      });
    }
  })
  .openapi("PresentedCredential", {
    description:
      "The compact VC-JWT in `proof`; or a W3C credential with `proof.type` JwtProof2020; or an EnvelopedVerifiableCredential.",
    example: { type: "ProductDeliveryCredential", proof: "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5OnoifQ.c2ln" },
  });

export const deliveryClaimRequest = z
  .strictObject({
    type: z.literal("DeliveryClaim").optional(),
    redemptionId: identifier(64).openapi({ example: "REDM-00000000010000000001Q" }),
    verifiableCredential: presentedCredential,
  })
  .openapi("DeliveryClaimRequest");
export type DeliveryClaimRequest = z.infer<typeof deliveryClaimRequest>;

export const claimStatuses = ["approved", "flagged", "rejected", "disputed", "invalidated", "lapsed"] as const;
export type ClaimStatus = (typeof claimStatuses)[number];

export const settlement = z
  .object({
    asset: z.enum(["stablecoin", "CARBON"]),
    amount: amountInResponse,
    setOff: amountInResponse.optional().openapi({ description: "CARBON kept back against the supplier's debt." }),
    reason: z.string().optional().openapi({ description: "Why CARBON was paid instead of stablecoin." }),
    account: z.string(),
    transactionHash: z.string(),
  })
  .openapi("ClaimSettlement");

export const claim = z
  .object({
    id: z.string(),
    type: z.literal("DeliveryClaim"),
    redemptionId: z.string(),
    voucherId: z.string(),
    supplierDid: did,
    productId: z.string(),
    status: z.enum(claimStatuses),
    reason: z.string().optional().openapi({ description: "Of the last review, dispute or adjudication." }),
    carbonAmount: amountInResponse,
    settlement: settlement.nullable().openapi({ description: "null while the payment is held." }),
    credentialHash: z.string(),
    filedAt: z.iso.datetime(),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
  })
  .openapi("DeliveryClaim");
export type Claim = z.infer<typeof claim>;

export const claimPage = page(claim).openapi("DeliveryClaimPage");
export const claimParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
export const claimQuery = listQuery.extend({
  redemptionId: identifier(64).optional(),
  voucherId: identifier(64).optional(),
  supplierDid: did.optional(),
  status: z.enum(claimStatuses).optional(),
  filedFrom: timestamp.optional().openapi({ description: "First moment, with its offset from UTC." }),
  filedBefore: timestamp.optional().openapi({ description: "First moment after the period." }),
});
export type ClaimQuery = z.infer<typeof claimQuery>;

export const claimReview = z.strictObject({ reason: freeText() }).openapi("ClaimReview");
export const claimResolution = z
  .strictObject({
    reason: freeText(),
    upheld: z.boolean().default(false).openapi({
      description:
        "true: the claim is invalidated and its amount becomes the supplier's debt. false: the claim stands.",
    }),
  })
  .openapi("ClaimResolution");
