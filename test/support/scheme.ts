import { randomInt } from "node:crypto";
import { createWalletClient, type Hex, http, keccak256, parseEventLogs, publicActions, stringToBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openApp } from "../../api/app.ts";
import type { Deps } from "../../api/compose.ts";
import { abis } from "../../api/platform/chain/contracts.ts";
import { submitCall } from "../../api/platform/chain/submit.ts";
import type { App } from "../../api/platform/http/context.ts";
import { createLog } from "../../api/platform/log.ts";
import { packLeaves, toCalldata } from "../../api/scheme/certificates/allocation-tree.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";
import { encodeRedemptionId } from "../../wire/src/ids.ts";
import { createTestWorld, type TestWorld, withUnrestrictedSenders } from "./chain.ts";
import { createIssuer, type TestIssuer } from "./credentials.ts";

export const testAdminKey = "test-admin-key-of-24-characters";
const CARBON = 1_000_000n;
/** Role number, see contracts/shared/Roles.sol. */
export const GUARDIAN = 1n;
export const EVALUATOR = 4n;

export type PlanOptions = {
  planId: string;
  startDay?: number;
  endDay?: number;
  reviewShare?: number;
  supplierMayIssue?: boolean;
  products?: number[];
  trustedIssuers?: string[];
  terms?: Partial<{ regions: string[]; requiredEvidence: string[] }>;
};

/** A running scheme with one implementer, supplier, product and household, and vouchers to spend. */
export type TestScheme = {
  world: TestWorld;
  deps: Deps;
  app: App;
  issuer: TestIssuer;
  supplierDid: string;
  implementerDid: string;
  householdDid: string;
  productId: string;
  product: number;
  supplier: number;
  /** Register another supplier and answer its index. */
  addSupplier: (did: string, region?: string) => Promise<number>;
  addPlan: (options: PlanOptions) => Promise<number>;
  /** Issue vouchers of 100 CARBON in one batch to new households of these DIDs. */
  issueBatch: (householdDids: string[]) => Promise<void>;
  /** Issue a voucher and spend some of it; answers the public id. */
  redeem: (options?: { plan?: number; amount?: bigint; supplier?: number }) => Promise<string>;
  /** Calls of the council, which in tests is the deployer. */
  council: (
    contract: "pool" | "participants" | "claims" | "vouchers" | "invalidationBuffer",
    functionName: string,
    args: unknown[],
  ) => Promise<void>;
  close: () => Promise<void>;
};

/** Start a chain with the real contracts and register what a redemption needs. */
export async function openTestScheme(env: Record<string, string> = {}): Promise<TestScheme> {
  const world = await createTestWorld();
  const config = world.config({ ADMIN_API_KEY: testAdminKey, ...env });
  const { app, deps, close } = await openApp(config, createLog(config));
  const supplierDid = "did:ixo:supplier/456";
  const implementerDid = "did:ixo:implementer/1";
  const householdDid = "did:ixo:household/123";
  const productId = "PROD-789";
  const issuer = createIssuer();
  const write = await createWriter(deps, world);
  const account = (n: number): Hex => `0x${n.toString(16).padStart(40, "a")}`;
  await write("registrar", "participants", "registerImplementer", [implementerDid, account(1), "Implementer"]);
  const addSupplier = async (did: string, region = "Lusaka") => {
    await write("registrar", "participants", "registerSupplier", [did, account(randomInt(1, 2 ** 40)), did, region]);
    return deps.chain.read("participants", "supplierIndex", [keccak256(stringToBytes(did))]);
  };
  const supplier = await addSupplier(supplierDid);
  await write("registrar", "participants", "registerProduct", [productId, "Stove", "stove", "piece", 0n, 0]);
  const product = await deps.chain.read("participants", "productIndex", [keccak256(stringToBytes(productId))]);
  for (const [did, type] of [
    [issuer.did, "ProductDeliveryCredential"],
    ["did:key:zVerifier", "EmissionReductionCredential"],
  ]) {
    await write("registrar", "participants", "trustIssuer", [did, [type], 0n, 0n]);
  }
  await write("operator", "participants", "registerHouseholds", [[deps.registry.households.hashOf(householdDid)], []]);
  await deps.registry.households.byDid(householdDid);
  const council = createCouncil(world);
  await seedPool(world, council);
  const addPlan = async (options: PlanOptions) => {
    const { startDay = 0, endDay = 40_000, reviewShare = 0, supplierMayIssue = false, products = [] } = options;
    const terms = { regions: [], requiredEvidence: [], season: null, externalFactors: null, ...options.terms };
    const { planId, trustedIssuers = [] } = options;
    const periods = { planId, implementer: 1, startDay, endDay, claimWindowHours: 336, reviewShare, supplierMayIssue };
    const unconsentedCap = 10_000;
    await write("operator", "participants", "registerPlan", [
      { ...periods, unconsentedCap, products, trustedIssuers, terms: JSON.stringify(terms) },
    ]);
    return deps.chain.read("participants", "planIndex", [keccak256(stringToBytes(planId))]);
  };
  let certificates = 0;
  const indexOf = (certificateId: string) =>
    deps.chain.read("certificates", "certificateIndex", [keccak256(stringToBytes(certificateId))]);
  const nextCertificate = async (plan: number, verifiedReduction: bigint, allocationCount: number) => {
    certificates++;
    return {
      certificateId: `CERT-${certificates}`,
      activityId: "ACT-1",
      implementer: 1,
      plan,
      vintage: 2026,
      periodStart: 20_000,
      periodEnd: 20_100,
      verifiedReduction,
      registry: "REG",
      firstSerial: BigInt(certificates) * 1000n,
      lastSerial: BigInt(certificates) * 1000n + 999n,
      verifier: keccak256(stringToBytes("did:key:zVerifier")),
      credentialIssuedAt: await deps.chain.now(),
      credentialHash: keccak256(stringToBytes(`credential ${certificates}`)),
      allocationCount,
      predecessor: certificates - 1,
    };
  };
  const issueBatch = async (dids: string[]) => {
    const { households } = deps.registry;
    await write("operator", "participants", "registerHouseholds", [dids.map((did) => households.hashOf(did)), []]);
    const rows = await Promise.all(dids.map((did) => households.byDid(did)));
    const leaves = rows.map((row) => ({ household: row?.household ?? 0, amount: 100n * CARBON }));
    const registration = await nextCertificate(0, BigInt(dids.length) * 100n * CARBON, dids.length);
    const packed = toCalldata(packLeaves(leaves.sort((a, b) => a.household - b.household)));
    await write("registrar", "certificates", "registerAllocated", [registration, packed]);
    const today = Number((await deps.chain.now()) / 86_400n);
    const certificate = await indexOf(registration.certificateId);
    await write("operator", "vouchers", "issueChunks", [certificate, 0, 1, today - 1, today + 300, "BATCH-2"]);
  };
  const redeem: TestScheme["redeem"] = async ({ plan = 0, amount = 50n * CARBON, supplier: by = supplier } = {}) => {
    const value = 100n * CARBON;
    const registration = await nextCertificate(plan, value, 0);
    await write("registrar", "certificates", "registerCertificate", [registration]);
    const today = Number((await deps.chain.now()) / 86_400n);
    const certificate = await indexOf(registration.certificateId);
    const order = { certificate, leaf: 0, household: 1, value, batchId: "BATCH-1", proof: [] };
    const issued = await write("operator", "vouchers", "issue", [
      { ...order, startDay: today - 1, expiryDay: today + 300 },
    ]);
    const voucher = parseEventLogs({ abi: vouchersAbi, eventName: "VoucherIssued", logs: issued.logs })[0]?.args
      .voucher;
    const redeemed = await write("operator", "vouchers", "redeem", [{ voucher, supplier: by, product, amount }]);
    const [event] = parseEventLogs({ abi: vouchersAbi, eventName: "VoucherRedeemed", logs: redeemed.logs });
    return encodeRedemptionId(event?.args.redemption ?? 0n);
  };
  return {
    world,
    deps,
    app,
    issuer,
    supplierDid,
    implementerDid,
    householdDid,
    productId,
    product,
    supplier,
    addSupplier,
    addPlan,
    issueBatch,
    redeem,
    council,
    close: async () => {
      await close();
      await world.close();
    },
  };
}

/** Writes with the roles' keys, also what the service does not sign. */
export async function createWriter(deps: Pick<Deps, "chain">, world: TestWorld) {
  const chain = await withUnrestrictedSenders(deps.chain, world);
  return (sender: "operator" | "registrar" | "evaluator", contract: string, functionName: string, args: unknown[]) =>
    submitCall({ chain }, {}, { sender, contract, functionName, args, purpose: "test" } as never);
}

/** Calls of the council: the deployer, which in tests holds its role. */
export function createCouncil(world: TestWorld): TestScheme["council"] {
  const { keys, addresses } = world.contracts;
  const account = privateKeyToAccount(keys.deployer);
  const wallet = createWalletClient({ account, transport: http(world.anvil.url), pollingInterval: 50 }).extend(
    publicActions,
  );
  return async (contract, functionName, args) => {
    const call = {
      abi: abis[contract],
      address: addresses[contract],
      functionName,
      args,
      chain: null,
      gas: 1_000_000n,
    };
    const receipt = await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(call as never) });
    if (receipt.status !== "success") throw new Error(`${functionName} was refused.`);
  };
}

/** Gives the pool a million of stablecoin, and makes the deployer the guardian. */
export async function seedPool(world: TestWorld, council: TestScheme["council"]): Promise<void> {
  const { keys, addresses } = world.contracts;
  const account = privateKeyToAccount(keys.deployer);
  const wallet = createWalletClient({ account, transport: http(world.anvil.url), pollingInterval: 50 }).extend(
    publicActions,
  );
  const args = [addresses.pool, 1_000_000n * CARBON] as const;
  const mint = { abi: stablecoinAbi, address: addresses.stablecoin, functionName: "mint", args, chain: null } as const;
  await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(mint) });
  await council("pool", "takeIn", []);
  await council("participants", "grantRole", [GUARDIAN, account.address, 0]);
}
