import { keccak256, maxUint64, stringToHex, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { redemptionIdOf, voucherIdOf } from "../../wire/src/ids.ts";
import { itmoBlockIdOf } from "../../wire/src/itmo-ids.ts";
import { registration, today } from "./story.ts";
import type { World } from "./world.ts";

const one = 1_000_000n;
export const tonne = 1_000n * one;
const hash = (seed: string) => keccak256(stringToHex(seed));

/** What the conversions of the story leave behind, for the tests to look up. */
export type ItmoStory = {
  /** Redemptions of 2500 and 1500 CARBON of the first certificate, and of 3000 of the second. */
  redemptions: [bigint, bigint, bigint];
  certificates: [string, string];
  approachId: string;
  authorizationId: string;
  /** Conversions 1 (3 t) and 3 (2 t) are finalised, 2 (1 t) is reverted. */
  registryId: string;
  lastBlock: bigint;
};

const vouchers = { first: voucherIdOf(0, 4), second: voucherIdOf(0, 5) };
const redemptions: ItmoStory["redemptions"] = [
  redemptionIdOf(vouchers.first, 1),
  redemptionIdOf(vouchers.first, 2),
  redemptionIdOf(vouchers.second, 1),
];

/** 7000 CARBON become vouchers and are spent at a supplier, whose account is the evaluator's. */
async function deliver(world: World, certificates: string[]): Promise<void> {
  const { send } = world;
  const account = privateKeyToAccount(world.contracts.keys.evaluator).address;
  await send("registrar", "participants", "registerSupplier", ["did:ixo:supplier/2", account, "Second", ""]);
  await send("registrar", "participants", "registerProduct", ["PROD-LPG", "LPG", "fuel", "kg", 0n, 0]);
  const startDay = await today(world);
  for (const [i, value] of [4n * tonne, 3n * tonne].entries()) {
    const certificateId = certificates[i] ?? "";
    const facts = registration(certificateId, value, 0, 20_000n + BigInt(i) * 1_000n);
    await send("registrar", "certificates", "registerCertificate", [facts]);
    const certificate = await world.read("certificates", "certificateIndex", [hash(certificateId)]);
    const order = { certificate, leaf: 0, household: 10 + i, value, startDay, expiryDay: startDay + 60 };
    await send("operator", "vouchers", "issue", [{ ...order, batchId: "LPG", proof: [] }]);
  }
  const spend = (voucher: bigint, amount: bigint) =>
    send("operator", "vouchers", "redeem", [{ voucher, supplier: 2, product: 2, amount }]);
  await spend(vouchers.first, 2_500n * one);
  await spend(vouchers.first, 1_500n * one);
  await spend(vouchers.second, 3n * tonne);
}

const noBound = {
  perTransaction: maxUint64,
  perWindow: maxUint64,
  perDay: maxUint64,
  lifetime: maxUint64,
  perSupplierDay: maxUint64,
};

/** The pool pays the first claim and the third, but not the second: its CARBON goes to the supplier. */
async function settle({ send }: World): Promise<void> {
  const [first, second, third] = redemptions;
  await send("operator", "claims", "claim", [first, hash("LPG 1")]);
  await send("deployer", "pool", "setCaps", [{ ...noBound, perTransaction: one }]);
  await send("operator", "claims", "claim", [third, hash("LPG 3")]);
  await send("deployer", "pool", "setCaps", [noBound]);
  await send("operator", "claims", "claim", [second, hash("LPG 2")]);
}

/** What any holder may do with CARBON: split it into tiny amounts, move it in circles, send it to contracts, send none. */
async function play({ send, contracts }: World): Promise<void> {
  const { addresses, keys } = contracts;
  const own = privateKeyToAccount(keys.evaluator).address;
  const other = privateKeyToAccount(keys.operator).address;
  const give = (to: string, amount: bigint) => send("evaluator", "carbon", "transfer", [to, amount]);
  await send("evaluator", "carbon", "transferFrom", [addresses.vouchers, own, 0n]);
  await give(other, 1n);
  await give(other, 2n);
  await send("operator", "carbon", "transfer", [own, 2n]);
  await give(own, 500n * one);
  for (const to of [addresses.vouchers, addresses.claims, addresses.itmo]) await give(to, 5n);
  await send("evaluator", "carbon", "burn", [7n]);
  await send("evaluator", "carbon", "approve", [addresses.pool, 2_999n * one]);
  await send("evaluator", "pool", "sellCarbon", [2, 2_999n * one, 0n, 2n ** 63n]);
}

async function authorise({ send }: World, { approachId, authorizationId }: ItmoStory): Promise<void> {
  const code = (text: string) => stringToHex(text);
  const approach = {
    approachId: code(approachId),
    firstTransferringParty: code("ZMB"),
    participatingParties: [code("CHE"), code("ZMB"), code("CHE")],
    sectors: ["Building and construction"],
    activityType: "Energy efficiency\0households",
    ndcFirstYear: 2021,
    ndcLastYear: 2030,
  };
  await send("registrar", "itmo", "registerApproach", [approach]);
  const authorization = {
    authorizationId,
    approach: 1,
    date: 19_000,
    quantity: 100n,
    purpose: 5,
    firstTransfer: 3,
    firstYear: 2021,
    lastYear: 2030,
    omgeShare: 2_000,
    sopShare: 2_000,
    entities: [{ name: "Buyer AG", country: code("CHE"), entityId: "CHE-100", implementer: 0 }],
    terms: "{}",
  };
  await send("registrar", "itmo", "registerAuthorization", [authorization]);
}

/** The implementer whose account is the deployer's buys 5000 CARBON and converts them, the third request first. */
async function convert({ send, contracts }: World, { registryId }: ItmoStory): Promise<void> {
  const { addresses, keys } = contracts;
  const account = privateKeyToAccount(keys.deployer).address;
  const cost = 252_500_000n;
  await send("deployer", "stablecoin", "mint", [account, cost]);
  await send("deployer", "stablecoin", "approve", [addresses.pool, cost]);
  await send("deployer", "pool", "buyCarbon", [2, cost, 0n, 2n ** 63n]);
  await send("deployer", "carbon", "approve", [addresses.itmo, 100n * tonne]);
  const request = (tonnes: bigint) =>
    send("deployer", "itmo", "requestConversion", [
      { implementer: 2, amount: tonnes * tonne, authorization: 1, vintage: 2023 },
    ]);
  await request(3n);
  await request(1n);
  await send("registrar", "itmo", "revertConversion", [2, "wrong vintage"]);
  await request(2n);
  const registry = stringToHex(registryId);
  await send("registrar", "itmo", "finalise", [3, registry, 101n, 102n, 0]);
  await send("registrar", "itmo", "finalise", [1, registry, 1n, 3n, 0]);
}

/** Serial 101 goes to Switzerland and is used; 1 is cancelled; 2 and 3 were the shares; 102 stays. */
async function live({ send }: World): Promise<bigint> {
  const part = (conversion: number, firstId: bigint) => ({
    blockId: itmoBlockIdOf(conversion, firstId),
    firstId,
    lastId: firstId,
  });
  await send("registrar", "itmo", "transfer", [part(3, 101n), stringToHex("CHE"), "sold"]);
  await send("registrar", "itmo", "useForNdc", [part(3, 101n), 2026, ""]);
  await send("registrar", "itmo", "cancel", [part(1, 1n), 0, "CHE-100", "by mistake\0"]);
  const { blockNumber } = await send("registrar", "itmo", "setAuthorizedQuantity", [1, 6n, "corrected"]);
  return blockNumber;
}

/** From two certificates over claims, the pool and hostile transfers to three conversions and the end of most ITMOs. */
export async function tellItmos(world: World): Promise<ItmoStory> {
  const story: ItmoStory = {
    redemptions,
    certificates: ["CERT-LPG-1", "CERT-LPG-2"],
    approachId: "CA0001",
    authorizationId: "ZMB-2026-0001",
    registryId: "ZMB01",
    lastBlock: 0n,
  };
  await deliver(world, story.certificates);
  await settle(world);
  await play(world);
  await authorise(world, story);
  await convert(world, story);
  return { ...story, lastBlock: await live(world) };
}

/** Accounts of the index without an address, by the contract that holds their CARBON. */
export const keeperOf = (account: string, world: World): string => {
  if (account.startsWith("CONV-")) return world.contracts.addresses.itmo.toLowerCase();
  return account.startsWith("CLM-") ? world.contracts.addresses.claims.toLowerCase() : account;
};

/** Whether an account holds CARBON; nothing holds what was never minted or was burned. */
export const isHolder = (account: string): boolean => account !== zeroAddress;
