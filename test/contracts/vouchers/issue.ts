import { expect } from "chai";
import { encodeFunctionData } from "viem";
import {
  CARBON,
  connection,
  emits,
  evenLeaves,
  issueOne,
  loadScheme,
  now,
  proofOf,
  Role,
  registerAllocated,
  registerWhole,
  reverts,
  type Scheme,
  Status,
} from "../scheme.ts";
import { itReal } from "../support/real-code.ts";

const { viem } = connection;

/** An issue order for household 1 that passes against an unallocated certificate of 100 CARBON. */
async function order(certificate: number, change: Record<string, unknown> = {}) {
  const { day } = await now();
  const dates = { startDay: day, expiryDay: day + 30 };
  return { certificate, leaf: 0, household: 1, value: 100n * CARBON, ...dates, batchId: "B", proof: [], ...change };
}

describe("Vouchers: issue", () => {
  let s: Scheme;
  beforeEach(async () => {
    s = await loadScheme();
  });
  const operator = () => ({ account: s.operator.account });
  const caller = () => ({ account: s.operator.account.address });

  it("refuses anyone but an operator", async () => {
    const stranger = { account: s.stranger.account };
    const missing = [s.stranger.account.address, Role.operator];
    const one = await order(await registerWhole(s));
    await reverts(s.vouchers.write.issue([one], stranger), s.participants, "MissingRole", missing);
    await reverts(s.vouchers.write.issueMany([[one]], stranger), s.participants, "MissingRole", missing);
    const chunks = s.vouchers.write.issueChunks([1, 0, 1, 1, 2, "B"], stranger);
    await reverts(chunks, s.participants, "MissingRole", missing);
  });

  it("refuses dates that are not ordered", async () => {
    const bad = await order(await registerWhole(s), { startDay: 20_001, expiryDay: 20_000 });
    await reverts(s.vouchers.write.issue([bad], operator()), s.vouchers, "DatesNotOrdered", [20_001, 20_000]);
    const chunks = s.vouchers.write.issueChunks([1, 0, 1, 20_001, 20_000, "B"], operator());
    await reverts(chunks, s.vouchers, "DatesNotOrdered", [20_001, 20_000]);
  });

  it("opens a voucher of the whole reduction, mints its value and emits both", async () => {
    const certificate = await registerWhole(s);
    const one = await order(certificate);
    await emits(s.vouchers.write.issue([one], operator()), s.vouchers, "VoucherIssued", [
      1n,
      certificate,
      1,
      100n * CARBON,
      one.startDay,
      one.expiryDay,
      "B",
      0n,
    ]);
    expect(await s.vouchers.read.voucherOf([1n])).to.deep.equal({
      remaining: 100n * CARBON,
      startDay: one.startDay,
      expiryDay: one.expiryDay,
      certificate,
      household: 1,
      plan: 0,
      redemptions: 0,
      claimWindowHours: 336,
      status: Status.Active,
    });
    expect(await s.vouchers.read.escrowed()).to.equal(100n * CARBON);
    expect(await s.carbon.read.balanceOf([s.vouchers.address])).to.equal(100n * CARBON);
  });

  it("keeps the claim window of the certificate's plan", async () => {
    const plan = {
      planId: "P",
      implementer: 1,
      startDay: 1,
      endDay: 2,
      claimWindowHours: 24,
      reviewShare: 0,
      supplierMayIssue: false,
      unconsentedCap: 1_000_000,
      products: [],
      trustedIssuers: [],
      terms: "{}",
    };
    await s.participants.write.registerPlan([plan], operator());
    const voucher = await issueOne(s, { registration: { plan: 1 } });
    const record = await s.vouchers.read.voucherOf([voucher]);
    expect([record.plan, record.claimWindowHours]).to.deep.equal([1, 24]);
  });

  it("reverts with the certificate's error for a value that is not the reduction", async () => {
    const certificate = await registerWhole(s);
    const call = s.vouchers.write.issue([await order(certificate, { value: 99n * CARBON })], operator());
    const args = [certificate, 99n * CARBON, 100n * CARBON];
    await reverts(call, s.certificates, "AllocationSumMismatch", args);
  });

  it("issues a leaf of an allocation only with its proof", async () => {
    const leaves = evenLeaves(5);
    const certificate = await registerAllocated(s, leaves);
    const good = { leaf: 4, household: 5, proof: proofOf(leaves, 4) };
    const wrong = s.vouchers.write.issue([await order(certificate, { ...good, household: 4 })], operator());
    await reverts(wrong, s.certificates, "ProofInvalid", [certificate, 4]);
    await s.vouchers.write.issue([await order(certificate, good)], operator());
    expect((await s.vouchers.read.voucherOf([1n])).household).to.equal(5);
    const again = s.vouchers.write.issue([await order(certificate, good)], operator());
    await reverts(again, s.certificates, "LeafAlreadyIssued", [certificate, 4]);
  });

  it("issues many with ascending ids, or none", async () => {
    const orders = [await order(await registerWhole(s)), await order(await registerWhole(s))];
    const { result } = await s.vouchers.simulate.issueMany([orders], caller());
    expect(result).to.deep.equal([1n, 2n]);
    await s.vouchers.write.issueMany([orders], operator());
    expect(await s.vouchers.read.escrowed()).to.equal(200n * CARBON);
    const spoiled = [await order(await registerWhole(s)), orders[0]!];
    const call = s.vouchers.write.issueMany([spoiled], operator());
    await reverts(call, s.certificates, "LeafAlreadyIssued", [orders[0]!.certificate, 0]);
    expect(await s.vouchers.read.escrowed()).to.equal(200n * CARBON);
  });

  it("issues whole chunks as batches and skips those issued before", async () => {
    const leaves = evenLeaves(300);
    const certificate = await registerAllocated(s, leaves);
    const { day } = await now();
    const call = s.vouchers.write.issueChunks([certificate, 1, 1, day, day + 9, "B-7"], operator());
    await emits(call, s.vouchers, "BatchIssued", [1, certificate, 1, 44, 4400n * CARBON, day, day + 9, "B-7"]);
    expect(await s.vouchers.read.batchOf([1])).to.deep.equal({
      certificate,
      plan: 0,
      chunk: 1,
      startDay: day,
      expiryDay: day + 9,
      count: 44,
      claimWindowHours: 336,
      root: await s.certificates.read.chunkRoot([certificate, 1]),
    });
    const rest = [certificate, 0, 2, day, day + 9, "B-7"] as const;
    expect((await s.vouchers.simulate.issueChunks([...rest], caller())).result).to.equal(256);
    await s.vouchers.write.issueChunks([...rest], operator());
    expect((await s.vouchers.simulate.issueChunks([...rest], caller())).result).to.equal(0);
    await s.vouchers.write.issueChunks([...rest], operator());
    expect(await s.vouchers.read.batchCount()).to.equal(2);
    expect(await s.vouchers.read.escrowed()).to.equal(30_000n * CARBON);
  });

  describe("open", () => {
    const leaves = evenLeaves(5);
    const id = (position: number) => (1n << 32n) | BigInt(position);
    const opening = (position: number) => ({
      voucher: id(position),
      household: position + 1,
      value: 100n * CARBON,
      proof: proofOf(leaves, position),
    });
    beforeEach(async () => {
      const { day } = await now();
      const certificate = await registerAllocated(s, leaves);
      await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 9, "B"], operator());
    });

    it("stores each voucher of a batch from its proof, for any caller", async () => {
      for (const position of [0, 1, 2, 3, 4]) {
        const call = s.vouchers.write.open([opening(position)], { account: s.stranger.account });
        await emits(call, s.vouchers, "VoucherOpened", [id(position), position + 1, 100n * CARBON]);
        const voucher = await s.vouchers.read.voucherOf([id(position)]);
        expect([voucher.household, voucher.remaining, voucher.status]).to.deep.equal([
          position + 1,
          100n * CARBON,
          Status.Active,
        ]);
      }
    });

    it("refuses a household, value, proof or position that differs from the leaf", async () => {
      const good = opening(1);
      const bad = [
        { ...good, household: 3 },
        { ...good, value: good.value + 1n },
        { ...good, proof: good.proof.slice(1) },
        { ...good, proof: proofOf(leaves, 2) },
        { ...good, voucher: id(0) },
        { ...good, voucher: id(5) },
        { ...good, voucher: (2n << 32n) | 1n },
        { ...good, voucher: 1n },
      ];
      for (const one of bad) {
        await reverts(s.vouchers.write.open([one]), s.vouchers, "OpeningInvalid", [one.voucher]);
      }
    });

    it("refuses to open twice", async () => {
      await s.vouchers.write.open([opening(2)]);
      const again = s.vouchers.write.open([opening(2)]);
      await reverts(again, s.vouchers, "VoucherStatusNotAllowed", [id(2), Status.Active]);
    });

    it("opens and suspends in one transaction", async () => {
      const calls = [
        encodeFunctionData({ abi: s.vouchers.abi, functionName: "open", args: [opening(3)] }),
        encodeFunctionData({ abi: s.vouchers.abi, functionName: "suspend", args: [id(3), "lost"] }),
      ];
      await s.vouchers.write.multicall([calls], { account: s.evaluator.account });
      expect((await s.vouchers.read.voucherOf([id(3)])).status).to.equal(Status.Suspended);
    });
  });

  itReal("fits the size limit of a contract", async () => {
    const client = await viem.getPublicClient();
    const code = await client.getCode({ address: s.vouchers.address });
    expect(code!.length / 2 - 1).to.be.at.most(24_576);
  });
});
