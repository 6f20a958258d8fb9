import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPublicClient, formatUnits, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Config } from "../../api/config.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { requireDeployment } from "../../deployments/deployment.ts";
import { createIssuer, createProofKey, type Issuer } from "./credentials.ts";
import { makeHouseholds, toCsv } from "./households.ts";
import type { Caller, Narrator } from "./narrator.ts";

/** Of the households that the demo makes up. */
export const seed = 20_260_315;
const householdCount = 1_000;
const year = 365 * 86_400_000;
/** Return the date some milliseconds from now. */
export const day = (offset: number) => new Date(Date.now() + offset).toISOString().slice(0, 10);

/** The participants that the published examples name: the same in every run. */
export const published = {
  household: "did:ixo:household/123",
  supplier: "did:ixo:supplier/456",
  product: "PROD-789",
  certificate: "CERT-456",
} as const;

export type Cast = {
  admin: Caller;
  run: string;
  implementerDid: string;
  planId: string;
  verifier: Issuer;
  field: Issuer;
  supplier: Caller;
  supplierAccount: `0x${string}`;
};

/** Register the participants; those of an earlier run get 409. */
export async function registerParticipants(tell: Narrator, admin: Caller, run: string): Promise<Cast> {
  tell.step(
    "Register the participants",
    "What an earlier demo registered under these names answers 409: already there.",
  );
  const register = (path: string, body: object) => tell.call("POST", path, { as: admin, body, expect: [409] });
  const [verifier, field, proof] = [await createIssuer(), await createIssuer(), await createProofKey()];
  const implementerDid = "did:ixo:implementer/1";
  const planId = `PLAN-${run}`;
  const account = () => privateKeyToAccount(generatePrivateKey()).address;
  await register("/v1/implementers", { did: implementerDid, account: account(), name: "Clean Cooking Zambia" });
  const kitchenShop = { did: published.supplier, account: account(), name: "Kitchen Shop Lusaka", region: "Lusaka" };
  const supplier = await register("/v1/suppliers", kitchenShop);
  await register("/v1/products", {
    productId: published.product,
    name: "Pellet stove, two burners",
    category: "stove",
    unit: "piece",
    price: { amount: 450, currency: "ZMW", carbon: 12.5 },
  });
  await register("/v1/issuers", { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] });
  await register("/v1/issuers", { did: field.did, credentialTypes: ["ProductDeliveryCredential"] });
  await register("/v1/monitoring-plans", {
    planId,
    implementerDid,
    period: { startDate: day(-year), endDate: day(year) },
    products: [published.product],
    trustedIssuers: [field.did],
    requiredEvidence: [],
    regions: [],
    season: "dry",
    externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] },
  });
  const ofPlan = { key: planId, source: "Approval of the demo's plan", validFrom: "2024-01-01" };
  await register("/v1/parameters", { ...ofPlan, kind: "plan-area", choice: "ZMB" });
  await register("/v1/parameters", { ...ofPlan, kind: "plan-fuel", choice: "wood" });
  tell.note(
    "A supplier's key is bound to a public key: each of its requests carries a fresh proof of possession (DPoP).",
  );
  const { body } = await tell.call("POST", "/v1/keys", {
    as: admin,
    body: {
      role: "supplier",
      name: `Till of the demo ${run}`,
      supplierDid: published.supplier,
      publicJwk: proof.publicJwk,
    },
  });
  const known =
    supplier.status === 201
      ? supplier
      : await tell.call("GET", `/v1/suppliers/${encodeURIComponent(published.supplier)}`, { as: admin, quiet: true });
  return {
    admin,
    run,
    implementerDid,
    planId,
    verifier,
    field,
    supplier: { name: "the supplier (key and DPoP proof)", key: String(body.key), proof },
    supplierAccount: known.body.account as `0x${string}`,
  };
}

type CertificateOptions = {
  certificateId: string;
  planId: string;
  allocations?: object[];
  verifiedReduction: number;
  serial: number;
};

/** Answers the status: 409 when an earlier run registered it. */
export async function registerCertificate(tell: Narrator, cast: Cast, options: CertificateOptions): Promise<number> {
  const { admin, implementerDid, verifier } = cast;
  const { serial, ...certificate } = options;
  const claims = {
    certificateId: certificate.certificateId,
    implementerDid,
    verifiedReduction: certificate.verifiedReduction,
    vintage: 2025,
    underlyingUnits: { registry: "demo-registry", firstSerial: serial, lastSerial: serial + 999 },
  };
  const proof = await verifier.issue("EmissionReductionCredential", claims);
  const answer = await tell.call("POST", "/v1/certificates", {
    as: admin,
    body: {
      ...claims,
      ...certificate,
      activityId: "ACT-COOKSTOVES-1",
      period: { startDate: "2025-01-01", endDate: "2025-12-31" },
      verifiableCredential: { type: "EmissionReductionCredential", proof },
    },
    expect: [409],
  });
  if (answer.status === 202) await tell.follow(answer, admin);
  return answer.status;
}

export type HeldVoucher = { voucherId: string; recipient: string };

/** 1 000 households: import, certificate, vouchers. Answers the first household's voucher. */
export async function issueVouchers(tell: Narrator, cast: Cast, dataDir: string): Promise<HeldVoucher> {
  const { admin, run } = cast;
  const households = makeHouseholds(householdCount, seed, run);
  const file = join(dataDir, "demo-households.csv");
  const csv = toCsv(households);
  await writeFile(file, csv);
  tell.step(`Import ${householdCount} households from a CSV`, `Made by a seeded script (seed ${seed}): ${file}`);
  const imported = await tell.call("POST", "/v1/households/import", { as: admin, body: csv, contentType: "text/csv" });
  await tell.follow(imported, admin);

  const certificateId = `CERT-${run}`;
  const total = households.reduce((sum, { share }) => sum + share, 0) / 100;
  tell.step(
    "Register the emission-reduction certificate",
    `${total} kg CO2e verified, a share for each household; the chain keeps the shares' Merkle root.`,
  );
  const allocations = households.map(({ did, share }) => ({ householdDid: did, amount: share / 100 }));
  const serial = Date.now() * 1_000;
  await registerCertificate(tell, cast, {
    certificateId,
    planId: cast.planId,
    allocations,
    verifiedReduction: total,
    serial,
  });

  tell.step(
    "Issue a voucher to every household",
    "One call; each voucher is worth its household's share, and no voucher can be issued twice.",
  );
  const attributes = { batchId: `BATCH-${run}`, issuanceDate: day(0), expiryDate: day(year) };
  const issued = await tell.call("POST", "/v1/vouchers/issue-batch", {
    as: admin,
    body: { emissionCertificateId: certificateId, attributes },
  });
  await tell.follow(issued, admin);
  const recipient = households[0]?.did ?? "";
  const path = `/v1/vouchers?recipientDid=${encodeURIComponent(recipient)}`;
  const voucherId = await tell.until(path, admin, ({ items }) => (items as { id: string }[])[0]?.id);
  return { voucherId, recipient };
}

/** The supplier redeems, proves delivery with a credential of the field team, and is paid. Answers the redemption's id. */
export async function redeemAndClaim(tell: Narrator, cast: Cast, held: HeldVoucher, config: Config): Promise<string> {
  const { supplier, field } = cast;
  tell.step("The household spends part of its voucher", "The supplier redeems 12.5 CARBON of it for a product.");
  const { body: redemption } = await tell.call("POST", "/v1/vouchers/redeem", {
    as: supplier,
    body: { voucherId: held.voucherId, supplierDid: published.supplier, amount: 12.5, productId: published.product },
  });
  const redemptionId = String(redemption.redemptionId);
  const delivery = { redemptionId, recipient: held.recipient };
  await claim(
    tell,
    cast,
    delivery,
    config,
    "The field team signs a ProductDeliveryCredential; one transaction records the claim and pays.",
  );
  tell.step("The same delivery cannot be paid twice");
  const proof = await deliveryCredential(field, delivery);
  await tell.call("POST", "/v1/claims", {
    as: supplier,
    body: { redemptionId: delivery.redemptionId, verifiableCredential: { type: "ProductDeliveryCredential", proof } },
    expect: [409],
  });
  return redemptionId;
}

export type Delivery = { redemptionId: string; recipient: string };

const deliveryCredential = (field: Issuer, { redemptionId, recipient }: Delivery) =>
  field.issue("ProductDeliveryCredential", {
    redemptionId,
    productId: published.product,
    supplierDid: published.supplier,
    recipient,
    deliveredAt: new Date().toISOString(),
    quantity: 1,
  });

/** Has the supplier claim a delivery, and tells what it is paid. */
export async function claim(
  tell: Narrator,
  cast: Cast,
  delivery: Delivery,
  config: Config,
  why: string,
): Promise<void> {
  tell.step("The supplier proves delivery and is paid", why);
  const before = await stablecoinOf(config, cast.supplierAccount);
  const proof = await deliveryCredential(cast.field, delivery);
  await tell.call("POST", "/v1/claims", {
    as: cast.supplier,
    body: { redemptionId: delivery.redemptionId, verifiableCredential: { type: "ProductDeliveryCredential", proof } },
  });
  const after = await stablecoinOf(config, cast.supplierAccount);
  tell.note(
    `stablecoin of ${cast.supplierAccount} on chain: ${formatUnits(before, 6)} before, ${formatUnits(after, 6)} after`,
  );
}

async function stablecoinOf(config: Config, account: `0x${string}`): Promise<bigint> {
  const deployment = await requireDeployment(config.chain.deployment);
  const client = createPublicClient({ transport: http(config.chain.rpcUrl), cacheTime: 0 });
  const { stablecoin: address } = deployment.contracts;
  return client.readContract({ address, abi: stablecoinAbi, functionName: "balanceOf", args: [account] });
}

/** The example bodies of the published interface, word for word, sent without a JSON content type. */
export async function publishedExamples(tell: Narrator, cast: Cast, config: Config): Promise<void> {
  const { admin, run, planId, supplier } = cast;
  tell.step(
    "The published example requests",
    "The household, supplier, product and certificate that they name exist now.",
  );
  await tell.call("POST", "/v1/households", {
    as: admin,
    body: { did: published.household, region: "Lusaka" },
    expect: [409],
  });
  const serial = Date.now() * 1_000;
  await registerCertificate(tell, cast, {
    certificateId: published.certificate,
    planId,
    verifiedReduction: 100,
    serial,
  });
  const issue = `{"recipientDid":"did:ixo:household/123","emissionCertificateId":"CERT-456","value":100.00,"attributes":{"batchId":"BATCH-789","issuanceDate":"2024-03-15","expiryDate":"2024-12-31"}}`;
  const issued = await tell.call("POST", "/v1/vouchers/issue", { as: admin, body: issue, expect: [409] });
  if (issued.status === 409) tell.note("An earlier demo issued it: one voucher for a certificate and household, ever.");
  else {
    tell.note("Its dates are in the past: it can be issued, and every broken rule is named when it is spent.");
    const past = `{"voucherId":"${issued.body.id}","supplierDid":"did:ixo:supplier/456","amount":50.00,"productId":"PROD-789"}`;
    await tell.call("POST", "/v1/vouchers/redeem", { as: supplier, body: past, expect: [400] });
  }

  const current = `CERT-456-${run}`;
  await registerCertificate(tell, cast, {
    certificateId: current,
    planId,
    verifiedReduction: 100,
    serial: serial + 1_000,
  });
  const attributes = { batchId: "BATCH-789", issuanceDate: day(0), expiryDate: day(year) };
  const voucher = await tell.call("POST", "/v1/vouchers/issue", {
    as: admin,
    body: { recipientDid: published.household, emissionCertificateId: current, value: 100, attributes },
  });
  const redeem = `{"voucherId":"${voucher.body.id}","supplierDid":"did:ixo:supplier/456","amount":50.00,"productId":"PROD-789"}`;
  const redeemed = await tell.call("POST", "/v1/vouchers/redeem", { as: supplier, body: redeem });
  await claim(
    tell,
    cast,
    { redemptionId: String(redeemed.body.redemptionId), recipient: published.household },
    config,
    "The published claim, with a credential in place of its dots.",
  );
}

/** Leave a delivery for which the supplier has not claimed its payment. Returns the redemption's id. */
export async function leaveUnclaimedDelivery(
  tell: Narrator,
  { supplier }: Cast,
  { voucherId }: HeldVoucher,
): Promise<string> {
  tell.step(
    "Another delivery waits for its claim",
    "The supplier redeems 5 CARBON more, and has not claimed the payment yet.",
  );
  const { body } = await tell.call("POST", "/v1/vouchers/redeem", {
    as: supplier,
    body: { voucherId, supplierDid: published.supplier, amount: 5, productId: published.product },
  });
  return String(body.redemptionId);
}

/** Make an invitation link for each role, so that a visitor can work in it. */
export async function inviteEachRole(tell: Narrator, { admin, implementerDid }: Cast) {
  tell.step("Invite a person in each role", "Each link makes an API key that only the device which opens it can use.");
  const keys = [
    { role: "regulator" },
    { role: "supplier", supplierDid: published.supplier },
    { role: "implementer", implementerDid },
    { role: "evaluator" },
    { role: "admin" },
  ];
  const links: { role: string; url: string }[] = [];
  for (const key of keys) {
    const body = { key: { ...key, name: `Visitor of the demo` }, validMinutes: 7 * 24 * 60 };
    const made = await tell.call("POST", "/v1/invitations", { as: admin, body });
    links.push({ role: key.role, url: String(made.body.url) });
  }
  return links;
}

/** The regulator follows the redemption back to its certificate and forward to its payment. */
export async function traceRedemption(
  tell: Narrator,
  config: Config,
  admin: Caller,
  redemptionId: string,
): Promise<void> {
  tell.step(
    "The regulator traces it both ways",
    "From the indexer: certificate, voucher, redemption, claim, payment, each with its transaction.",
  );
  await tell.until(`${config.indexer.url}/reports/trace/${redemptionId}`, admin, (body) =>
    JSON.stringify(body).includes("CLM-") ? body : undefined,
  );
}
