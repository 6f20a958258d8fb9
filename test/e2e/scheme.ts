import assert from "node:assert/strict";
import { createIssuer } from "../../scripts/demo/credentials.ts";
import type { Call } from "../support/api-server.ts";

export const supplierDid = "did:ixo:supplier/456";
export const householdDid = "did:ixo:household/123";
export const productId = "PROD-789";

/** A system that answers an admin's requests. */
type Asked = { call: Call };

async function create(system: Asked, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await system.call("POST", path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Registers what a redemption needs and issues one voucher of that value; answers its id. */
export async function issueOneVoucher(system: Asked, value: number): Promise<string> {
  const verifier = await createIssuer();
  const implementerDid = "did:ixo:implementer/1";
  const account = "0x00000000000000000000000000000000000000b0";
  await create(system, "/v1/implementers", { did: implementerDid, account, name: "Implementer" });
  await create(system, "/v1/suppliers", { did: supplierDid, account: account.replace("b0", "b1"), name: "Supplier" });
  await create(system, "/v1/products", { productId, name: "Stove", category: "stove", unit: "piece" });
  await create(system, "/v1/issuers", { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] });
  await create(system, "/v1/households", { did: householdDid });
  const subject = {
    certificateId: "CERT-456",
    implementerDid,
    verifiedReduction: value,
    vintage: 2025,
    underlyingUnits: { registry: "tests", firstSerial: 1, lastSerial: 1000 },
  };
  const proof = await verifier.issue("EmissionReductionCredential", subject);
  await create(system, "/v1/certificates", {
    ...subject,
    activityId: "ACT-1",
    period: { startDate: "2025-01-01", endDate: "2025-12-31" },
    verifiableCredential: { type: "EmissionReductionCredential", proof },
  });
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const voucher = await create(system, "/v1/vouchers/issue", {
    recipientDid: householdDid,
    emissionCertificateId: "CERT-456",
    value,
    attributes: { batchId: "BATCH-1", issuanceDate: day(0), expiryDate: day(365) },
  });
  return String(voucher.id);
}
