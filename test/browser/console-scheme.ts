import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { createIssuer, type TestIssuer } from "../support/credentials.ts";
import { signCommitment } from "../support/second-party.ts";
import type { Stack } from "../support/stack.ts";

type Body = Record<string, unknown>;

/** A scheme for the console's tests, made by the admin's requests. */
export type ConsoleScheme = {
  implementerDid: string;
  implementer: PrivateKeyAccount;
  supplierDid: string;
  productId: string;
  productName: string;
  planId: string;
  verifier: TestIssuer;
  field: TestIssuer;
  post: (path: string, body: object) => Promise<Body>;
  get: (path: string) => Promise<Body>;
  /** Repeat a request until the answer has what is searched; the index may be behind, or briefly unavailable. */
  until: <T>(path: string, find: (answer: Body) => T | undefined) => Promise<T>;
  /** Register a certificate of this much CARBON, for one household or for a list in equal shares. */
  certify: (certificateId: string, value: number, households?: readonly string[]) => Promise<void>;
  /** Join a campaign's draw as the guardian. @returns what reveals its secret */
  joinDraw: (campaignId: string) => Promise<() => Promise<Body>>;
  /** Issue a voucher from a new certificate. */
  issue: (recipientDid: string, value: number, expiryDate?: string) => Promise<string>;
  deliveryCredential: (delivery: { redemptionId: string; recipient: string; productId?: string }) => Promise<string>;
};

const attributes = { batchId: "BATCH-1", issuanceDate: "2025-01-01", expiryDate: "2099-12-31" };
let nextSerial = 1;

/**
 * Register an implementer with a monitoring plan, a supplier, a product and the issuers of credentials.
 *
 * @param name part of their ids, which differs between the files that share a system
 */
export async function createConsoleScheme(stack: Stack, name: string): Promise<ConsoleScheme> {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await stack.call(method, `/v1${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const post: ConsoleScheme["post"] = (path, body) => send("POST", path, body);
  const get: ConsoleScheme["get"] = (path) => send("GET", path);
  const until: ConsoleScheme["until"] = async (path, find) => {
    for (const end = Date.now() + 150_000; Date.now() < end; await new Promise((go) => setTimeout(go, 100))) {
      const answer = await stack.call("GET", `/v1${path}`);
      const found = answer.status === 200 ? find(answer.body) : undefined;
      if (found !== undefined) return found;
    }
    throw new Error(`${path} never had what was looked for.`);
  };
  const people = await registerPeople(post, name);
  const certify: ConsoleScheme["certify"] = async (certificateId, value, households) => {
    const allocations = households?.map((householdDid) => ({ householdDid, amount: value / households.length }));
    const claims = { certificateId, implementerDid: people.implementerDid, verifiedReduction: value, vintage: 2025 };
    const firstSerial = nextSerial;
    nextSerial += 1_000;
    const units = { registry: "test-registry", firstSerial, lastSerial: firstSerial + 999 };
    const subject = { ...claims, underlyingUnits: units };
    const proof = await people.verifier.signCredential({ type: "EmissionReductionCredential", subject });
    const answer = await post("/certificates", {
      ...subject,
      ...(allocations === undefined ? {} : { allocations }),
      planId: people.planId,
      activityId: "ACT-1",
      period: { startDate: "2025-01-01", endDate: "2025-12-31" },
      verifiableCredential: { type: "EmissionReductionCredential", proof },
    });
    if (answer.operationId !== undefined) await follow(until, String(answer.operationId));
  };
  const issue: ConsoleScheme["issue"] = async (recipientDid, value, expiryDate = attributes.expiryDate) => {
    const emissionCertificateId = `CERT-ONE-${nextSerial}`;
    await certify(emissionCertificateId, value);
    const voucher = await post("/vouchers/issue", {
      recipientDid,
      emissionCertificateId,
      value,
      attributes: { ...attributes, expiryDate },
    });
    return String(voucher.id);
  };
  const deliveryCredential: ConsoleScheme["deliveryCredential"] = ({ productId = people.productId, ...delivery }) => {
    const subject = { ...delivery, productId, supplierDid: people.supplierDid, deliveredAt: new Date().toISOString() };
    return people.field.signCredential({ type: "ProductDeliveryCredential", subject: { ...subject, quantity: 1 } });
  };
  const joinDraw: ConsoleScheme["joinDraw"] = async (campaignId) => {
    const key = (await readFile(join(stack.dataDir, "keys", "guardian.key"), "utf8")).trim();
    const guardian = privateKeyToAccount(`0x${key.replace(/^0x/, "")}`);
    const { chainId, contract, campaign } = await get(`/campaigns/${campaignId}/draw`);
    const chain = { chainId: Number(chainId), campaigns: contract as Hex };
    const order = { campaign: Number(campaign), round: 0, secret: generatePrivateKey() };
    await post(`/campaigns/${campaignId}/draw/party`, await signCommitment(chain, guardian, order));
    return () => post(`/campaigns/${campaignId}/draw/secret`, { secret: order.secret });
  };
  return { ...people, post, get, until, certify, joinDraw, issue, deliveryCredential };
}

/** Wait until an operation has succeeded. */
export async function follow(until: ConsoleScheme["until"], operationId: string): Promise<void> {
  await until(`/operations/${operationId}`, ({ status }) => (status === "succeeded" ? true : undefined));
}

async function registerPeople(post: ConsoleScheme["post"], name: string) {
  const [verifier, field] = [createIssuer(), createIssuer()];
  const implementer = privateKeyToAccount(generatePrivateKey());
  const account = privateKeyToAccount(generatePrivateKey()).address;
  const [implementerDid, supplierDid] = [`did:x:stoves-of-${name}`, `did:x:shop-of-${name}`];
  const [productId, productName, planId] = [`PROD-STOVE-${name}`, `Pellet stove of ${name}`, `PLAN-${name}`];
  await post("/implementers", { did: implementerDid, account: implementer.address, name: "Clean Stoves" });
  await post("/suppliers", { did: supplierDid, account, name: "Corner Shop", region: "Lusaka" });
  await post("/products", { productId, name: productName, category: "stove", unit: "piece" });
  await post("/issuers", { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] });
  await post("/issuers", { did: field.did, credentialTypes: ["ProductDeliveryCredential"] });
  await post("/monitoring-plans", {
    planId,
    implementerDid,
    period: { startDate: "2024-01-01", endDate: "2099-12-31" },
    products: [productId],
    trustedIssuers: [field.did],
    requiredEvidence: [],
    regions: [],
  });
  return { implementerDid, implementer, supplierDid, productId, productName, planId, verifier, field };
}
