import { expect } from "chai";
import {
  CARBON,
  connection,
  DAY,
  emits,
  issueOne,
  loadScheme,
  now,
  Redeemed,
  Refund,
  redeemOne,
  reverts,
  type Scheme,
  Status,
} from "../scheme.ts";

const { networkHelpers } = connection;

describe("Vouchers: lifecycle of redemptions", () => {
  let s: Scheme;
  let voucher: bigint;
  let redemption: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    // At noon, so that a test's calls are on one day unless it moves the time.
    await networkHelpers.time.increaseTo(BigInt((await now()).day + 1) * DAY + DAY / 2n);
    voucher = await issueOne(s);
    redemption = await redeemOne(s, voucher);
  });
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const reverse = (by = s.operator) => s.vouchers.write.reverse([redemption, "wrong size"], as(by));
  const lapse = () => s.vouchers.write.lapse([redemption], as(s.stranger));
  const flag = (by = s.evaluator) => s.vouchers.write.flagRedemption([redemption, "odd"], as(by));
  const record = () => s.vouchers.read.redemptionOf([redemption]);
  const remaining = async () => (await s.vouchers.read.voucherOf([voucher])).remaining;
  const notAllowed = (call: Promise<unknown>, status: number) =>
    reverts(call, s.vouchers, "RedemptionStatusNotAllowed", [redemption, status]);
  const passDeadline = async (more = 0n) => {
    const { deadline } = await record();
    await networkHelpers.time.increaseTo(BigInt(deadline) + 1n + more);
  };
  const expireVoucher = async () => {
    const { expiryDay } = await s.vouchers.read.voucherOf([voucher]);
    await networkHelpers.time.increaseTo(BigInt(expiryDay + 1) * DAY);
  };
  const expiryOf = async () => (await s.vouchers.read.voucherOf([voucher])).expiryDay;
  /** `later`: days by which the voucher's last day moves. */
  const refunded = async (call: () => Promise<unknown>, refund: number, left: bigint, later = 0) => {
    const args = [redemption, 40n * CARBON, refund, left, (await expiryOf()) + later];
    await emits(call(), s.vouchers, "RedemptionRefunded", args);
  };

  /** The claims contract's account, to call what only it may. */
  async function claimsAccount() {
    await networkHelpers.impersonateAccount(s.claims.address);
    await networkHelpers.setBalance(s.claims.address, 10n ** 18n);
    return { account: s.claims.address };
  }
  const setStatus = async (status: number) =>
    s.vouchers.write.setRedemptionStatus([redemption, status], await claimsAccount());
  const settle = async (to = s.stranger.account.address) =>
    s.vouchers.write.settle([redemption, to, 0n], await claimsAccount());

  it("refuses an unknown redemption", async () => {
    redemption = 77n;
    const error = [s.vouchers, "UnknownRedemption", [77n]] as const;
    for (const call of [reverse, lapse, flag, () => settle(), () => setStatus(Redeemed.UnderReview)]) {
      await reverts(call(), ...error);
    }
  });

  it("reverses for the supplier and the operator: the amount returns to the voucher", async () => {
    await reverts(reverse(s.otherSupplier), s.vouchers, "NotPermitted", [s.otherSupplier.account.address]);
    await emits(reverse(s.supplier), s.vouchers, "RedemptionReversed", [redemption, 40n * CARBON, "wrong size"]);
    expect((await record()).status).to.equal(Redeemed.Reversed);
    expect(await remaining()).to.equal(100n * CARBON);
    await notAllowed(reverse(), Redeemed.Reversed);
    await notAllowed(lapse(), Redeemed.Reversed);
    await notAllowed(flag(), Redeemed.Reversed);
    redemption = await redeemOne(s, voucher);
    await refunded(reverse, Refund.Voucher, 100n * CARBON);
  });

  it("reverses for an operator only as much in a day as it may cancel, and for the supplier without limit", async () => {
    await s.vouchers.write.setLifecycleCap([50n * CARBON], as(s.council));
    const second = await redeemOne(s, voucher);
    await reverse();
    expect(await s.vouchers.read.lifecycleLeft([s.vouchers.address])).to.equal(10n * CARBON);
    expect(await s.vouchers.read.lifecycleLeft([s.operator.account.address])).to.equal(50n * CARBON);
    redemption = second;
    await s.pool.write.pause(as(s.guardian));
    await reverts(reverse(), s.vouchers, "LifecyclePaused", []);
    await s.pool.write.unpause(as(s.council));
    await s.vouchers.write.lowerLifecycleCap([0n], as(s.guardian));
    await reverts(reverse(), s.vouchers, "LifecycleCapExceeded", [0n, 40n * CARBON]);
    await reverse(s.supplier);
    expect(await remaining()).to.equal(100n * CARBON);
  });

  it("makes an exhausted voucher spendable again", async () => {
    redemption = await redeemOne(s, voucher, { amount: 60n * CARBON });
    expect(await remaining()).to.equal(0n);
    await reverse();
    await redeemOne(s, voucher, { amount: 60n * CARBON });
  });

  it("lapses after its deadline, not at it, for any caller", async () => {
    const { deadline } = await record();
    await networkHelpers.time.setNextBlockTimestamp(BigInt(deadline));
    await reverts(lapse(), s.vouchers, "ClaimDeadlineNotPassed", [redemption, deadline]);
    await passDeadline();
    await emits(lapse(), s.vouchers, "RedemptionLapsed", [redemption, 40n * CARBON]);
    expect((await record()).status).to.equal(Redeemed.Lapsed);
    expect(await remaining()).to.equal(100n * CARBON);
    await notAllowed(lapse(), Redeemed.Lapsed);
  });

  it("lapses under review only 30 days later", async () => {
    const { deadline } = await record();
    await setStatus(Redeemed.UnderReview);
    await passDeadline();
    await reverts(lapse(), s.vouchers, "ClaimDeadlineNotPassed", [redemption, deadline + 30 * 86_400]);
    await notAllowed(reverse(), Redeemed.UnderReview);
    await passDeadline(30n * DAY);
    await emits(lapse(), s.vouchers, "RedemptionLapsed", [redemption, 40n * CARBON]);
  });

  it("lapses later by the time in which nothing could be claimed, and can be claimed until then", async () => {
    const cap = await s.claims.read.operatorCap();
    const { deadline } = await record();
    const from = deadline - 7_200;
    await networkHelpers.time.setNextBlockTimestamp(from);
    await s.claims.write.lowerOperatorCap([0n], as(s.guardian));
    await networkHelpers.time.setNextBlockTimestamp(from + 3_600 * 10);
    await reverts(lapse(), s.vouchers, "ClaimDeadlineNotPassed", [redemption, deadline + 3_600 * 10]);
    await networkHelpers.time.setNextBlockTimestamp(from + 3_600 * 20);
    await s.claims.write.setOperatorCap([cap], as(s.council));
    const end = deadline + 3_600 * 20;
    await networkHelpers.time.setNextBlockTimestamp(end - 1);
    await reverts(lapse(), s.vouchers, "ClaimDeadlineNotPassed", [redemption, end]);
    await networkHelpers.time.setNextBlockTimestamp(end);
    await s.claims.write.claim([redemption, `0x${"c1".repeat(32)}`], as(s.operator));
    expect((await record()).status).to.equal(Redeemed.Settled);
  });

  it("keeps its deadline regardless of stoppages before it", async () => {
    const cap = await s.claims.read.operatorCap();
    await s.claims.write.lowerOperatorCap([0n], as(s.guardian));
    await networkHelpers.time.increase(DAY);
    await s.claims.write.setOperatorCap([cap], as(s.council));
    redemption = await redeemOne(s, voucher, { amount: CARBON });
    await passDeadline();
    await lapse();
  });

  it("lapses after a rejection at the redemption's own deadline", async () => {
    const { deadline } = await record();
    await setStatus(Redeemed.UnderReview);
    await setStatus(Redeemed.Rejected);
    await reverts(lapse(), s.vouchers, "ClaimDeadlineNotPassed", [redemption, deadline]);
    await passDeadline();
    await lapse();
    expect((await record()).deadline).to.equal(deadline);
  });

  describe("refunds", () => {
    it("to a suspended voucher that has not expired", async () => {
      await s.vouchers.write.suspend([voucher, ""], as(s.evaluator));
      await refunded(reverse, Refund.Voucher, 100n * CARBON);
    });

    it("to the certificate, and to what can be reissued, when the voucher is cancelled", async () => {
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      await refunded(reverse, Refund.Certificate, 100n * CARBON);
      expect(await s.carbon.read.totalSupply()).to.equal(0n);
      expect(await s.vouchers.read.escrowed()).to.equal(0n);
      const { certificate } = await s.vouchers.read.voucherOf([voucher]);
      expect((await s.certificates.read.certificateOf([certificate])).issued).to.equal(0n);
      await s.vouchers.write.reissue([voucher, 1, 30_000, "B"], as(s.operator));
      expect((await s.vouchers.read.voucherOf([2n])).remaining).to.equal(100n * CARBON);
    });

    it("to a reissued voucher, which is active again in addition to its replacement", async () => {
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      await s.vouchers.write.reissue([voucher, 1, 30_000, "B"], as(s.operator));
      await refunded(reverse, Refund.Voucher, 40n * CARBON);
      expect((await s.vouchers.read.voucherOf([voucher])).status).to.equal(Status.Active);
      expect((await s.vouchers.read.voucherOf([2n])).remaining).to.equal(60n * CARBON);
      await redeemOne(s, voucher);
    });

    it("to an expired voucher, which is valid again for as long as when it was redeemed", async () => {
      const { deadline, expiryDay } = await record();
      await expireVoucher();
      const redeemedOn = (BigInt(deadline) - 336n * 3600n) / DAY;
      await refunded(lapse, Refund.Voucher, 100n * CARBON, (await now()).day - Number(redeemedOn));
      expect(await expiryOf()).to.be.greaterThan(expiryDay + 30);
      await redeemOne(s, voucher, { amount: 100n * CARBON });
    });

    it("to a swept voucher, which is active again with that amount", async () => {
      await expireVoucher();
      await s.vouchers.write.sweep([voucher]);
      await lapse();
      const { status, remaining: left } = await s.vouchers.read.voucherOf([voucher]);
      expect([status, left]).to.deep.equal([Status.Active, 40n * CARBON]);
      expect(await s.vouchers.read.escrowed()).to.equal(40n * CARBON);
      expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(60n * CARBON);
      await redeemOne(s, voucher);
    });

    it("adds the lost time once, however many redemptions lapse together", async () => {
      const first = redemption;
      redemption = await redeemOne(s, voucher);
      await passDeadline();
      const before = await expiryOf();
      await lapse();
      const once = await expiryOf();
      expect(once).to.equal(before + 14);
      redemption = first;
      await lapse();
      expect(await expiryOf()).to.equal(once);
    });

    it("adds no day for a redemption that is reversed on its day, however often", async () => {
      const before = await expiryOf();
      for (let i = 0; i < 10; i++) {
        await reverse(s.supplier);
        redemption = await redeemOne(s, voucher);
      }
      expect(await expiryOf()).to.equal(before);
    });

    it("adds the midnights that have passed, and none yet in the last second of a day", async () => {
      const before = await expiryOf();
      const midnight = BigInt((await now()).day + 1) * DAY;
      await networkHelpers.time.setNextBlockTimestamp(midnight - 1n);
      await reverse(s.supplier);
      expect(await expiryOf()).to.equal(before);
      redemption = await redeemOne(s, voucher);
      await networkHelpers.time.increaseTo(midnight + 3n * DAY);
      await reverse(s.supplier);
      expect(await expiryOf()).to.equal(before + 3);
    });

    it("counts the days of a suspension once, also when the amount comes back during it", async () => {
      const before = await expiryOf();
      await networkHelpers.time.increase(2n * DAY);
      await s.vouchers.write.suspend([voucher, ""], as(s.evaluator));
      await networkHelpers.time.increase(3n * DAY);
      await refunded(reverse, Refund.Voucher, 100n * CARBON, 2);
      await networkHelpers.time.increase(4n * DAY);
      await s.vouchers.write.reactivate([voucher, ""], as(s.evaluator));
      expect(await expiryOf()).to.equal(before + 9);
    });

    it("counts the days since a cancellation once, also when the amount comes back after it", async () => {
      const before = await expiryOf();
      await networkHelpers.time.increase(2n * DAY);
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      await networkHelpers.time.increase(3n * DAY);
      await refunded(reverse, Refund.Certificate, 100n * CARBON, 2);
      await networkHelpers.time.increase(4n * DAY);
      expect(await s.vouchers.read.reissueExpiry([voucher])).to.equal(before + 9);
    });

    it("protects households from a supplier that redeems all vouchers shortly before they expire", async () => {
      const { day } = await now();
      const open: [bigint, bigint][] = [];
      for (let i = 0; i < 30; i++) {
        const id = await issueOne(s, { expiryDay: day + 1 });
        const args = [{ voucher: id, supplier: 1, product: 1, amount: 100n * CARBON }] as const;
        const { result } = await s.vouchers.simulate.redeem(args, { account: s.supplier.account.address });
        await s.vouchers.write.redeem(args, as(s.supplier));
        open.push([id, result]);
      }
      await networkHelpers.time.increase(15n * DAY);
      for (const [, id] of open) await s.vouchers.write.lapse([id], as(s.supplier));
      expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(0n);
      for (const [id] of open) {
        const { remaining: left, expiryDay } = await s.vouchers.read.voucherOf([id]);
        expect([left, expiryDay >= (await now()).day + 1]).to.deep.equal([100n * CARBON, true]);
        await reverts(s.vouchers.write.sweep([id]), s.vouchers, "VoucherNotExpired", [id, expiryDay]);
      }
    });

    it("to a cancelled voucher's certificate even when that has been revoked", async () => {
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      const { certificate } = await s.vouchers.read.voucherOf([voucher]);
      await s.certificates.write.setCertificateStatus([certificate, 4, ""], as(s.registrar));
      await refunded(reverse, Refund.Certificate, 100n * CARBON);
    });
  });

  it("flags an open redemption for an evaluator", async () => {
    await reverts(flag(s.operator), s.participants, "MissingRole", [s.operator.account.address, 4n]);
    await emits(flag(), s.vouchers, "RedemptionFlagged", [redemption, "odd"]);
    const after = await record();
    expect([after.flagged, after.status]).to.deep.equal([true, Redeemed.Open]);
    await flag();
  });

  it("settles and changes status only for the claims contract", async () => {
    const operator = as(s.operator);
    const refused = [s.vouchers, "OnlyClaims", [s.operator.account.address]] as const;
    await reverts(s.vouchers.write.settle([redemption, s.stranger.account.address, 0n], operator), ...refused);
    await reverts(s.vouchers.write.setRedemptionStatus([redemption, 4], operator), ...refused);
  });

  it("settles an open redemption at its deadline and sends its CARBON to the pool and the account", async () => {
    const { deadline } = await record();
    const claims = await claimsAccount();
    await networkHelpers.time.setNextBlockTimestamp(BigInt(deadline));
    await s.vouchers.write.settle([redemption, s.stranger.account.address, 10n * CARBON], claims);
    expect(await s.carbon.read.balanceOf([s.stranger.account.address])).to.equal(30n * CARBON);
    expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(10n * CARBON);
    expect(await s.vouchers.read.escrowed()).to.equal(60n * CARBON);
    expect((await record()).status).to.equal(Redeemed.Settled);
    await notAllowed(settle(), Redeemed.Settled);
  });

  it("settles no open redemption after the deadline, but one under review", async () => {
    const { deadline } = await record();
    await passDeadline();
    await reverts(settle(), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
    await reverts(setStatus(Redeemed.UnderReview), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
    redemption = await redeemOne(s, voucher);
    await setStatus(Redeemed.UnderReview);
    await passDeadline();
    await settle();
    expect((await record()).status).to.equal(Redeemed.Settled);
  });

  it("allows exactly the transitions of a claim", async () => {
    const { UnderReview, Rejected, Settled, Disputed, Invalidated } = Redeemed;
    const allowed = new Set([
      `${Redeemed.Open}>${UnderReview}`,
      `${UnderReview}>${Rejected}`,
      `${Settled}>${Disputed}`,
      `${Disputed}>${Settled}`,
      `${Disputed}>${Invalidated}`,
    ]);
    const paths: (() => Promise<unknown>)[][] = [
      [],
      [() => setStatus(UnderReview)],
      [() => setStatus(UnderReview), () => setStatus(Rejected)],
      [() => settle()],
      [() => settle(), () => setStatus(Disputed)],
      [() => settle(), () => setStatus(Disputed), () => setStatus(Invalidated)],
      [() => reverse()],
    ];
    for (const path of paths) {
      redemption = await redeemOne(s, voucher, { amount: 1n });
      for (const step of path) await step();
      const from = (await record()).status;
      for (let to = 0; to <= Invalidated; to++) {
        const snapshot = await networkHelpers.takeSnapshot();
        if (allowed.has(`${from}>${to}`)) {
          await setStatus(to);
          expect((await record()).status).to.equal(to);
        } else await notAllowed(setStatus(to), from);
        await snapshot.restore();
      }
    }
  });

  it("leaves the voucher's status alone", async () => {
    await reverse();
    expect((await s.vouchers.read.voucherOf([voucher])).status).to.equal(Status.Active);
  });
});
