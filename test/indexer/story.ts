import { encodeFunctionData, keccak256, stringToHex, toHex, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { abis } from "../../api/platform/chain/contracts.ts";
import { chunkTree, packLeaves, proofFrom, toCalldata } from "../../api/scheme/certificates/allocation-tree.ts";
import type { World } from "./world.ts";

const day = 86_400n;
const one = 1_000_000n;
const batch = (index: bigint, position: bigint) => (index << 32n) | position;
const redemption = (voucher: bigint, number: bigint) => (voucher << 32n) | number;

/** What the scripted story leaves behind, for the tests to look up. */
export type Story = {
  households: number;
  certificateId: string;
  batchVoucher: (position: number) => bigint;
  loneVoucher: bigint;
  paidRedemption: bigint;
  lastBlock: bigint;
};

export async function today(world: World): Promise<number> {
  const block = (await world.anvil.rpc("eth_getBlockByNumber", ["latest", false])) as { timestamp: string };
  return Number(BigInt(block.timestamp) / day);
}

async function passDays(world: World, days: number): Promise<void> {
  await world.anvil.rpc("evm_increaseTime", [days * Number(day)]);
  await world.anvil.rpc("evm_mine");
}

export async function registerParticipants(world: World, households: number): Promise<void> {
  const { send } = world;
  const account = (seed: string) => privateKeyToAccount(keccak256(stringToHex(seed))).address;
  for (let from = 0; from < households; from += 250) {
    const hashes = Array.from({ length: Math.min(250, households - from) }, (_, i) => keccak256(toHex(from + i + 1)));
    // The second household brings its account, which the chain tells before it tells the registration.
    const accounts = from === 0 ? hashes.map((_, i) => (i === 1 ? account("second household") : zeroAddress)) : [];
    await send("operator", "participants", "registerHouseholds", [hashes, accounts]);
  }
  await send("operator", "participants", "registerHouseholds", [[keccak256(toHex(1))], []]);
  await send("operator", "participants", "proposeAccount", [2, 1, account("household")]);
  await send("evaluator", "participants", "confirmAccount", [1, account("household")]);
  const own = privateKeyToAccount(world.contracts.keys.deployer).address;
  await send("operator", "participants", "proposeAccount", [2, 3, own]);
  await send("evaluator", "participants", "confirmAccount", [3, own]);
  await send("deployer", "vouchers", "cancelAuthorization", [3, 7n]);
  await send("registrar", "participants", "registerImplementer", ["did:ixo:impl/1", account("impl"), "Implementer"]);
  const supplier = ["did:ixo:supplier/456", account("supplier"), "Supplier", "Lusaka"];
  await send("registrar", "participants", "registerSupplier", supplier);
  await send("registrar", "participants", "setSupplierStatus", [1, false, "audit"]);
  await send("registrar", "participants", "setSupplierStatus", [1, true, "audit passed"]);
  await send("registrar", "participants", "registerProduct", ["PROD-789", "Pellets", "fuel", "kg", 60n * one, 0]);
  const plan = {
    planId: "PLAN-1",
    implementer: 1,
    startDay: 19_358,
    endDay: 21_000,
    claimWindowHours: 336,
    reviewShare: 0,
  };
  const terms = {
    supplierMayIssue: true,
    unconsentedCap: 10_000,
    products: [1],
    trustedIssuers: ["did:web:verifier.example"],
    terms: "{}",
  };
  await send("registrar", "participants", "registerPlan", [{ ...plan, ...terms }]);
  const issuer = ["did:web:verifier.example", ["EmissionReductionCredential"], 0n, 0n];
  await send("registrar", "participants", "trustIssuer", issuer);
  await send("registrar", "participants", "trustIssuer", [issuer[0], ["ProductDeliveryCredential"], 0n, 0n]);
}

export function registration(certificateId: string, verified: bigint, count: number, serial: bigint) {
  return {
    certificateId,
    activityId: "ACT-1",
    implementer: 1,
    plan: 0,
    vintage: 2023,
    periodStart: 19_358,
    periodEnd: 19_722,
    verifiedReduction: verified,
    registry: "Gold Standard",
    firstSerial: serial,
    lastSerial: serial + 999n,
    verifier: keccak256(stringToHex("did:web:verifier.example")),
    credentialIssuedAt: 1_700_000_000n,
    credentialHash: keccak256(stringToHex(certificateId)),
    allocationCount: count,
    predecessor: 0,
  };
}

/** Register a certificate that allocates 100 CARBON to each of the first households, and issue it in chunks. */
export async function issueBatch(
  world: World,
  certificateId: string,
  count: number,
  serial: bigint,
): Promise<Uint8Array> {
  const { send } = world;
  const leaves = packLeaves(Array.from({ length: count }, (_, i) => ({ household: i + 1, amount: 100n * one })));
  const facts = registration(certificateId, BigInt(count) * 100n * one, count, serial);
  await send("registrar", "certificates", "registerAllocated", [facts, toCalldata(leaves)]);
  const index = await world.read("certificates", "certificateIndex", [keccak256(stringToHex(certificateId))]);
  const start = await today(world);
  const chunks = Math.ceil(count / 256);
  await send("operator", "vouchers", "issueChunks", [index, 0, chunks, start, start + 30, `BATCH-${certificateId}`]);
  return leaves;
}

/** The deployer as an implementer buys 10 CARBON at the price and a fee. */
async function buy({ send, contracts }: World): Promise<void> {
  const account = privateKeyToAccount(contracts.keys.deployer).address;
  await send("registrar", "participants", "registerImplementer", ["did:ixo:impl/2", account, "Buyer"]);
  await send("deployer", "pool", "setFee", [100]);
  await send("deployer", "stablecoin", "mint", [account, one]);
  await send("deployer", "stablecoin", "approve", [contracts.addresses.pool, one]);
  await send("deployer", "pool", "buyCarbon", [2, 505_000n, 10n * one, 2n ** 63n]);
}

export const oracleDid = "did:web:oracle.example";
export const oracleUrl = "https://oracle.example\0";

/** The deployer contracts its own oracle, is charged for two messages and starts a withdrawal. */
async function payOracle({ send, contracts }: World): Promise<void> {
  const owner = privateKeyToAccount(contracts.keys.deployer).address;
  const payee = privateKeyToAccount(contracts.keys.registrar).address;
  const oracle = keccak256(stringToHex(oracleDid));
  const terms = { price: 1_000n, freeMessages: 1, allowance: 2 };
  const urls = { apiUrl: "http://localhost:4000", wsUrl: "", agentCardUri: "" };
  await send("operator", "oracles", "register", [{ did: oracleDid, ...urls, ...terms, settler: owner, payee }, owner]);
  await send("deployer", "oracles", "setUrls", [oracle, oracleUrl, "wss://oracle.example", "card"]);
  await send("deployer", "oracles", "setTerms", [oracle, 2_000n, 3, 4]);
  await send("deployer", "oracles", "setAccounts", [oracle, payee, payee]);
  await send("deployer", "oracles", "transferOwnership", [oracle, payee]);
  await send("registrar", "oracles", "acceptOwnership", [oracle]);
  await send("registrar", "oracles", "transferOwnership", [oracle, owner]);
  await send("deployer", "stablecoin", "mint", [owner, 20_000n]);
  await send("deployer", "stablecoin", "approve", [contracts.addresses.oracles, 20_000n]);
  for (const amount of [15_000n, 5_000n]) {
    await send("deployer", "oracles", "contractOracle", [oracle, stringToHex("user", { size: 32 }), amount, 3_000n]);
  }
  const claim = (name: string, amount: bigint) => ({ claimId: stringToHex(name, { size: 32 }), payer: owner, amount });
  const claims = [claim("CLM-1", 2_000n), claim("CLM-2", 3_000n), claim("CLM-3", 4_000n), claim("CLM-1", 2_000n)];
  await send("registrar", "oracles", "settle", [oracle, claims]);
  await send("deployer", "oracles", "requestWithdrawal", [oracle, 7_000n]);
  await send("operator", "oracles", "requestWithdrawal", [oracle, 0n]);
}

export async function tellStory(world: World, households = 300): Promise<Story> {
  const { send } = world;
  await registerParticipants(world, households);
  const ledger = [[stringToHex("Vouchers", { size: 32 })], [world.contracts.addresses.vouchers]];
  await send("deployer", "directory", "setContracts", ledger);
  for (const value of [38n, 36n]) {
    const validity = { validFrom: 20_000, validTo: 21_000 };
    const source = { source: "decision\0", sourceHash: keccak256(stringToHex("decision")) };
    const entry = { kind: "fnrb", key: "ZMB", value, decimals: 2, unit: "1", ...source, ...validity };
    await send("registrar", "parameters", "set", [entry]);
  }
  await send("operator", "audits", "anchorRoot", [(await today(world)) - 1, keccak256(stringToHex("root")), 2n, 9n]);
  await payOracle(world);
  await send("deployer", "stablecoin", "mint", [world.contracts.addresses.pool, 10_000n * one]);
  await send("deployer", "pool", "takeIn", []);
  const leaves = await issueBatch(world, "CERT-456", households, 1n);
  const start = await today(world);

  const opening = (position: number) => ({
    voucher: batch(1n, BigInt(position)),
    household: position + 1,
    value: 100n * one,
    proof: proofFrom(chunkTree(leaves.subarray(0, 256 * 12)), position),
  });
  const order = (voucher: bigint, amount: bigint) => ({ voucher, supplier: 1, product: 1, amount: amount * one });
  const voucher = (position: number) => batch(1n, BigInt(position));
  const positions = [0, 1, 2, 3, 4, 5, 6, 7];
  const orders = [...positions.map((p) => order(voucher(p), 50n)), order(voucher(0), 50n), order(voucher(1), 5_000n)];
  await send("operator", "vouchers", "redeemMany", [positions.map(opening), orders, []]);
  // Anyone may name a voucher of a batch beyond all columns.
  await send("adjudicator", "vouchers", "redeemMany", [[], [order(2n ** 64n - 1n, 1n)], []]);

  const first = (position: number) => redemption(voucher(position), 1n);
  const hash = (seed: string) => keccak256(stringToHex(seed));
  await send("operator", "vouchers", "reverse", [first(1), "not in stock"]);
  await send("evaluator", "vouchers", "flagRedemption", [first(2), "odd"]);
  await send("evaluator", "vouchers", "flagRedemption", [first(3), "odd"]);
  const claims = [0, 2, 3, 4, 5].map((p) => ({ redemption: first(p), credentialHash: hash(`credential ${p}`) }));
  await send("operator", "claims", "claimMany", [[...claims, { redemption: first(0), credentialHash: hash("again") }]]);
  await send("evaluator", "claims", "approve", [first(2), "fine"]);
  await send("evaluator", "claims", "reject", [first(3), "forged"]);
  await send("evaluator", "claims", "dispute", [first(4), "never came"]);
  await send("adjudicator", "claims", "resolve", [first(4), true, "true"]);
  await send("evaluator", "claims", "dispute", [first(5), "never came"]);
  await send("adjudicator", "claims", "resolve", [first(5), false, "it came"]);
  await send("operator", "claims", "claim", [redemption(voucher(0), 2n), hash("set off")]);

  await send("registrar", "certificates", "registerCertificate", [registration("CERT-9", 70n * one, 0, 5_000n)]);
  const lone = { certificate: 2, leaf: 0, household: 9, value: 70n * one, startDay: start, expiryDay: start + 20 };
  const encode = (functionName: "issue" | "commitCodes", args: unknown[]) =>
    encodeFunctionData({ abi: abis.vouchers, functionName, args } as never);
  const issued = encode("issue", [{ ...lone, batchId: "SINGLE", proof: [] }]);
  await send("operator", "vouchers", "multicall", [[issued, encode("commitCodes", [hash("codes")])]]);
  await send("evaluator", "vouchers", "suspend", [1n, "look"]);
  await send("evaluator", "vouchers", "reactivate", [1n, "fine"]);
  await send("operator", "vouchers", "redeem", [order(1n, 20n)]);
  await send("operator", "vouchers", "cancel", [1n, "moved away"]);
  await send("operator", "vouchers", "reissue", [1n, start, start + 40, "SINGLE-2"]);
  await send("operator", "vouchers", "reverse", [redemption(1n, 1n), "cancelled"]);
  await send("registrar", "certificates", "setCertificateStatus", [2, 3, "audit"]);
  await send("registrar", "certificates", "setCertificateStatus", [2, 2, "audit passed"]);

  await passDays(world, 15);
  await send("operator", "vouchers", "lapse", [first(6)]);
  await send("operator", "vouchers", "lapse", [first(3)]);
  await passDays(world, 20);
  await send("operator", "vouchers", "lapse", [first(7)]);
  await send("operator", "vouchers", "sweep", [voucher(2)]);
  await send("operator", "pool", "takeIn", []);
  await buy(world);
  await send("deployer", "pool", "pause", []).catch(() => undefined);
  const last = await send("registrar", "participants", "setSupplierStatus", [1, false, "done"]);
  return {
    households,
    certificateId: "CERT-456",
    batchVoucher: voucher,
    loneVoucher: 1n,
    paidRedemption: first(0),
    lastBlock: last.blockNumber,
  };
}
