import { z } from "@hono/zod-openapi";

export const receiptParams = z.object({
  id: z.string().min(1).max(64).openapi({ description: "REDM-…, CLM-…, PAY-… (what was paid for a claim) or SWAP-…" }),
});

export const receipt = z
  .object({
    id: z.string(),
    type: z.enum(["RedemptionReceipt", "ClaimReceipt", "PaymentReceipt", "SwapReceipt"]),
    facts: z
      .record(z.string(), z.unknown())
      .openapi({ description: "What is signed: the credential's subject. Amounts are decimal text." }),
    jwt: z.string().openapi({ description: "Compact VC-JWT of these facts, signed by the service's did:web key." }),
  })
  .openapi("Receipt");
export type Receipt = z.infer<typeof receipt>;
