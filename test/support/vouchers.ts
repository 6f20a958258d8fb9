import { createIssuer, type TestIssuer } from "./credentials.ts";
import {
  accountOf,
  type Example,
  exampleCertificate,
  openRegistryTest,
  type RegistryTest,
  withCredential,
} from "./registry.ts";

export const implementerDid = "did:ixo:implementer/1";
export const supplierDid = "did:ixo:supplier/456";
export const productId = "PROD-789";
export const attributes = { batchId: "BATCH-789", issuanceDate: "2024-03-15", expiryDate: "2099-12-31" };

export type VoucherTest = RegistryTest & {
  issuer: TestIssuer;
  household: (n: number) => string;
  /** Registers a certificate for households 1…n of the given amounts, or without allocation. */
  certify: (amounts?: number[], changes?: Partial<Example>) => Promise<string>;
  issue: (body: Record<string, unknown>) => ReturnType<RegistryTest["admin"]>;
  redeem: (body: Record<string, unknown>) => ReturnType<RegistryTest["admin"]>;
  /** Days or seconds into the future of the chain. */
  travel: (seconds: number) => Promise<void>;
};

/** For tests: the whole API with an implementer, a supplier, a product, a verifier and ten households. */
export async function openVoucherTest(
  env: Record<string, string> = {},
  /** Takes the log's lines; absent: they are printed. */
  write?: (line: string) => void,
): Promise<VoucherTest> {
  const world = await openRegistryTest(env, {}, write);
  const { admin } = world;
  const issuer = await createIssuer();
  const household = (n: number) => `did:ixo:household/${n}`;
  await admin("POST", "/implementers", { did: implementerDid, account: accountOf(1), name: "Stoves" });
  await admin("POST", "/suppliers", { did: supplierDid, account: accountOf(2), name: "Shop", region: "north" });
  await admin("POST", "/products", { productId, name: "Stove", category: "stove", unit: "piece" });
  await admin("POST", "/issuers", { did: issuer.did, credentialTypes: ["EmissionReductionCredential"] });
  for (let n = 1; n <= 10; n++) await admin("POST", "/households", { did: household(n), region: "north" });
  let certified = 0;
  const certify = async (amounts?: number[], changes: Partial<Example> = {}) => {
    // A day each: a household's period supports one certificate.
    const day = new Date(Date.UTC(2024, 0, 1 + certified++)).toISOString().slice(0, 10);
    const period = { startDate: day, endDate: day };
    const allocations = amounts?.map((amount, i) => ({ householdDid: household(i + 1), amount }));
    const total = amounts?.reduce((sum, amount) => sum + amount, 0) ?? 100;
    const given = {
      verifiedReduction: total,
      implementerDid,
      period,
      ...(allocations ? { allocations } : {}),
      ...changes,
    };
    const body = await withCredential(issuer, exampleCertificate(given));
    const answer = await admin("POST", "/certificates", body);
    if (answer.status !== 201) throw new Error(`No certificate: ${JSON.stringify(answer.body)}`);
    return body.certificateId;
  };
  return {
    ...world,
    issuer,
    household,
    certify,
    issue: (body) => admin("POST", "/vouchers/issue", { attributes, ...body }),
    redeem: (body) => admin("POST", "/vouchers/redeem", { supplierDid, productId, ...body }),
    travel: async (seconds) => {
      await world.world.anvil.rpc("evm_increaseTime", [seconds]);
      await world.world.anvil.rpc("evm_mine", []);
    },
  };
}

/** The rules that an answer names, sorted. */
export function rulesOf(answer: { body: unknown }): string[] {
  return (answer.body as { details: { rule: string }[] }).details.map(({ rule }) => rule).sort();
}
