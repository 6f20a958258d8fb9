import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { createIssuer } from "../test/support/credentials.ts";
import { type BenchStack, waitForOperation } from "./stack.ts";

export type PreparedScheme = { vouchers: string[]; supplierDid: string; productId: string };

/** Register participants, import households, register a certificate with an allocation to all of them, and issue its vouchers. */
export async function prepareScheme(stack: BenchStack, households: number): Promise<PreparedScheme> {
  const verifier = createIssuer();
  const implementerDid = "did:example:implementer/bench";
  const supplierDid = "did:example:supplier/bench";
  const productId = "STOVE-BENCH";
  await stack.call("POST", "/v1/implementers", { did: implementerDid, account: account(), name: "Bench implementer" });
  await stack.call("POST", "/v1/suppliers", { did: supplierDid, account: account(), name: "Bench supplier" });
  await stack.call("POST", "/v1/products", { productId, name: "Stove", category: "cookstove", unit: "piece" });
  await stack.call("POST", "/v1/issuers", { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] });
  const dids = Array.from({ length: households }, (_, i) => `did:example:household/${i}`);
  const csv = `did,account,region,men,women,children,elderly\n${dids.map((did) => `${did},,,1,1,2,0`).join("\n")}\n`;
  const operation = await stack.call("POST", "/v1/households/import", csv, { "content-type": "text/csv" });
  await waitForOperation(stack, `${operation.operationId}`);

  const certificateId = "CERT-BENCH";
  const underlyingUnits = { registry: "bench-registry", firstSerial: 1, lastSerial: households };
  const verifiedReduction = 1_000 * households;
  const subject = { certificateId, implementerDid, verifiedReduction, vintage: 2025, underlyingUnits };
  await stack.call("POST", "/v1/certificates", {
    ...subject,
    activityId: "ACTIVITY-BENCH",
    period: { startDate: "2025-01-01", endDate: "2025-12-31" },
    allocations: dids.map((householdDid) => ({ householdDid, amount: 1_000 })),
    verifiableCredential: {
      type: "EmissionReductionCredential",
      proof: await verifier.signCredential({ type: "EmissionReductionCredential", subject }),
    },
  });
  const [year] = new Date().toISOString().split("-");
  const attributes = { batchId: "BATCH-BENCH", issuanceDate: `${year}-01-01`, expiryDate: `${Number(year) + 1}-12-31` };
  const issue = await stack.call("POST", "/v1/vouchers/issue-batch", {
    emissionCertificateId: certificateId,
    attributes,
  });
  await waitForOperation(stack, `${issue.operationId}`);
  return { vouchers: await listVouchers(stack, certificateId, households), supplierDid, productId };
}

async function listVouchers(stack: BenchStack, certificateId: string, expected: number): Promise<string[]> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({
        emissionCertificateId: certificateId,
        limit: "500",
        ...(cursor ? { cursor } : {}),
      });
      const page = (await stack.call("GET", `/v1/vouchers?${query}`)) as {
        items: { id: string }[];
        nextCursor?: string;
      };
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    if (ids.length === expected) return ids;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`The indexer does not list the ${expected} vouchers of ${certificateId}.`);
}

function account(): string {
  return privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`).address;
}
