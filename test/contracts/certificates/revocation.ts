import { expect } from "chai";
import { getAddress } from "viem";
import * as S from "../scheme.ts";
import * as C from "../support/certificates.ts";
import * as I from "../support/itmo.ts";
import { TONNE, type World, withVoucher } from "../support/revocation.ts";

const { networkHelpers } = S.connection;
const { CARBON } = S;

describe("Revocation of a certificate", () => {
  let s: World;
  beforeEach(async () => {
    s = await networkHelpers.loadFixture(withVoucher);
  });
  const as = (who: World["operator"]) => ({ account: who.account });
  const revoke = (certificate = s.certificate) => C.setStatus(s, certificate, C.Status.Revoked);
  const veto = (by = s.guardian, certificate = s.certificate) =>
    s.certificates.write.vetoRevocation([certificate, "not so"], as(by));
  const finalFrom = async (certificate = s.certificate) =>
    BigInt(await s.vouchers.read.revocationFinalFrom([certificate])) * S.DAY;
  /** Until nobody can veto it any more. */
  const revokeForGood = async (certificate = s.certificate) => {
    await revoke(certificate);
    await networkHelpers.time.increaseTo(await finalFrom(certificate));
  };
  const debt = () => s.certificates.read.debtOf([1]);
  const replacement = () => s.certificates.read.replacementOf([1]);
  const balance = (who: World["operator"]) => s.carbon.read.balanceOf([who.account.address]);
  const voucherOf = (voucher = s.voucher) => s.vouchers.read.voucherOf([voucher]);
  const unopened = (voucher: bigint) => ({ voucher, household: 0, value: 0n, proof: [] });
  const burn = (openings: object[] = [unopened(s.voucher)], certificate = s.certificate) =>
    s.vouchers.write.burnRevoked([certificate, openings as never], as(s.stranger));
  const repay = (amount: bigint, by = s.implementer) => s.certificates.write.repayDebt([1, amount], as(by));
  const replace = (amount: bigint, by = s.supplier) => s.certificates.write.replaceCarbon([1, amount], as(by));
  const sweep = async () => {
    await networkHelpers.time.increaseTo(BigInt(await s.vouchers.read.sweepableFrom([s.voucher])) * S.DAY);
    return s.vouchers.write.sweep([s.voucher], as(s.stranger));
  };
  const claim = (redemption: bigint, by = s.operator) =>
    s.claims.write.claim([redemption, S.hashOf(`credential ${redemption}`)], as(by));
  const buy = (carbon: bigint) =>
    s.pool.write.buyCarbon([1, (carbon * 20_000n) / CARBON, 0n, S.NO_BOUND], as(s.implementer));
  const request = (tonnes: bigint) =>
    s.itmo.write.requestConversion([I.orderOf({ amount: tonnes * TONNE })], as(s.implementer));
  const finalise = (tonnes: bigint) => s.itmo.write.finalise([1, I.ZMB01, 1n, tonnes, 0], as(s.registrar));
  /** The implementer gets CARBON that is of another certificate of implementer 2. */
  const giveOther = async (amount: bigint) => {
    await s.participants.write.registerImplementer(["did:2", s.stranger.account.address, "2"], as(s.registrar));
    const other = await S.issueOne(s, {
      registration: { verifiedReduction: amount, implementer: 2 },
      value: amount,
    });
    await s.pool.write.pause(as(s.guardian));
    await claim(await S.redeemOne(s, other, { amount }));
    await s.pool.write.unpause(as(s.council));
    await s.carbon.write.transfer([s.implementer.account.address, amount], as(s.supplier));
    return other;
  };

  it("prevents that its CARBON becomes ITMOs: swept, bought, requested, then revoked", async () => {
    await sweep();
    await s.pool.write.takeIn();
    await buy(100n * TONNE);
    await request(100n);
    await revoke();
    await S.reverts(finalise(100n), s.certificates, "ImplementerOwes", [1, 100n * TONNE, 0n]);
    // The request is given back, the CARBON burned for the debt.
    await s.itmo.write.revertConversion([1, "revoked"], as(s.registrar));
    await repay(100n * TONNE);
    expect(await debt()).to.equal(0n);
    expect(await s.carbon.read.totalSupply()).to.equal(0n);
  });

  it("lets a conversion become final when the debt has been paid by anyone, of other certificates' lots", async () => {
    await sweep();
    await s.pool.write.takeIn();
    await buy(100n * TONNE);
    await giveOther(40n * TONNE);
    await request(40n);
    await revoke();
    await repay(60n * TONNE);
    await s.carbon.write.transfer([s.supplier.account.address, 40n * TONNE], as(s.implementer));
    await S.reverts(finalise(40n), s.certificates, "ImplementerOwes", [1, 40n * TONNE, 0n]);
    await repay(40n * TONNE, s.supplier);
    await S.reverts(finalise(40n), s.certificates, "LotNotValid", [s.certificate, C.Status.Revoked]);
    await s.itmo.write.revertConversion([1, "revoked"], as(s.registrar));
    await request(40n);
    await s.itmo.write.finalise([2, I.ZMB01, 1n, 40n, 0], as(s.registrar));
    expect(await s.carbon.read.totalSupply()).to.equal(0n);
  });

  describe("debt", () => {
    it("is the sum of what the certificates have issued", async () => {
      await S.emits(revoke(), s.certificates, "DebtChanged", [1, s.certificate, 100n * TONNE]);
      const second = await S.issueOne(s);
      const { certificate } = await voucherOf(second);
      const call = C.setStatus(s, certificate, C.Status.Revoked);
      await S.emits(call, s.certificates, "DebtChanged", [1, certificate, 100n * TONNE + 100n * CARBON]);
    });

    it("does not arise from a suspension", async () => {
      await C.setStatus(s, s.certificate, C.Status.Suspended);
      expect(await debt()).to.equal(0n);
      await revoke();
      expect(await debt()).to.equal(100n * TONNE);
    });

    it("refuses a payment of 0 or of more than is owed", async () => {
      await S.reverts(repay(1n), s.certificates, "AmountNotOwed", [1, 1n, 0n]);
      await revoke();
      await S.reverts(repay(0n), s.certificates, "AmountNotOwed", [1, 0n, 100n * TONNE]);
      await S.reverts(repay(100n * TONNE + 1n), s.certificates, "AmountNotOwed", [1, 100n * TONNE + 1n, 100n * TONNE]);
    });

    it("burns what is paid and emits who paid", async () => {
      await giveOther(100n * TONNE);
      await revoke();
      const supply = await s.carbon.read.totalSupply();
      const payer = getAddress(s.implementer.account.address);
      await S.emits(repay(30n * TONNE), s.certificates, "DebtRepaid", [1, payer, 30n * TONNE, 70n * TONNE]);
      expect(supply - (await s.carbon.read.totalSupply())).to.equal(30n * TONNE);
      expect(await debt()).to.equal(70n * TONNE);
      await repay(70n * TONNE);
      expect(await debt()).to.equal(0n);
    });

    it("keeps what was paid before the vouchers were burned for the next debt", async () => {
      await giveOther(100n * TONNE);
      await revokeForGood();
      await repay(30n * TONNE);
      await burn();
      expect(await debt()).to.equal(0n);
      const { certificate } = await voucherOf(await S.issueOne(s));
      await C.setStatus(s, certificate, C.Status.Revoked);
      expect(await debt()).to.equal(0n);
      const large = { registration: { verifiedReduction: 40n * TONNE }, value: 40n * TONNE };
      const { certificate: next } = await voucherOf(await S.issueOne(s, large));
      await C.setStatus(s, next, C.Status.Revoked);
      expect(await debt()).to.equal(10n * TONNE + 100n * CARBON);
    });

    it("falls by what is cancelled", async () => {
      await revoke();
      const call = s.vouchers.write.cancel([s.voucher, "revoked"], as(s.operator));
      await S.emits(call, s.certificates, "DebtChanged", [1, s.certificate, 0n]);
      const reissue = s.vouchers.write.reissue([s.voucher, 1, 60_000, "B"], as(s.operator));
      await S.reverts(reissue, s.certificates, "CertificateNotValid", [s.certificate, C.Status.Revoked]);
    });
  });

  describe("burnRevoked", () => {
    it("can be burned by anyone, after which the vouchers never have a balance again", async () => {
      await revokeForGood();
      await S.emits(burn(), s.vouchers, "VoucherRevoked", [s.voucher, 100n * TONNE]);
      const record = await voucherOf();
      expect([record.status, record.remaining]).to.deep.equal([S.Status.Revoked, 0n]);
      expect([await debt(), await s.carbon.read.totalSupply(), await s.vouchers.read.escrowed()]).to.deep.equal([
        0n,
        0n,
        0n,
      ]);
      expect((await s.certificates.read.certificateOf([s.certificate])).issued).to.equal(0n);
      const status = [s.voucher, S.Status.Revoked];
      for (const call of [
        s.vouchers.write.cancel([s.voucher, ""], as(s.operator)),
        s.vouchers.write.reissue([s.voucher, 1, 60_000, "B"], as(s.operator)),
        s.vouchers.write.suspend([s.voucher, ""], as(s.evaluator)),
        s.vouchers.write.sweep([s.voucher], as(s.stranger)),
      ])
        await S.reverts(call, s.vouchers, "VoucherStatusNotAllowed", status);
    });

    it("is possible only for revoked certificates", async () => {
      await S.reverts(burn(), s.vouchers, "CertificateNotRevoked", [s.certificate]);
      await C.setStatus(s, s.certificate, C.Status.Suspended);
      await S.reverts(burn(), s.vouchers, "CertificateNotRevoked", [s.certificate]);
      const other = await S.issueOne(s);
      await revoke();
      // The guardian may still veto it.
      await S.reverts(burn(), s.vouchers, "CertificateNotRevoked", [s.certificate]);
      await networkHelpers.time.setNextBlockTimestamp((await finalFrom()) - 1n);
      await S.reverts(burn(), s.vouchers, "CertificateNotRevoked", [s.certificate]);
      await networkHelpers.time.increaseTo(await finalFrom());
      await S.reverts(burn([unopened(other)]), s.vouchers, "OpeningInvalid", [other]);
    });

    it("burns suspended and expired vouchers, whole and in part, and skips those that have ended", async () => {
      const leaves = S.evenLeaves(5);
      const certificate = await S.registerAllocated(s, leaves);
      const { day } = await S.now();
      await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 2, "B"], as(s.operator));
      const first = BigInt(await s.vouchers.read.batchCount()) << 32n;
      const openings = leaves.map((leaf, i) => ({
        voucher: first + BigInt(i),
        household: leaf.household,
        value: leaf.amount,
        proof: S.proofOf(leaves, i),
      }));
      for (const opening of openings.slice(0, 3)) await s.vouchers.write.open([opening]);
      await s.vouchers.write.suspend([first, "odd"], as(s.evaluator));
      await s.vouchers.write.cancel([first + 1n, "moved"], as(s.operator));
      await S.redeemOne(s, first + 2n);
      await revoke(certificate);
      await networkHelpers.time.increase(5n * S.DAY);
      expect(await debt()).to.equal(400n * CARBON);
      await burn(openings, certificate);
      const statuses = await Promise.all(openings.map(async ({ voucher }) => (await voucherOf(voucher)).status));
      const { Revoked, Cancelled } = S.Status;
      expect(statuses).to.deep.equal([Revoked, Cancelled, Revoked, Revoked, Revoked]);
      // What is redeemed waits for its claim.
      expect(await debt()).to.equal(40n * CARBON);
      const supply = await s.carbon.read.totalSupply();
      await burn(openings, certificate);
      expect(await s.carbon.read.totalSupply()).to.equal(supply);
    });

    it("refuses an invalid opening", async () => {
      const leaves = S.evenLeaves(2);
      const certificate = await S.registerAllocated(s, leaves);
      const { day } = await S.now();
      await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 2, "B"], as(s.operator));
      const voucher = BigInt(await s.vouchers.read.batchCount()) << 32n;
      await revokeForGood(certificate);
      const opening = { voucher, household: 1, value: 101n * CARBON, proof: S.proofOf(leaves, 0) };
      await S.reverts(burn([opening], certificate), s.vouchers, "OpeningInvalid", [voucher]);
    });

    it("is what a sweep does", async () => {
      await revoke();
      await S.emits(sweep(), s.vouchers, "VoucherRevoked", [s.voucher, 100n * TONNE]);
      expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(0n);
      expect([await debt(), await s.carbon.read.totalSupply()]).to.deep.equal([0n, 0n]);
    });
  });

  describe("refunds", () => {
    it("go to the voucher before it is burned", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revokeForGood();
      await s.vouchers.write.reverse([redemption, "wrong size"], as(s.operator));
      expect((await voucherOf()).remaining).to.equal(100n * TONNE);
      await burn();
      expect(await debt()).to.equal(0n);
    });

    it("are burned after it", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revokeForGood();
      await burn();
      expect(await debt()).to.equal(40n * CARBON);
      const call = s.vouchers.write.reverse([redemption, "wrong size"], as(s.operator));
      const { expiryDay } = await voucherOf();
      const refund = [redemption, 40n * CARBON, S.Refund.Certificate, 0n, expiryDay];
      await S.emits(call, s.vouchers, "RedemptionRefunded", refund);
      const record = await voucherOf();
      expect([record.status, record.remaining, await debt()]).to.deep.equal([S.Status.Revoked, 0n, 0n]);
    });
  });

  describe("claims", () => {
    const paid = (redemption: bigint, setOff: bigint, stable: bigint, reason = "0x00000000", amount = 40n * CARBON) => [
      redemption,
      1,
      getAddress(s.supplier.account.address),
      amount,
      setOff,
      stable,
      reason,
    ];

    it("are paid, their CARBON burned and owed to the pool", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revokeForGood();
      await S.emits(claim(redemption), s.claims, "ClaimPaid", paid(redemption, 0n, 800_000n));
      const owed = await s.certificates.getEvents.ReplacementOwed();
      expect(owed.map(({ args }) => args)).to.deep.equal([
        { implementer: 1, certificate: s.certificate, amount: 40n * CARBON, replacement: 40n * CARBON },
      ]);
      expect((await s.pool.getEvents.CarbonBurned()).map(({ args }) => args)).to.deep.equal([
        { supplier: 1, carbonAmount: 40n * CARBON },
      ]);
      expect(await s.stablecoin.read.balanceOf([s.supplier.account.address])).to.equal(800_000n);
      expect([await s.pool.read.carbonReserve(), await s.carbon.read.balanceOf([s.pool.address])]).to.deep.equal([
        0n,
        0n,
      ]);
      expect([await debt(), await replacement()]).to.deep.equal([100n * TONNE - 40n * CARBON, 40n * CARBON]);
    });

    it("count against the caps of the pool and the operator", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revokeForGood();
      const before = await s.pool.read.sellableNow([1]);
      await claim(redemption);
      expect(await s.claims.read.operatorSpent([s.operator.account.address])).to.equal(40n * CARBON);
      const [sale] = await s.pool.read.capsLeft();
      expect(sale.day).to.equal(10_000_000n * CARBON - 40n * CARBON);
      expect(before > 0n).to.equal(true);
    });

    it("are paid in CARBON when the pool does not pay; the implementer's debt stays", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revokeForGood();
      await s.pool.write.pause(as(s.guardian));
      await claim(redemption);
      expect(await balance(s.supplier)).to.equal(40n * CARBON);
      expect([await debt(), await replacement()]).to.deep.equal([100n * TONNE, 0n]);
    });

    it("burn what is set off against a supplier's debt, too", async () => {
      const [first, second, third] = [
        await S.redeemOne(s, s.voucher, { amount: 10n * CARBON }),
        await S.redeemOne(s, s.voucher),
        await S.redeemOne(s, s.voucher),
      ];
      await claim(first);
      await s.claims.write.dispute([first, "forged"], as(s.registrar));
      await s.claims.write.resolve([first, true, "forged"], as(s.evaluator));
      await revokeForGood();
      const snapshot = await networkHelpers.takeSnapshot();
      await S.emits(claim(second), s.claims, "ClaimPaid", paid(second, 10n * CARBON, 600_000n));
      expect(await replacement()).to.equal(40n * CARBON);
      expect(await s.pool.read.carbonReserve()).to.equal(10n * CARBON);
      await snapshot.restore();
      // The pool does not pay: the supplier has the rest in CARBON.
      await s.pool.write.pause(as(s.guardian));
      await claim(third);
      expect([await replacement(), await balance(s.supplier)]).to.deep.equal([10n * CARBON, 30n * CARBON]);
    });

    it("burn a claim that is set off as a whole", async () => {
      const [first, second] = [await S.redeemOne(s, s.voucher), await S.redeemOne(s, s.voucher)];
      await claim(first);
      await s.claims.write.dispute([first, "forged"], as(s.registrar));
      await s.claims.write.resolve([first, true, "forged"], as(s.evaluator));
      await revokeForGood();
      await S.emits(claim(second), s.claims, "ClaimPaid", paid(second, 40n * CARBON, 0n));
      expect([await replacement(), await s.carbon.read.balanceOf([s.pool.address])]).to.deep.equal([
        40n * CARBON,
        40n * CARBON,
      ]);
    });

    it("under review are paid on approval, and burned", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await s.vouchers.write.flagRedemption([redemption, "odd"], as(s.evaluator));
      await claim(redemption);
      await revokeForGood();
      await burn();
      await s.claims.write.approve([redemption, "seen"], as(s.evaluator));
      expect([await debt(), await replacement()]).to.deep.equal([0n, 40n * CARBON]);
    });

    it("of a suspended certificate give the pool its CARBON", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await C.setStatus(s, s.certificate, C.Status.Suspended);
      await claim(redemption);
      expect([await s.pool.read.carbonReserve(), await replacement()]).to.deep.equal([40n * CARBON, 0n]);
    });

    it("of a valid certificate give the pool its CARBON while another is revoked", async () => {
      const other = await S.issueOne(s);
      await revokeForGood();
      await claim(await S.redeemOne(s, other));
      expect([await s.pool.read.carbonReserve(), await replacement()]).to.deep.equal([40n * CARBON, 0n]);
    });
  });

  describe("replaceCarbon", () => {
    beforeEach(async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await giveOther(100n * TONNE);
      await s.carbon.write.transfer([s.supplier.account.address, TONNE], as(s.implementer));
      await revokeForGood();
      await burn();
      await claim(redemption);
    });

    it("moves the payer's CARBON to the pool's reserve", async () => {
      const payer = getAddress(s.supplier.account.address);
      const args = [1, payer, 30n * CARBON, 10n * CARBON];
      await S.emits(replace(30n * CARBON), s.certificates, "CarbonReplaced", args);
      expect([await s.pool.read.carbonReserve(), await replacement()]).to.deep.equal([30n * CARBON, 10n * CARBON]);
      expect(await balance(s.supplier)).to.equal(TONNE - 30n * CARBON);
    });

    it("refuses a payment of 0 or of more than is owed", async () => {
      for (const amount of [0n, 40n * CARBON + 1n])
        await S.reverts(replace(amount), s.certificates, "AmountNotOwed", [1, amount, 40n * CARBON]);
    });

    it("is due before a conversion becomes final", async () => {
      await request(1n);
      await S.reverts(finalise(1n), s.certificates, "ImplementerOwes", [1, 0n, 40n * CARBON]);
      await replace(40n * CARBON);
      await finalise(1n);
    });
  });

  describe("vetoRevocation", () => {
    const vetoRefused = (from: number, to: number = C.Status.Suspended, certificate = s.certificate) =>
      S.reverts(veto(s.guardian, certificate), s.certificates, "StatusNotAllowed", [certificate, from, to]);
    const at = (time: bigint) => networkHelpers.time.setNextBlockTimestamp(time);
    const nextMidnight = async () => BigInt((await S.now()).day + 1) * S.DAY;

    it("suspends the certificate and removes the debt", async () => {
      await S.emits(revoke(), s.vouchers, "CertificateHalted", [s.certificate, true]);
      const changed = [s.certificate, C.Status.Suspended, "not so"];
      await S.emits(veto(), s.certificates, "CertificateStatusChanged", changed);
      const debts = await s.certificates.getEvents.DebtChanged();
      expect(debts.map(({ args }) => args)).to.deep.equal([{ implementer: 1, certificate: s.certificate, debt: 0n }]);
      expect([await debt(), await finalFrom()]).to.deep.equal([0n, 0n]);
      expect(await C.statusOf(s, s.certificate)).to.equal(C.Status.Suspended);
      expect(await s.vouchers.read.certificateHalted([s.certificate])).to.equal(true);
    });

    it("is possible only for the guardian", async () => {
      await revoke();
      for (const who of [s.registrar, s.operator, s.evaluator, s.council, s.implementer, s.stranger])
        await S.reverts(veto(who), s.participants, "MissingRole", [getAddress(who.account.address), S.Role.guardian]);
    });

    it("is possible until the last second before the second midnight, and never later", async () => {
      const midnight = await nextMidnight();
      // Even if it is revoked late on a day, the guardian has a whole day.
      await at(midnight - 1n);
      await revoke();
      expect(await finalFrom()).to.equal(midnight + S.DAY);
      const snapshot = await networkHelpers.takeSnapshot();
      await at(midnight + S.DAY - 1n);
      await veto();
      await snapshot.restore();
      const isFinal = [s.certificate, Number(midnight / S.DAY) + 1];
      await at(midnight + S.DAY);
      await S.reverts(veto(), s.certificates, "RevocationFinal", isFinal);
      for (const status of [C.Status.Valid, C.Status.Suspended, C.Status.Revoked]) {
        const change = C.setStatus(s, s.certificate, status);
        await S.reverts(change, s.certificates, "RevocationFinal", isFinal);
      }
      await burn();
      expect(await debt()).to.equal(0n);
    });

    it("is possible only for revoked certificates", async () => {
      await vetoRefused(C.Status.Valid);
      await C.setStatus(s, s.certificate, C.Status.Suspended);
      await vetoRefused(C.Status.Suspended);
      await revoke();
      await veto();
      await vetoRefused(C.Status.Suspended);
      await vetoRefused(C.Status.None, C.Status.Suspended, 99);
    });

    it("lets the registrar reinstate the certificate, whose vouchers work as before", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revoke();
      const broken = [s.voucher, S.Rule.voucherActive];
      await S.reverts(S.redeemOne(s, s.voucher), s.vouchers, "RedemptionRuleBroken", broken);
      await veto();
      await C.setStatus(s, s.certificate, C.Status.Valid);
      await s.vouchers.write.reverse([redemption, "wrong size"], as(s.operator));
      await S.redeemOne(s, s.voucher, { amount: 10n * TONNE });
      expect((await voucherOf()).remaining).to.equal(90n * TONNE);
      expect(await s.vouchers.read.escrowed()).to.equal(100n * TONNE);
    });

    it("gives the next revocation its whole day again", async () => {
      await revoke();
      await networkHelpers.time.increaseTo((await finalFrom()) - 10n);
      await veto();
      await revoke();
      expect(await debt()).to.equal(100n * TONNE);
      expect(await finalFrom()).to.equal((await nextMidnight()) + S.DAY);
      await S.reverts(burn(), s.vouchers, "CertificateNotRevoked", [s.certificate]);
      await veto();
      expect(await debt()).to.equal(0n);
      await revokeForGood();
      await burn();
      expect([await debt(), await s.carbon.read.totalSupply()]).to.deep.equal([0n, 0n]);
    });

    it("is not lost when a second revocation is tried, which does not restart the first", async () => {
      await revoke();
      const day = await finalFrom();
      await networkHelpers.time.increase(S.DAY);
      const { Revoked } = C.Status;
      await S.reverts(revoke(), s.certificates, "StatusNotAllowed", [s.certificate, Revoked, Revoked]);
      expect(await finalFrom()).to.equal(day);
    });

    it("makes an unfinished certificate pending again, which can be finished", async () => {
      const leaves = S.evenLeaves(2);
      const certificate = await C.register(s, { verifiedReduction: 200n * CARBON, allocationCount: 2 });
      await revoke(certificate);
      const call = veto(s.guardian, certificate);
      await S.emits(call, s.certificates, "CertificateStatusChanged", [certificate, C.Status.Pending, "not so"]);
      expect(await s.vouchers.read.certificateHalted([certificate])).to.equal(false);
      await C.record(s, certificate, S.packLeaves(leaves));
      expect(await C.statusOf(s, certificate)).to.equal(C.Status.Valid);
    });

    it("finds nothing burned or swept in between: a claim has given the pool its CARBON", async () => {
      const redemption = await S.redeemOne(s, s.voucher);
      await revoke();
      await claim(redemption);
      expect([await s.pool.read.carbonReserve(), await replacement()]).to.deep.equal([40n * CARBON, 0n]);
      // It still exists, so that it is owed until the veto.
      expect(await debt()).to.equal(100n * TONNE);
      await veto();
      expect([await debt(), await s.carbon.read.totalSupply()]).to.deep.equal([0n, 100n * TONNE]);
    });

    it("prevents a sweep that could not know whether to burn", async () => {
      await networkHelpers.time.increaseTo(BigInt(await s.vouchers.read.sweepableFrom([s.voucher])) * S.DAY);
      await revoke();
      const day = Number((await finalFrom()) / S.DAY);
      const attempt = () => s.vouchers.write.sweep([s.voucher], as(s.stranger));
      await S.reverts(attempt(), s.vouchers, "VoucherNotSweepable", [s.voucher, day]);
      await veto();
      await S.reverts(attempt(), s.vouchers, "VoucherNotSweepable", [s.voucher, 2 ** 24 - 1]);
      await revokeForGood();
      await S.emits(attempt(), s.vouchers, "VoucherRevoked", [s.voucher, 100n * TONNE]);
    });

    it("leaves the rest of a voucher that was cancelled in between to be reissued", async () => {
      await revoke();
      await s.vouchers.write.cancel([s.voucher, "moved"], as(s.operator));
      expect(await debt()).to.equal(0n);
      await veto();
      expect(await debt()).to.equal(0n);
      const { day } = await S.now();
      const reissue = () => s.vouchers.write.reissue([s.voucher, day, day + 60, "B"], as(s.operator));
      const refusal = [s.certificate, C.Status.Suspended];
      await S.reverts(reissue(), s.certificates, "CertificateNotValid", refusal);
      await C.setStatus(s, s.certificate, C.Status.Valid);
      await reissue();
      expect(await s.carbon.read.totalSupply()).to.equal(100n * TONNE);
    });

    it("leaves what was paid for the debt as a credit for the next one", async () => {
      await giveOther(100n * TONNE);
      await revoke();
      await repay(30n * TONNE);
      await veto();
      expect(await debt()).to.equal(0n);
      await revoke();
      expect(await debt()).to.equal(70n * TONNE);
    });
  });

  it("lets only the ledger charge a replacement", async () => {
    const call = s.certificates.write.oweReplacement([s.certificate, 1n], as(s.operator));
    await S.reverts(call, s.certificates, "OnlyVouchers", [getAddress(s.operator.account.address)]);
  });
});
