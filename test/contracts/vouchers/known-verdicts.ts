import { expect } from "chai";
import { CARBON, connection, issueOne, loadScheme, orderOf, Rule, redeemOne, reverts, type Scheme } from "../scheme.ts";
import { as, ProductStatus, planOf } from "../support/participants.ts";

const { viem } = connection;
type Wallet = Scheme["operator"];

/** The ledger caches the verdict of Participants on a supplier's last redemption without consent; every change must end it. */
describe("Vouchers: cached verdicts", () => {
  let s: Scheme;
  let voucher: bigint;
  let other: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
    other = await issueOne(s);
    await redeemOne(s, voucher, { amount: CARBON });
  });

  /** The rules that an order breaks, alone and as one of two in a batch: both must say the same. */
  async function rulesOf(id: bigint, change = {}, by: Wallet = s.operator): Promise<number> {
    const order = orderOf(id, { amount: CARBON, ...change });
    const account = by.account.address;
    const { result } = await s.vouchers.simulate.redeemMany([[], [orderOf(other, { amount: 1n }), order], []], {
      account,
    });
    const alone = s.vouchers.simulate.redeem([order], { account });
    if (result[1] === 0) await alone;
    else await reverts(alone, s.vouchers, "RedemptionRuleBroken", [id, result[1]]);
    return result[1]!;
  }

  it("end with a supplier's suspension, and are valid again after it", async () => {
    expect(await rulesOf(voucher)).to.equal(0);
    await s.participants.write.setSupplierStatus([1, false, ""], as(s.registrar));
    expect(await rulesOf(voucher)).to.equal(Rule.supplierAuthorised);
    await s.participants.write.setSupplierStatus([1, true, ""], as(s.registrar));
    expect(await rulesOf(voucher)).to.equal(0);
  });

  it("end with a product's withdrawal", async () => {
    await s.participants.write.setProductStatus([1, ProductStatus.Withdrawn], as(s.registrar));
    expect(await rulesOf(voucher)).to.equal(Rule.productApproved);
  });

  it("end with a change of the plan's cap, down and up", async () => {
    await s.participants.write.setUnconsentedCap([0, 2], as(s.guardian));
    expect(await rulesOf(voucher, { amount: 3n * CARBON })).to.equal(Rule.unconsentedWithinCap);
    await s.participants.write.setUnconsentedCap([0, 1_000], as(s.council));
    expect(await rulesOf(voucher, { amount: 3n * CARBON })).to.equal(0);
  });

  it("end for a separate plan as for the default plan", async () => {
    await s.participants.write.registerPlan([planOf({ unconsentedCap: 30, products: [1] })], as(s.operator));
    const planned = await issueOne(s, { registration: { plan: 1 } });
    await redeemOne(s, planned, { amount: CARBON });
    expect(await rulesOf(planned, { amount: 28n * CARBON })).to.equal(0);
    expect(await rulesOf(planned, { product: 2 })).to.equal(Rule.productApproved);
    // Another voucher has used the same supplier's day under the default plan.
    expect(await rulesOf(voucher, { product: 2 })).to.equal(0);
    await s.participants.write.setUnconsentedCap([1, 2], as(s.guardian));
    expect(await rulesOf(planned, { amount: 3n * CARBON })).to.equal(Rule.unconsentedWithinCap);
  });

  it("keep every limit: of the product redeemed before, and of another", async () => {
    expect(await rulesOf(voucher, { product: 2, amount: 61n * CARBON })).to.equal(Rule.productLimit);
    await redeemOne(s, voucher, { product: 2, amount: CARBON });
    expect(await rulesOf(voucher, { product: 2, amount: 61n * CARBON })).to.equal(Rule.productLimit);
    expect(await rulesOf(voucher, { product: 1, amount: 61n * CARBON })).to.equal(0);
    expect(await rulesOf(voucher, { product: 9 })).to.equal(Rule.productApproved);
  });

  it("exclude what Participants decides for all redemptions: consent and halted certificates", async () => {
    const { certificate } = await s.vouchers.read.voucherOf([voucher]);
    await s.certificates.write.setCertificateStatus([certificate, 3, "audit"], as(s.registrar));
    expect(await rulesOf(voucher)).to.equal(Rule.voucherActive);
    await s.certificates.write.setCertificateStatus([certificate, 2, "done"], as(s.registrar));
    await s.vouchers.write.setHouseholdAuthorizationRequired([true], as(s.registrar));
    expect(await rulesOf(voucher)).to.equal(Rule.householdAuthorised);
  });

  it("do not permit: a supplier's account redeems only for itself, and an operator only while it has the role", async () => {
    await redeemOne(s, other, { supplier: 2, amount: CARBON });
    expect(await rulesOf(voucher, {}, s.supplier)).to.equal(0);
    expect(await rulesOf(voucher, { supplier: 2 }, s.supplier)).to.equal(Rule.callerAuthorised);
    expect(await rulesOf(voucher, {}, s.stranger)).to.equal(Rule.callerAuthorised);
    await s.participants.write.revokeRole([3n, s.operator.account.address], as(s.council));
    expect(await rulesOf(voucher)).to.equal(Rule.callerAuthorised);
  });

  it("are kept for each supplier", async () => {
    await redeemOne(s, other, { supplier: 2, amount: CARBON });
    await s.participants.write.setSupplierStatus([2, false, ""], as(s.registrar));
    expect(await rulesOf(voucher, { supplier: 2 })).to.equal(Rule.supplierAuthorised);
    expect(await rulesOf(voucher)).to.equal(0);
  });

  it("are requested once in a batch: only the terms for cached ones, the whole verdict for others", async () => {
    const client = await viem.getPublicClient();
    const questionsIn = async (amounts: bigint[], by: Wallet, supplier: number) => {
      const orders = amounts.map((amount) => orderOf(voucher, { amount, supplier }));
      const hash = await s.vouchers.write.redeemMany([[], orders, []], as(by));
      const { structLogs } = (await client.request({
        method: "debug_traceTransaction" as never,
        params: [hash, { disableStorage: true }] as never,
      })) as { structLogs: { op: string }[] };
      return structLogs.filter(({ op }) => op === "STATICCALL").length;
    };
    const [known, unknown, ofItsOwn] = [1, 2, 1];
    expect(await questionsIn([1n, 1n, 1n], s.operator, known)).to.equal(1);
    // Orders for 0 are refused, and cache nothing.
    expect(await questionsIn([0n, 0n, 0n], s.operator, unknown)).to.equal(1);
    expect(await questionsIn([1n, 1n, 1n], s.operator, unknown)).to.equal(2);
    // The terms, which say that a supplier's account is not an operator, and the verdict.
    expect(await questionsIn([1n, 1n, 1n], s.supplier, ofItsOwn)).to.equal(2);
  });

  it("save the next redemption the check of supplier, product and plan", async () => {
    const gasOf = async (id: bigint) => {
      const hash = await s.vouchers.write.redeem([orderOf(id, { amount: CARBON })], as(s.operator));
      return Number((await (await viem.getPublicClient()).waitForTransactionReceipt({ hash })).gasUsed);
    };
    const known = await gasOf(voucher);
    await s.participants.write.setSupplierStatus([2, false, ""], as(s.registrar));
    const unknown = await gasOf(voucher);
    // Two slots that nothing else in the transaction reads, at 2 100 each.
    expect(unknown - known).to.be.greaterThan(4_200);
    expect(Math.abs((await gasOf(voucher)) - known)).to.be.lessThan(100);
  });
});
