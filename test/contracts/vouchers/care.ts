import { expect } from "chai";
import {
  CARBON,
  connection,
  DAY,
  emits,
  issueOne,
  loadScheme,
  redeemOne,
  reverts,
  type Scheme,
  Status,
} from "../scheme.ts";

const { networkHelpers } = connection;

describe("Vouchers: care of vouchers", () => {
  let s: Scheme;
  let voucher: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
  });
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const suspend = (by = s.evaluator) => s.vouchers.write.suspend([voucher, "lost"], as(by));
  const reactivate = (by = s.evaluator) => s.vouchers.write.reactivate([voucher, "found"], as(by));
  const cancel = (by = s.operator) => s.vouchers.write.cancel([voucher, "moved"], as(by));
  const sweep = () => s.vouchers.write.sweep([voucher], as(s.stranger));
  const reissue = (by = s.operator, start = 20_000, end = 30_000) =>
    s.vouchers.write.reissue([voucher, start, end, "B2"], as(by));
  const notAllowed = (call: Promise<unknown>, status: number) =>
    reverts(call, s.vouchers, "VoucherStatusNotAllowed", [voucher, status]);
  const expire = async () => {
    const { expiryDay } = await s.vouchers.read.voucherOf([voucher]);
    await networkHelpers.time.increaseTo(BigInt(expiryDay + 1) * DAY);
    return expiryDay;
  };
  const record = () => s.vouchers.read.voucherOf([voucher]);
  const issuedOf = async () => (await s.certificates.read.certificateOf([(await record()).certificate])).issued;

  it("refuses an unknown voucher", async () => {
    voucher = 99n;
    for (const call of [suspend, reactivate, cancel, reissue, sweep]) {
      await reverts(call(), s.vouchers, "UnknownVoucher", [99n]);
    }
  });

  it("suspends and reactivates for registrar and evaluator alone", async () => {
    for (const call of [suspend, reactivate]) {
      await reverts(call(s.operator), s.vouchers, "NotPermitted", [s.operator.account.address]);
    }
    await emits(suspend(s.registrar), s.vouchers, "VoucherSuspended", [voucher, "lost"]);
    expect((await record()).status).to.equal(Status.Suspended);
    await notAllowed(suspend(), Status.Suspended);
    await emits(reactivate(), s.vouchers, "VoucherReactivated", [voucher, "found"]);
    expect((await record()).status).to.equal(Status.Active);
    await notAllowed(reactivate(), Status.Active);
  });

  it("takes no role with an execution delay for a role", async () => {
    await s.participants.write.grantRole([4n, s.stranger.account.address, 60]);
    await reverts(suspend(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
  });

  it("neither suspends, reactivates nor cancels what has expired", async () => {
    const other = voucher;
    voucher = await issueOne(s);
    await suspend();
    const expiryDay = await expire();
    await reverts(reactivate(), s.vouchers, "VoucherExpired", [voucher, expiryDay]);
    await reverts(cancel(), s.vouchers, "VoucherExpired", [voucher, expiryDay]);
    voucher = other;
    await reverts(suspend(), s.vouchers, "VoucherExpired", [voucher, expiryDay]);
  });

  it("neither suspends nor cancels what is exhausted", async () => {
    await redeemOne(s, voucher, { amount: 100n * CARBON });
    await reverts(suspend(), s.vouchers, "VoucherExhausted", [voucher]);
    await reverts(cancel(), s.vouchers, "VoucherExhausted", [voucher]);
  });

  it("cancels for operator and implementer: burns the rest and returns it to the certificate", async () => {
    await redeemOne(s, voucher);
    await reverts(cancel(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
    await emits(cancel(s.implementer), s.vouchers, "VoucherCancelled", [voucher, 60n * CARBON, "moved"]);
    expect((await record()).status).to.equal(Status.Cancelled);
    expect((await record()).remaining).to.equal(60n * CARBON);
    expect(await issuedOf()).to.equal(40n * CARBON);
    expect(await s.carbon.read.totalSupply()).to.equal(40n * CARBON);
    expect(await s.vouchers.read.escrowed()).to.equal(40n * CARBON);
    for (const call of [suspend, cancel, sweep]) await notAllowed(call(), Status.Cancelled);
    await notAllowed(reactivate(), Status.Cancelled);
  });

  it("cancels a suspended voucher", async () => {
    await suspend();
    await cancel();
    expect(await s.carbon.read.totalSupply()).to.equal(0n);
  });

  it("reissues exactly the rest, once, to the same household", async () => {
    await notAllowed(reissue(), Status.Active);
    await redeemOne(s, voucher);
    await cancel();
    await reverts(reissue(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
    await reverts(reissue(s.operator, 9, 8), s.vouchers, "DatesNotOrdered", [9, 8]);
    const { certificate } = await record();
    const args = [2n, certificate, 1, 60n * CARBON, 20_000, 30_000, "B2", voucher];
    await emits(reissue(s.implementer), s.vouchers, "VoucherIssued", args);
    expect((await record()).status).to.equal(Status.Reissued);
    expect(await s.vouchers.read.voucherOf([2n])).to.deep.equal({
      remaining: 60n * CARBON,
      startDay: 20_000,
      expiryDay: 30_000,
      certificate,
      household: 1,
      plan: 0,
      redemptions: 0,
      claimWindowHours: 336,
      status: Status.Active,
    });
    expect(await issuedOf()).to.equal(100n * CARBON);
    expect(await s.vouchers.read.escrowed()).to.equal(100n * CARBON);
    await notAllowed(reissue(), Status.Reissued);
    await notAllowed(cancel(), Status.Reissued);
  });

  it("reissues nothing while the certificate is not valid", async () => {
    await cancel();
    const { certificate } = await record();
    await s.certificates.write.setCertificateStatus([certificate, 3, ""], as(s.registrar));
    await reverts(reissue(), s.certificates, "CertificateNotValid", [certificate, 3]);
  });

  it("sweeps what has expired to the pool's reserve, for anyone", async () => {
    const { expiryDay } = await record();
    await networkHelpers.time.setNextBlockTimestamp(BigInt(expiryDay + 1) * DAY - 1n);
    await reverts(sweep(), s.vouchers, "VoucherNotExpired", [voucher, expiryDay]);
    await expire();
    await emits(sweep(), s.vouchers, "VoucherSwept", [voucher, 100n * CARBON]);
    expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(100n * CARBON);
    expect(await s.vouchers.read.escrowed()).to.equal(0n);
    expect((await record()).remaining).to.equal(0n);
    await notAllowed(sweep(), Status.Swept);
  });

  it("sweeps a suspended voucher too, and no exhausted one", async () => {
    const exhausted = await issueOne(s);
    await redeemOne(s, exhausted, { amount: 100n * CARBON });
    await suspend();
    await expire();
    await sweep();
    voucher = exhausted;
    await reverts(sweep(), s.vouchers, "VoucherExhausted", [voucher]);
  });

  it("lets only the certificates contract halt a certificate, and counts a halt once", async () => {
    const call = s.vouchers.write.setCertificateHalted([1, true], as(s.council));
    await reverts(call, s.vouchers, "OnlyCertificates", [s.council.account.address]);
    const { certificate } = await record();
    const set = (status: number) =>
      s.certificates.write.setCertificateStatus([certificate, status, ""], as(s.registrar));
    await emits(set(3), s.vouchers, "CertificateHalted", [certificate, true]);
    await emits(set(4), s.vouchers, "CertificateHalted", [certificate, true]);
    // Were the second halt counted, it could never be undone; a revoked certificate halts only itself.
    await redeemOne(s, await issueOne(s));
  });
});
