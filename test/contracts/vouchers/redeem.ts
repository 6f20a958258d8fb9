import { expect } from "chai";
import { encodeAbiParameters, keccak256, pad, toHex } from "viem";
import {
  authorize,
  CARBON,
  Consent,
  connection,
  DAY,
  emits,
  evenLeaves,
  issueOne,
  loadScheme,
  now,
  orderOf,
  proofOf,
  Redeemed,
  Rule,
  redeemOne,
  registerAllocated,
  registerWhole,
  reverts,
  type Scheme,
} from "../scheme.ts";

const { networkHelpers } = connection;

describe("Vouchers: redeem", () => {
  let s: Scheme;
  let voucher: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
  });
  const operator = () => ({ account: s.operator.account });
  const redeem = (change = {}, by = s.operator) =>
    s.vouchers.write.redeem([orderOf(voucher, change)], { account: by.account });
  const breaks = (call: Promise<unknown>, rules: number, id = voucher) =>
    reverts(call, s.vouchers, "RedemptionRuleBroken", [id, rules]);

  it("distinguishes an unknown voucher from one that is not open", async () => {
    const certificate = await registerAllocated(s, evenLeaves(3));
    const { day } = await now();
    await s.vouchers.write.issueChunks([certificate, 0, 1, day, day, "B"], operator());
    const inBatch = 1n << 32n;
    const redeemId = (id: bigint) => s.vouchers.write.redeem([orderOf(id)], operator());
    await reverts(redeemId(99n), s.vouchers, "UnknownVoucher", [99n]);
    await reverts(redeemId(inBatch | 3n), s.vouchers, "UnknownVoucher", [inBatch | 3n]);
    await reverts(redeemId(inBatch | 2n), s.vouchers, "VoucherNotOpened", [inBatch | 2n]);
  });

  it("subtracts the amount from the balance and records the redemption with its deadline", async () => {
    const time = (await now()).time + 100n;
    await networkHelpers.time.setNextBlockTimestamp(time);
    const deadline = Number(time) + 336 * 3600;
    const id = (voucher << 32n) | 1n;
    const args = [id, 1, 1, 40n * CARBON, 60n * CARBON, deadline, Consent.None];
    await emits(redeem(), s.vouchers, "VoucherRedeemed", args);
    expect(await s.vouchers.read.redemptionOf([id])).to.deep.equal({
      supplier: 1,
      product: 1,
      amount: 40n * CARBON,
      deadline,
      status: Redeemed.Open,
      flagged: false,
      consent: Consent.None,
      expiryDay: (await s.vouchers.read.voucherOf([voucher])).expiryDay,
    });
    const record = await s.vouchers.read.voucherOf([voucher]);
    expect([record.remaining, record.redemptions]).to.deep.equal([60n * CARBON, 1]);
    expect(await redeemOne(s, voucher, { amount: 1n })).to.equal((voucher << 32n) | 2n);
  });

  it("lets a supplier redeem for itself, and nobody else", async () => {
    await redeem({}, s.supplier);
    await breaks(redeem({ supplier: 2 }, s.supplier), Rule.callerAuthorised);
    await breaks(redeem({}, s.stranger), Rule.callerAuthorised);
  });

  it("names the supplier's and the product's rules", async () => {
    await breaks(redeem({ supplier: 9 }), Rule.supplierExists);
    await breaks(redeem({ product: 9 }), Rule.productApproved);
    await breaks(redeem({ product: 2, amount: 61n * CARBON }), Rule.productLimit);
    await s.participants.write.setSupplierStatus([1, false, ""], { account: s.registrar.account });
    await s.participants.write.setProductStatus([1, 3], { account: s.registrar.account });
    await breaks(redeem(), Rule.supplierAuthorised | Rule.productApproved);
  });

  it("enforces the products that the certificate's plan lists", async () => {
    const plan = { planId: "P", implementer: 1, startDay: 1, endDay: 2, claimWindowHours: 1, reviewShare: 0 };
    const lists = {
      supplierMayIssue: false,
      unconsentedCap: 1_000_000,
      products: [2],
      trustedIssuers: [],
      terms: "{}",
    };
    await s.participants.write.registerPlan([{ ...plan, ...lists }], operator());
    const listed = await issueOne(s, { registration: { plan: 1 } });
    await breaks(s.vouchers.write.redeem([orderOf(listed)], operator()), Rule.productApproved, listed);
    await redeemOne(s, listed, { product: 2 });
  });

  it("names the balance's rules", async () => {
    await breaks(redeem({ amount: 0n }), Rule.amountPositive);
    await breaks(redeem({ amount: 100n * CARBON + 1n }), Rule.amountWithinBalance);
    await redeem({ amount: 100n * CARBON });
    await breaks(redeem({ amount: 1n }), Rule.voucherActive | Rule.amountWithinBalance);
  });

  it("names the dates' rules at the first and last second", async () => {
    const { day } = await now();
    voucher = await issueOne(s, { startDay: day + 2, expiryDay: day + 3 });
    await breaks(redeem(), Rule.voucherStarted);
    await networkHelpers.time.setNextBlockTimestamp(BigInt(day + 2) * DAY);
    await redeem({ amount: 1n });
    await networkHelpers.time.setNextBlockTimestamp(BigInt(day + 4) * DAY - 1n);
    await redeem({ amount: 1n });
    await networkHelpers.time.increaseTo(BigInt(day + 4) * DAY);
    await breaks(redeem(), Rule.voucherNotExpired);
  });

  it("is refused for a suspended voucher and for a halted certificate", async () => {
    await s.vouchers.write.suspend([voucher, ""], { account: s.evaluator.account });
    await breaks(redeem(), Rule.voucherActive);
    const other = await issueOne(s);
    const { certificate } = await s.vouchers.read.voucherOf([other]);
    const registrar = { account: s.registrar.account };
    await s.certificates.write.setCertificateStatus([certificate, 3, "audit"], registrar);
    expect(await s.vouchers.read.certificateHalted([certificate])).to.equal(true);
    await breaks(s.vouchers.write.redeem([orderOf(other)], operator()), Rule.voucherActive, other);
    await redeemOne(s, await issueOne(s));
    await s.certificates.write.setCertificateStatus([certificate, 2, "done"], registrar);
    await redeemOne(s, other);
  });

  it("reports to Participants while a certificate is halted, so that redemptions check certificates only then", async () => {
    const registrar = { account: s.registrar.account };
    const isTold = async () =>
      ((await s.participants.read.redemptionParties([1, 1, 0, s.operator.account.address])) >> 16n) & 1n;
    const certificates = [await registerWhole(s), await registerWhole(s)];
    for (const certificate of certificates) {
      await s.certificates.write.setCertificateStatus([certificate, 3, "audit"], registrar);
      expect(await isTold()).to.equal(1n);
    }
    const told = [];
    for (const certificate of certificates) {
      await s.certificates.write.setCertificateStatus([certificate, 2, "done"], registrar);
      told.push(await isTold());
    }
    expect(told).to.deep.equal([1n, 0n]);
  });

  it("names every broken rule together", async () => {
    const rules =
      Rule.supplierExists |
      Rule.productApproved |
      Rule.amountWithinBalance |
      Rule.householdAuthorised |
      Rule.callerAuthorised;
    await s.vouchers.write.setHouseholdAuthorizationRequired([true], { account: s.registrar.account });
    await breaks(redeem({ supplier: 7, product: 7, amount: 101n * CARBON }, s.stranger), rules);
  });

  it("requires the household's consent while the scheme does", async () => {
    await s.vouchers.write.setHouseholdAuthorizationRequired([true], { account: s.registrar.account });
    expect(await s.vouchers.read.householdAuthorizationRequired()).to.equal(true);
    await breaks(redeem(), Rule.householdAuthorised);
    const order = orderOf(voucher);
    await s.vouchers.write.redeemAuthorized([order, await authorize(s, order)], operator());
    const cease = s.vouchers.write.setHouseholdAuthorizationRequired([false], { account: s.council.account });
    await emits(cease, s.vouchers, "HouseholdAuthorizationRequired", [false]);
    await redeem();
  });

  it("lets only the registrar require consent and only the council end it", async () => {
    const set = (required: boolean, by: Scheme["operator"]) =>
      s.vouchers.write.setHouseholdAuthorizationRequired([required], { account: by.account });
    const account = (by: Scheme["operator"]) => by.account.address;
    await reverts(set(true, s.operator), s.participants, "MissingRole", [account(s.operator), 2n]);
    await reverts(set(false, s.registrar), s.participants, "MissingRole", [account(s.registrar), 0n]);
  });

  describe("with the household's authorisation", () => {
    it("redeems for any caller, once", async () => {
      const order = orderOf(voucher);
      const consent = await authorize(s, order, { nonce: 77n });
      const stranger = { account: s.stranger.account };
      const id = (voucher << 32n) | 1n;
      const call = s.vouchers.write.redeemAuthorized([order, consent], stranger);
      await emits(call, s.vouchers, "AuthorizationSettled", [1, 77n, id]);
      expect(await s.vouchers.read.authorizationUsed([1, 77n])).to.equal(id);
      const again = s.vouchers.write.redeemAuthorized([order, consent], stranger);
      await reverts(again, s.vouchers, "AuthorizationUsed", [1, 77n, id]);
    });

    it("refuses one that has expired, is by another household, or is for another order", async () => {
      const order = orderOf(voucher);
      const past = (await now()).time - 1n;
      const use = (consent: Awaited<ReturnType<typeof authorize>>, change = {}) =>
        s.vouchers.write.redeemAuthorized([{ ...order, ...change }, consent], operator());
      const expired = await authorize(s, order, { deadline: past });
      await reverts(use(expired), s.vouchers, "AuthorizationExpired", [past]);
      await breaks(use(await authorize(s, order, { signer: s.stranger })), Rule.householdAuthorised);
      await breaks(use(await authorize(s, order), { amount: 1n }), Rule.householdAuthorised);
    });

    it("refuses it for a household without an account", async () => {
      const other = await issueOne(s, { household: 2 });
      const order = orderOf(other);
      const call = s.vouchers.write.redeemAuthorized([order, await authorize(s, order)], operator());
      await breaks(call, Rule.householdAuthorised, other);
    });
  });

  describe("of a voucher of a batch", () => {
    const leaves = evenLeaves(3);
    const id = (1n << 32n) | 1n;
    beforeEach(async () => {
      const certificate = await registerAllocated(s, leaves);
      const { day } = await now();
      await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 9, "B"], operator());
    });
    const redeemOpening = (change = {}, { household = 2, value = 100n * CARBON, proof = proofOf(leaves, 1) } = {}) =>
      s.vouchers.write.redeemOpening([orderOf(id, change), household, value, proof], operator());

    it("opens it and redeems, in one call", async () => {
      const call = await redeemOpening();
      const receipt = await (await connection.viem.getPublicClient()).getTransactionReceipt({ hash: call });
      expect(receipt.logs.length, "the redemption's event includes the opening").to.equal(1);
      const { remaining, household, redemptions, status } = await s.vouchers.read.voucherOf([id]);
      expect([remaining, household, redemptions, status]).to.deep.equal([60n * CARBON, 2, 1, 1]);
    });

    it("redeems an open one and ignores the opening", async () => {
      await redeemOpening();
      await redeemOpening({}, { proof: [] });
      expect((await s.vouchers.read.voucherOf([id])).remaining).to.equal(20n * CARBON);
    });

    it("refuses an invalid opening", async () => {
      await reverts(redeemOpening({}, { household: 3 }), s.vouchers, "OpeningInvalid", [id]);
      await reverts(redeemOpening({}, { value: 101n * CARBON }), s.vouchers, "OpeningInvalid", [id]);
      await reverts(redeemOpening({}, { proof: [] }), s.vouchers, "OpeningInvalid", [id]);
      await reverts(redeemOpening({ voucher: 99n }), s.vouchers, "OpeningInvalid", [99n]);
    });

    it("names every broken rule and leaves it closed", async () => {
      const rules = Rule.amountWithinBalance | Rule.productApproved;
      await breaks(redeemOpening({ amount: 101n * CARBON, product: 9 }), rules, id);
      expect((await s.vouchers.read.voucherOf([id])).status).to.equal(0);
    });
  });

  it("cannot be opened by an operator whose role is revoked, and can by one that gets the role", async () => {
    const role = [3n, s.operator.account.address] as const;
    const council = { account: s.council.account };
    await s.participants.write.revokeRole([...role], council);
    await breaks(redeem(), Rule.callerAuthorised);
    await s.participants.write.grantRole([3n, s.stranger.account.address, 0], council);
    await redeem({ amount: 1n }, s.stranger);
    await breaks(redeem(), Rule.callerAuthorised);
  });

  it("keeps a redemption's number within its 24 bits", async () => {
    // The last redemption but one of 2^24 - 1, written straight into storage.
    const slot = keccak256(encodeAbiParameters([{ type: "uint64" }, { type: "uint256" }], [voucher, 1n]));
    const client = await connection.viem.getPublicClient();
    const word = BigInt((await client.getStorageAt({ address: s.vouchers.address, slot }))!);
    expect(word, "the vouchers' mapping has moved to another slot").to.not.equal(0n);
    await networkHelpers.setStorageAt(s.vouchers.address, slot, pad(toHex(word | ((2n ** 24n - 2n) << 208n))));
    await redeem({ amount: 1n });
    await breaks(redeem({ amount: 1n }), Rule.voucherActive);
  });

  it("proves openings of the largest chunk", async () => {
    const leaves = evenLeaves(256);
    const certificate = await registerAllocated(s, leaves);
    const { day } = await now();
    await s.vouchers.write.issueChunks([certificate, 0, 1, day, day, "B"], operator());
    const id = (1n << 32n) | 255n;
    const opening = { voucher: id, household: 256, value: 100n * CARBON, proof: proofOf(leaves, 255) };
    await s.vouchers.write.redeemMany([[opening], [orderOf(id)], []], operator());
    expect((await s.vouchers.read.voucherOf([id])).remaining).to.equal(60n * CARBON);
  });
});
