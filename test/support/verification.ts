import { createIssuer, type TestIssuer } from "./credentials.ts";
import { type RegistryTest, requireStatus } from "./registry.ts";

/** Register a verifier whom the regulator trusts. @returns what signs the data room of a closed campaign as that verifier */
export async function openVerifier(
  registry: RegistryTest,
  verifier: TestIssuer = createIssuer(),
): Promise<(campaignId: string) => Promise<void>> {
  const evaluator = await registry.as("evaluator");
  const trusted = { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await registry.admin("POST", "/issuers", trusted), 201);
  return async (campaignId) => {
    const room = requireStatus(await registry.admin("GET", `/campaigns/${campaignId}/data-room`), 200);
    const subject = { campaignId, dataRoomHash: room.headers.get("data-room-hash") };
    const verifiableCredential = await verifier.signCredential({ type: "DataRoomVerificationCredential", subject });
    const path = `/campaigns/${campaignId}/verifications`;
    requireStatus(await evaluator("POST", path, { verifiableCredential }), 201);
  };
}
