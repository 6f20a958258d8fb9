import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem";
import { takeCodes } from "./code-gas.ts";
import {
  freshAccount,
  type GasFigures,
  type GasWorld,
  hashOf,
  type Leaf,
  leavesOf,
  openGasWorld,
  packLeaves,
  proofOf,
  registerParties,
  registrationOf,
} from "./gas-world.ts";
import { takeItmos } from "./itmo-gas.ts";
import { takeOracles } from "./oracle-gas.ts";
import { takeSwaps } from "./pool-gas.ts";

const HOUSEHOLDS = 1_000;
const CHUNK = 256;
/** Whole UTC days. */
const DAYS = [20_000, 40_000] as const;
const AMOUNT = 30_123_456n;

/** Take all gas figures, each from a real transaction on the real deployment. */
export async function takeGasFigures(): Promise<GasFigures> {
  const world = await openGasWorld();
  const figures: GasFigures = {};
  await takeReferences(world, figures);
  await registerParties(world);
  await takeHouseholds(world, figures);
  const leaves = leavesOf(HOUSEHOLDS);
  await takeIssue(world, figures, leaves);
  await takeRedemptions(world, figures, leaves);
  await takeClaims(world, figures);
  await takeAudits(world, figures);
  await takeParameters(world, figures);
  await takeCampaigns(world, figures);
  await takeItmos(world, figures);
  await takeSwaps(world, figures);
  await takeOracles(world, figures);
  await takeCodes(world, figures, leaves);
  return figures;
}

async function takeReferences(world: GasWorld, figures: GasFigures): Promise<void> {
  const { stablecoin, plain, gasOf, as, address } = world;
  await stablecoin.write.mint([address("operator"), 1_000_000_000n], as("operator"));
  const transfer = () => stablecoin.write.transfer([freshAccount("holder"), 12_345_678n], as("operator"));
  figures["ERC-20 transfer to a new holder"] = await gasOf(transfer());
  figures["ERC-20 transfer to an existing holder"] = await gasOf(transfer());
  const words = () => [1n, 2n ** 200n, 2n ** 201n, 2n ** 202n] as const;
  figures["3 slots and event, new"] = await gasOf(plain.write.write([...words()]));
  figures["3 slots and event, overwritten"] = await gasOf(plain.write.write([1n, 2n ** 100n, 5n, 2n ** 99n]));
}

async function takeHouseholds(world: GasWorld, figures: GasFigures): Promise<void> {
  const { participants, gasOf, as } = world;
  const hashes = Array.from({ length: HOUSEHOLDS }, (_, i) => hashOf(`household ${i + 1}`));
  const import500 = (from: number) =>
    participants.write.registerHouseholds([hashes.slice(from, from + 500), []], as("operator"));
  await gasOf(import500(0));
  figures["register a household, of 500"] = (await gasOf(import500(500))) / 500;
}

async function takeIssue(world: GasWorld, figures: GasFigures, leaves: Leaf[]): Promise<void> {
  const { certificates, vouchers, gasOf, as } = world;
  const total = leaves.reduce((sum, { amount }) => sum + amount, 0n);
  const register = (reduction: bigint, count: number, packed: Leaf[]) =>
    certificates.write.registerAllocated([registrationOf(reduction, count), packLeaves(packed)], as("registrar"));
  const order = { leaf: 0, startDay: DAYS[0], expiryDay: DAYS[1], batchId: "BATCH-2026-07" };

  const whole = registrationOf(AMOUNT, 0);
  await gasOf(certificates.write.registerCertificate([whole], as("registrar")));
  const lone = { ...order, certificate: 1, household: 1, value: AMOUNT, proof: [] };
  await gasOf(vouchers.write.issue([lone], as("operator")));
  await gasOf(certificates.write.registerCertificate([registrationOf(AMOUNT, 0)], as("registrar")));
  figures["issue one voucher, whole certificate"] = await gasOf(
    vouchers.write.issue([{ ...lone, certificate: 2 }], as("operator")),
  );

  const chunk = leaves.slice(0, CHUNK);
  await gasOf(register(sumOf(chunk), CHUNK, chunk));
  const first = { ...order, certificate: 3, household: 1, value: chunk[0]!.amount, proof: proofOf(chunk, 0) };
  await gasOf(vouchers.write.issue([first], as("operator")));
  const fifth = { ...first, leaf: 5, household: 6, value: chunk[5]!.amount, proof: proofOf(chunk, 5) };
  figures["issue one voucher of 256, by proof"] = await gasOf(vouchers.write.issue([fifth], as("operator")));

  const recorded = await gasOf(register(total, HOUSEHOLDS, leaves));
  const issued = await gasOf(
    vouchers.write.issueChunks([4, 0, Math.ceil(HOUSEHOLDS / CHUNK), ...DAYS, order.batchId], as("operator")),
  );
  figures["record the allocation, per voucher of 1000"] = recorded / HOUSEHOLDS;
  figures["issue in chunks, per voucher of 1000"] = issued / HOUSEHOLDS;
  figures["batch issue with its allocation, per voucher of 1000"] = (recorded + issued) / HOUSEHOLDS;
}

const sumOf = (leaves: Leaf[]) => leaves.reduce((sum, { amount }) => sum + amount, 0n);
/** The batches of `takeIssue` are numbered from 1, with one chunk each. */
const voucherAt = (leaf: number) => (BigInt(1 + Math.floor(leaf / CHUNK)) << 32n) | BigInt(leaf % CHUNK);

/** Leaves of the first chunk, spread over it. Each batch starts at a leaf that no other figure uses. */
const batch = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);

async function takeRedemptions(world: GasWorld, figures: GasFigures, leaves: Leaf[]): Promise<void> {
  const { vouchers, gasOf, as } = world;
  const chunk = leaves.slice(0, CHUNK);
  const opening = (leaf: number) => ({
    voucher: voucherAt(leaf),
    household: leaf + 1,
    value: chunk[leaf]!.amount,
    proof: proofOf(chunk, leaf),
  });
  const order = (leaf: number, supplier = 1) => ({ voucher: voucherAt(leaf), supplier, product: 1, amount: AMOUNT });
  const many = (openings: number[], orders: ReturnType<typeof order>[]) =>
    gasOf(vouchers.write.redeemMany([openings.map(opening), orders, []], as("operator")));

  const first = (leaf: number) => {
    const { household, value, proof } = opening(leaf);
    return gasOf(vouchers.write.redeemOpening([order(leaf), household, value, proof], as("operator")));
  };
  await first(0);
  figures["redeem alone, first use"] = await first(1);
  figures["redeem in a batch of one, first use"] = await many([2], [order(2)]);
  figures["redeem in a batch of one, later use"] = await many([], [order(2)]);
  figures["redeem alone, later use"] = await gasOf(vouchers.write.redeem([order(1)], as("operator")));
  figures["redeem alone, later use, supplier's own transaction"] = await gasOf(
    vouchers.write.redeem([order(0)], as("supplier")),
  );
  const fifty = batch(10, 50);
  figures["redeem in a batch of 50, first use"] =
    (await many(
      fifty,
      fifty.map((leaf) => order(leaf)),
    )) / 50;
  figures["redeem in a batch of 50, later use"] =
    (await many(
      [],
      fifty.map((leaf) => order(leaf)),
    )) / 50;
  const mixed = batch(70, 50);
  const supplierOf = (leaf: number) => 1 + (leaf % 10);
  const orders = mixed.map((leaf) => order(leaf, supplierOf(leaf)));
  figures["redeem in a batch of 50, first use, 10 suppliers mixed"] = (await many(mixed, orders)) / 50;
  figures["redeem in a batch of 50, later use, 10 suppliers mixed"] = (await many([], orders)) / 50;
  const paid = batch(130, 20);
  await many(
    paid,
    paid.map((leaf, i) => order(leaf, 2 + i)),
  );
}

const redemptionAt = (leaf: number, number = 1) => (voucherAt(leaf) << 32n) | BigInt(number);

async function takeClaims(world: GasWorld, figures: GasFigures): Promise<void> {
  const { claims, gasOf, as } = world;
  const claimOf = (leaf: number) => ({ redemption: redemptionAt(leaf), credentialHash: hashOf(`credential ${leaf}`) });
  const claim = (leaf: number) => {
    const { redemption, credentialHash } = claimOf(leaf);
    return gasOf(claims.write.claim([redemption, credentialHash], { ...as("operator"), gas: 2_000_000n }));
  };
  const many = (leaves: number[]) =>
    gasOf(claims.write.claimMany([leaves.map(claimOf)], { ...as("operator"), gas: 10_000_000n }));
  await claim(0);
  figures["claim with stablecoin payout, alone"] = await claim(1);
  figures["claim with stablecoin payout, in a batch of 20"] = (await many(batch(10, 20))) / 20;
  figures["claim with stablecoin payout, in a batch of 20, each supplier's first"] = (await many(batch(130, 20))) / 20;
}

async function takeAudits(world: GasWorld, figures: GasFigures): Promise<void> {
  const { audits, gasOf, as } = world;
  const anchor = (day: number) =>
    gasOf(audits.write.anchorRoot([day, hashOf(`root ${day}`), 1_000n, 1_000_000n], as("operator")));
  await anchor(DAYS[0]);
  figures["anchor a day's audit root"] = await anchor(DAYS[0] + 1);
}

async function takeParameters(world: GasWorld, figures: GasFigures): Promise<void> {
  const { parameters, gasOf, as } = world;
  const entry = {
    kind: "fnrb",
    key: "ZMB",
    value: 38n,
    decimals: 2,
    unit: "1",
    source: "decision of the regulator",
    sourceHash: hashOf("decision"),
    validFrom: 20_000,
    validTo: 0,
  };
  figures["record a parameter that supersedes another"] = await gasOf(parameters.write.set([entry], as("registrar")));
}

/** A KPT campaign of 300 households a group; the sample is as large as the largest batch needs. */
async function takeCampaigns(world: GasWorld, figures: GasFigures): Promise<void> {
  const { address, campaigns, gasOf, as, networkHelpers } = world;
  const frame = (group: string) => ({ root: hashOf(`${group} frame`), size: 300 });
  const frames = { referenceFrame: frame("reference"), interventionFrame: frame("intervention") };
  const terms = JSON.stringify({ season: "dry", externalFactors: {}, confidence: { level: 0.9, precision: 0.1 } });
  const period = { plan: 0, startDay: DAYS[0], endDay: DAYS[0] + 30, sampleSize: 280 };
  const commit = (campaignId: string) =>
    gasOf(campaigns.write.commit([{ campaignId, ...period, ...frames, terms }], as("operator")));
  await commit("KPT-2026-DRY-1");
  figures["commit a KPT campaign"] = await commit("KPT-2026-DRY-2");
  const secretOf = (party: string) => hashOf(`${party}'s secret`);
  const commitmentOf = (party: "operator" | "evaluator") => {
    const types = parseAbiParameters("bytes32, address");
    return keccak256(encodeAbiParameters(types, [secretOf(party), address(party)]));
  };
  for (const campaign of [1, 2]) {
    const joined = await gasOf(campaigns.write.joinDraw([campaign, commitmentOf("evaluator")], as("evaluator")));
    const opened = await gasOf(campaigns.write.openDraw([campaign, commitmentOf("operator")], as("operator")));
    await networkHelpers.mine(3);
    const first = await gasOf(campaigns.write.reveal([campaign, secretOf("operator")], as("supplier")));
    const last = await gasOf(campaigns.write.reveal([campaign, secretOf("evaluator")], as("supplier")));
    figures["draw a KPT campaign by two parties"] = joined + opened + first + last;
  }
  const evidence = hashOf("evidence of a replacement");
  await gasOf(campaigns.write.replace([1, 0, 270, 1, evidence], as("operator")));
  figures["replace a household"] = await gasOf(campaigns.write.replace([1, 0, 271, 1, evidence], as("operator")));
  const hashes = (claim: bigint) => [hashOf(`file ${claim}`), hashOf(`KPT credential ${claim}`)] as const;
  const claimAt = (group: 0n | 1n, position: number) => (1n << 64n) | (group << 63n) | (BigInt(position) << 32n) | 1n;
  const record = (claim: bigint) => gasOf(campaigns.write.record([claim, ...hashes(claim)], as("operator")));
  const order = (claim: bigint) => ({ claim, claimHash: hashes(claim)[0], credentialHash: hashes(claim)[1] });
  const many = (group: 0n | 1n, positions: number[]) =>
    gasOf(campaigns.write.recordMany([positions.map((position) => order(claimAt(group, position)))], as("operator")));
  await record(claimAt(0n, 0));
  figures["record a KPT claim, alone"] = await record(claimAt(0n, 1));
  figures["record a KPT claim, in a batch of 64"] = (await many(0n, batch(10, 64))) / 64;
  figures["record a KPT claim, in a batch of 250"] = (await many(1n, batch(10, 250))) / 250;
}
