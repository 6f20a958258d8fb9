import { accepted, type Outcome, type Work } from "../outcome.ts";

/** File the delivery claim of a record. */
export async function fileDelivery({ signedIn, row, answers }: Work): Promise<Outcome> {
  const { redemption = "", credential = "" } = answers as Record<string, string>;
  const claim = await signedIn.client.post("/v1/claims", {
    idempotencyKey: row.instanceId,
    body: {
      type: "DeliveryClaim",
      redemptionId: redemption,
      verifiableCredential: { type: "ProductDeliveryCredential", proof: credential },
    },
  });
  return accepted(claim.id);
}
