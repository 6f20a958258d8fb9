import { expect } from "chai";
import { getAddress } from "viem";
import * as S from "../scheme.ts";
import * as C from "../support/certificates.ts";
import * as I from "../support/itmo.ts";
import { TONNE, type World, withVoucher } from "../support/revocation.ts";

const { networkHelpers, viem } = S.connection;

describe("Gains that a revocation, a veto, or the order of calls around them must not allow", () => {
  let s: World;
  beforeEach(async () => {
    s = await networkHelpers.loadFixture(withVoucher);
  });
  const as = (who: World["operator"]) => ({ account: who.account });
  const setStatus = (status: number) => C.setStatus(s, s.certificate, status);
  const veto = () => s.certificates.write.vetoRevocation([s.certificate, ""], as(s.guardian));
  const makeFinal = async () => {
    const day = await s.vouchers.read.revocationFinalFrom([s.certificate]);
    await networkHelpers.time.increaseTo(BigInt(day) * S.DAY);
  };
  const cancel = (by = s.operator) => s.vouchers.write.cancel([s.voucher, ""], as(by));
  const reissue = async (voucher = s.voucher) => {
    const { day } = await S.now();
    return await s.vouchers.write.reissue([voucher, day, day + 90, "B"], as(s.operator));
  };
  const burn = (voucher = s.voucher) => {
    const opening = { voucher, household: 0, value: 0n, proof: [] };
    return s.vouchers.write.burnRevoked([s.certificate, [opening]], as(s.stranger));
  };
  const claim = (redemption: bigint) =>
    s.claims.write.claim([redemption, S.hashOf(`credential ${redemption}`)], as(s.operator));
  const reverse = (redemption: bigint) => s.vouchers.write.reverse([redemption, ""], as(s.supplier));
  const supply = () => s.carbon.read.totalSupply();
  const debt = () => s.certificates.read.debtOf([1]);
  const replacement = () => s.certificates.read.replacementOf([1]);
  const issued = async () => (await s.certificates.read.certificateOf([s.certificate])).issued;
  const balanceOf = (who: { address: `0x${string}` }) => s.carbon.read.balanceOf([who.address]);

  it("restores a balance once that was cancelled before a revocation, refunded during it, and reissued after its veto", async () => {
    const redemption = await S.redeemOne(s, s.voucher, { amount: 40n * TONNE });
    await cancel();
    await setStatus(C.Status.Revoked);
    // Only what is redeemed still exists; nothing else is owed.
    expect([await debt(), await supply()]).to.deep.equal([40n * TONNE, 40n * TONNE]);
    await reverse(redemption);
    expect([await debt(), await supply()]).to.deep.equal([0n, 0n]);
    await S.reverts(reissue(), s.certificates, "CertificateNotValid", [s.certificate, C.Status.Revoked]);
    await veto();
    await S.reverts(reissue(), s.certificates, "CertificateNotValid", [s.certificate, C.Status.Suspended]);
    await setStatus(C.Status.Valid);
    await reissue();
    await S.reverts(reissue(), s.vouchers, "VoucherStatusNotAllowed", [s.voucher, S.Status.Reissued]);
    expect([await supply(), await issued(), await debt()]).to.deep.equal([100n * TONNE, 100n * TONNE, 0n]);
  });

  it("owes after a second revocation exactly what a reissue restored", async () => {
    await setStatus(C.Status.Revoked);
    await cancel(s.implementer);
    await veto();
    await setStatus(C.Status.Valid);
    await reissue();
    await setStatus(C.Status.Revoked);
    expect(await debt()).to.equal(100n * TONNE);
    await makeFinal();
    await burn(2n);
    expect([await debt(), await supply(), await issued()]).to.deep.equal([0n, 0n, 0n]);
    await S.reverts(reissue(), s.vouchers, "VoucherStatusNotAllowed", [s.voucher, S.Status.Reissued]);
  });

  it("returns nothing from an earlier redemption to a voucher that was reissued and burned", async () => {
    const redemption = await S.redeemOne(s, s.voucher, { amount: 40n * TONNE });
    await cancel();
    await reissue();
    await setStatus(C.Status.Revoked);
    await makeFinal();
    await burn(2n);
    // The old voucher is active again with the refund, so it can be burned too.
    await reverse(redemption);
    expect([await debt(), await supply()]).to.deep.equal([40n * TONNE, 40n * TONNE]);
    await S.reverts(cancel(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
    await burn();
    expect([await debt(), await supply()]).to.deep.equal([0n, 0n]);
  });

  it("keeps the debt of CARBON that became ITMOs between a veto and the next revocation", async () => {
    const redemption = await S.redeemOne(s, s.voucher, { amount: 40n * TONNE });
    await claim(redemption);
    await s.pool.write.buyCarbon([1, 40_000n * 20_000n, 0n, S.NO_BOUND], as(s.implementer));
    await s.itmo.write.requestConversion([I.orderOf({ amount: 40n * TONNE })], as(s.implementer));
    const finalise = () => s.itmo.write.finalise([1, I.ZMB01, 1n, 40n, 0], as(s.registrar));
    await setStatus(C.Status.Revoked);
    await S.reverts(finalise(), s.certificates, "ImplementerOwes", [1, 100n * TONNE, 0n]);
    await veto();
    await S.reverts(finalise(), s.certificates, "LotNotValid", [s.certificate, C.Status.Suspended]);
    await setStatus(C.Status.Valid);
    await finalise();
    await setStatus(C.Status.Revoked);
    await makeFinal();
    await burn();
    // What was converted is gone, so that the implementer has to burn other CARBON for it.
    expect([await debt(), await supply()]).to.deep.equal([40n * TONNE, 0n]);
  });

  it("charges the implementer once for a claim, with or without a set-off of a supplier's debt", async () => {
    const first = await S.redeemOne(s, s.voucher, { amount: 30n * TONNE });
    const second = await S.redeemOne(s, s.voucher, { amount: 50n * TONNE });
    await claim(first);
    await s.claims.write.dispute([first, ""], as(s.registrar));
    await s.claims.write.resolve([first, true, ""], as(s.evaluator));
    await setStatus(C.Status.Revoked);
    await makeFinal();
    await burn();
    const paid = await s.stablecoin.read.balanceOf([s.supplier.account.address]);
    await claim(second);
    // The supplier is paid net of its debt, the pool gets nothing, and the implementer owes it all 50.
    const got = (await s.stablecoin.read.balanceOf([s.supplier.account.address])) - paid;
    expect(got).to.equal(await s.pool.read.quoteSell([20n * TONNE]));
    expect(await s.claims.read.supplierDebt([1])).to.equal(0n);
    expect(await replacement()).to.equal(50n * TONNE);
    // The first claim's CARBON went to the pool before the revocation, so that it is still owed.
    expect([await debt(), await supply(), await balanceOf(s.pool)]).to.deep.equal(Array(3).fill(30n * TONNE));
  });

  it("gives a disputed or rejected claim the same debt as any other", async () => {
    const disputed = await S.redeemOne(s, s.voucher, { amount: 10n * TONNE });
    const rejected = await S.redeemOne(s, s.voucher, { amount: 20n * TONNE });
    await s.vouchers.write.flagRedemption([rejected, ""], as(s.evaluator));
    for (const redemption of [disputed, rejected]) await claim(redemption);
    await s.claims.write.dispute([disputed, ""], as(s.registrar));
    await s.claims.write.reject([rejected, ""], as(s.evaluator));
    await setStatus(C.Status.Revoked);
    await makeFinal();
    await burn();
    await s.claims.write.resolve([disputed, false, ""], as(s.evaluator));
    expect([await debt(), await replacement()]).to.deep.equal([30n * TONNE, 0n]);
    const { deadline } = await s.vouchers.read.redemptionOf([rejected]);
    await networkHelpers.time.increaseTo(BigInt(deadline) + 1n);
    await s.vouchers.write.lapse([rejected], as(s.stranger));
    expect([await debt(), await supply()]).to.deep.equal([10n * TONNE, 10n * TONNE]);
  });

  it("gives no credit above what was burned, however often a revocation is vetoed", async () => {
    await claim(await S.redeemOne(s, s.voucher, { amount: 40n * TONNE }));
    await s.pool.write.buyCarbon([1, 40_000n * 20_000n, 0n, S.NO_BOUND], as(s.implementer));
    for (const burned of [10n, 20n, 30n]) {
      await setStatus(C.Status.Revoked);
      await s.certificates.write.repayDebt([1, 10n * TONNE], as(s.implementer));
      expect([await debt(), await supply()]).to.deep.equal(Array(2).fill((100n - burned) * TONNE));
      await veto();
      expect(await debt()).to.equal(0n);
      await setStatus(C.Status.Valid);
    }
  });

  describe("caps", () => {
    beforeEach(async () => {
      await s.vouchers.write.setLifecycleCap([100n * TONNE], as(s.council));
    });
    const left = () => s.vouchers.read.lifecycleLeft([s.operator.account.address]);

    it("on cancelling and reissuing stay used through a revocation, its veto, a pause and a lower cap", async () => {
      await cancel();
      expect(await left()).to.equal(0n);
      await setStatus(C.Status.Revoked);
      await veto();
      await setStatus(C.Status.Valid);
      await s.pool.write.pause(as(s.guardian));
      await s.pool.write.unpause(as(s.council));
      await s.vouchers.write.lowerLifecycleCap([50n * TONNE], as(s.guardian));
      await s.vouchers.write.setLifecycleCap([100n * TONNE], as(s.council));
      // A minute of the day has refilled at most.
      expect((await left()) < TONNE / 10n).to.equal(true);
      await viem.assertions.revertWithCustomError(reissue(), s.vouchers, "LifecycleCapExceeded");
    });

    it("on claims stay used when the cap is set to 0 and back", async () => {
      await s.claims.write.setOperatorCap([50n * TONNE], as(s.council));
      await claim(await S.redeemOne(s, s.voucher, { amount: 40n * TONNE }));
      const spent = await s.claims.read.operatorSpent([s.operator.account.address]);
      await s.claims.write.lowerOperatorCap([0n], as(s.guardian));
      await s.claims.write.setOperatorCap([50n * TONNE], as(s.council));
      expect(await s.claims.read.operatorSpent([s.operator.account.address])).to.equal(spent);
      const more = claim(await S.redeemOne(s, s.voucher, { amount: 20n * TONNE }));
      const refusal = [getAddress(s.operator.account.address), 40n * TONNE, 20n * TONNE, 50n * TONNE];
      await S.reverts(more, s.claims, "OperatorCapExceeded", refusal);
    });
  });
});
