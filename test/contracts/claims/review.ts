import { expect } from "chai";
import { getAddress } from "viem";
import {
  CARBON,
  connection,
  emits,
  hashOf,
  issueOne,
  loadScheme,
  NO_BOUND,
  now,
  Redeemed,
  Role,
  redeemOne,
  reverts,
  type Scheme,
} from "../scheme.ts";
import { claimCalls, worth } from "../support/claims.ts";

const { networkHelpers, viem } = connection;

describe("Claims: review and dispute", () => {
  let s: Scheme;
  let voucher: bigint;
  let redemption: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
    redemption = await redeemOne(s, voucher);
  });
  const { as, claim, approve, reject, statusOf, carbonOf, stableOf, missing, notAllowed, paid, selector } = claimCalls(
    () => ({ s, redemption }),
  );

  describe("review", () => {
    const held = (drawn: boolean) => emits(claim(), s.claims, "ClaimHeld", [redemption, drawn]);

    it("holds the claim of a flagged redemption", async () => {
      await s.vouchers.write.flagRedemption([redemption, ""], as(s.evaluator));
      await held(false);
      expect(await statusOf()).to.equal(Redeemed.UnderReview);
      expect(await s.claims.read.operatorSpent([s.operator.account.address])).to.equal(0n);
      await notAllowed(claim(hashOf("second")), Redeemed.UnderReview);
    });

    it("holds the claims of a flagged supplier", async () => {
      await s.participants.write.setSupplierFlag([1, true, ""], as(s.evaluator));
      await held(false);
    });

    it("holds the claims of a supplier suspended since", async () => {
      await s.participants.write.setSupplierStatus([1, false, ""], as(s.registrar));
      await held(false);
    });

    const plan = (reviewShare: number) => ({
      planId: `P${reviewShare}`,
      implementer: 1,
      startDay: 1,
      endDay: 2,
      claimWindowHours: 100,
      reviewShare,
      supplierMayIssue: false,
      unconsentedCap: 1_000_000,
      products: [],
      trustedIssuers: [],
      terms: "{}",
    });

    it("holds all claims of a plan whose share is whole", async () => {
      await s.participants.write.registerPlan([plan(10_000)], as(s.registrar));
      redemption = await redeemOne(s, await issueOne(s, { registration: { plan: 1 } }));
      await held(true);
    });

    describe("by a share of the plan", () => {
      let half: bigint;
      beforeEach(async () => {
        await s.participants.write.registerPlan([plan(5_000)], as(s.registrar));
        half = await issueOne(s, { registration: { plan: 1 } });
        redemption = await redeemOne(s, half, { amount: CARBON });
      });
      const settle = (id = redemption) => s.claims.write.settleDrawn([id], as(s.stranger));

      it("waits for a future block, and is paid or held by its hash", async () => {
        let drawn = 0;
        for (let i = 0; i < 16; i++) {
          if (i > 0) redemption = await redeemOne(s, half, { amount: CARBON });
          await claim(hashOf(`draw ${i}`));
          expect(await statusOf()).to.equal(Redeemed.UnderReview);
          await networkHelpers.mine(1);
          await settle();
          if ((await statusOf()) === Redeemed.UnderReview) drawn++;
        }
        expect(drawn).to.be.within(1, 15);
      });

      it("is settled once, not before its block, and never filed again", async () => {
        await reverts(settle(), s.claims, "NoDraw", [redemption]);
        const number = BigInt(await networkHelpers.time.latestBlock()) + 1n;
        await emits(claim(), s.claims, "ClaimAwaitsDraw", [redemption, number + 1n]);
        await reverts(settle(), s.claims, "DrawTooEarly", [redemption, number + 1n]);
        await notAllowed(claim(hashOf("another try")), Redeemed.UnderReview);
        expect((await s.claims.read.drawOf([redemption])).payer).to.equal(getAddress(s.operator.account.address));
        await networkHelpers.mine(1);
        await settle();
        await reverts(settle(), s.claims, "NoDraw", [redemption]);
      });

      it("is counted against the operator's cap when it is filed", async () => {
        await s.claims.write.lowerOperatorCap([CARBON / 2n], as(s.guardian));
        const args = [s.operator.account.address, 0n, CARBON, CARBON / 2n];
        await reverts(claim(), s.claims, "OperatorCapExceeded", args);
      });

      /** File claims until one is not drawn. It is then not settled yet. */
      async function fileUndrawn() {
        for (let i = 0; i < 32; i++) {
          if (i > 0) redemption = await redeemOne(s, half, { amount: CARBON });
          await claim(hashOf(`undrawn ${i}`));
          await networkHelpers.mine(1);
          const snapshot = await networkHelpers.takeSnapshot();
          await settle();
          const isPaid = (await statusOf()) === Redeemed.Settled;
          await snapshot.restore();
          if (isPaid) return;
        }
        throw new Error("Every claim was drawn.");
      }

      it("waits while a lowered cap does not cover it, and is paid when the cap does again", async () => {
        await fileUndrawn();
        const operator = s.operator.account.address;
        const spent = await s.claims.read.operatorSpent([operator]);
        for (const cap of [spent - 1n, 0n]) {
          await s.claims.write.lowerOperatorCap([cap], as(s.guardian));
          await reverts(settle(), s.claims, "OperatorCapExceeded", [operator, spent, CARBON, cap]);
        }
        // It waits as long as the cap is 0, and does not lapse, because deadlines are suspended.
        await networkHelpers.time.increase(400n * 86_400n);
        await reverts(settle(), s.claims, "OperatorCapExceeded", [operator, 0n, CARBON, 0n]);
        const lapse = s.vouchers.write.lapse([redemption]);
        await viem.assertions.revertWithCustomError(lapse, s.vouchers, "ClaimDeadlineNotPassed");
        await s.claims.write.setOperatorCap([CARBON - 1n], as(s.council));
        await reverts(settle(), s.claims, "OperatorCapExceeded", [operator, 0n, CARBON, CARBON - 1n]);
        await s.claims.write.setOperatorCap([CARBON], as(s.council));
        await settle();
        expect(await statusOf()).to.equal(Redeemed.Settled);
      });

      it("is paid as long as the lowered cap covers all that was counted with it", async () => {
        await fileUndrawn();
        const spent = await s.claims.read.operatorSpent([s.operator.account.address]);
        await s.claims.write.lowerOperatorCap([spent], as(s.guardian));
        await settle();
        expect(await statusOf()).to.equal(Redeemed.Settled);
      });

      it("holds a claim whose block is out of reach, so that waiting gains nothing", async () => {
        for (let i = 0; i < 6; i++) {
          if (i > 0) redemption = await redeemOne(s, half, { amount: CARBON });
          await claim(hashOf(`late ${i}`));
          await networkHelpers.mine(9_000);
          await emits(settle(), s.claims, "ClaimHeld", [redemption, true]);
        }
      });

      it("holds a claim whose supplier was flagged or suspended meanwhile", async () => {
        await claim();
        await s.participants.write.setSupplierFlag([1, true, ""], as(s.evaluator));
        await settle();
        expect(await statusOf()).to.equal(Redeemed.UnderReview);
      });

      it("is replaced by an evaluator's review", async () => {
        await claim();
        await approve();
        await reverts(settle(), s.claims, "NoDraw", [redemption]);
        redemption = await redeemOne(s, half, { amount: CARBON });
        await claim(hashOf("second"));
        await reject();
        await reverts(settle(), s.claims, "NoDraw", [redemption]);
      });
    });

    describe("of a held claim", () => {
      beforeEach(async () => {
        await s.vouchers.write.flagRedemption([redemption, ""], as(s.evaluator));
        await claim();
      });

      it("pays when approved, also after the deadline", async () => {
        await missing(approve(s.operator), s.operator, Role.evaluator);
        const { deadline } = await s.vouchers.read.redemptionOf([redemption]);
        await networkHelpers.time.increaseTo(BigInt(deadline) + 10n);
        const snapshot = await networkHelpers.takeSnapshot();
        await emits(approve(), s.claims, "ClaimApproved", [redemption, s.evaluator.account.address, "seen"]);
        await snapshot.restore();
        await paid(approve(), 0n, worth(40n * CARBON));
        await notAllowed(approve(), Redeemed.Settled);
      });

      it("pays CARBON when approved while the pool is paused", async () => {
        await s.pool.write.pause(as(s.guardian));
        await paid(approve(), 0n, 0n, selector("PoolPaused()"));
      });

      it("counts an approval against the evaluator's own cap", async () => {
        await s.claims.write.lowerOperatorCap([CARBON], as(s.guardian));
        const args = [s.evaluator.account.address, 0n, 40n * CARBON, CARBON];
        await reverts(approve(), s.claims, "OperatorCapExceeded", args);
      });

      it("counts a rejection against the same cap", async () => {
        await s.claims.write.lowerOperatorCap([50n * CARBON], as(s.guardian));
        await reject();
        expect(await s.claims.read.operatorSpent([s.evaluator.account.address])).to.equal(40n * CARBON);
        redemption = await redeemOne(s, voucher);
        await s.vouchers.write.flagRedemption([redemption, ""], as(s.evaluator));
        await claim(hashOf("second"));
        const args = [s.evaluator.account.address, 40n * CARBON, 40n * CARBON, 50n * CARBON];
        await reverts(reject(), s.claims, "OperatorCapExceeded", args);
      });

      it("lapses at the deadline when rejected", async () => {
        await missing(reject(s.operator), s.operator, Role.evaluator);
        await emits(reject(), s.claims, "ClaimRejected", [redemption, "forged"]);
        await notAllowed(reject(), Redeemed.Rejected);
        await notAllowed(approve(), Redeemed.Rejected);
        const { deadline } = await s.vouchers.read.redemptionOf([redemption]);
        await networkHelpers.time.increaseTo(BigInt(deadline) + 1n);
        await s.vouchers.write.lapse([redemption]);
        expect((await s.vouchers.read.voucherOf([voucher])).remaining).to.equal(100n * CARBON);
      });
    });

    it("approves and rejects nothing that does not exist or is not held", async () => {
      await notAllowed(approve(), Redeemed.Open);
      await notAllowed(reject(), Redeemed.Open);
      redemption = 3n;
      await reverts(approve(), s.vouchers, "UnknownRedemption", [3n]);
      await reverts(reject(), s.vouchers, "UnknownRedemption", [3n]);
    });
  });

  describe("dispute", () => {
    const stake = 10n * CARBON;
    const dispute = (by = s.stranger) => s.claims.write.dispute([redemption, "not there"], as(by));
    const resolve = (upheld: boolean, by = s.evaluator) =>
      s.claims.write.resolve([redemption, upheld, "visited"], as(by));
    /** Give `s.stranger` CARBON of a supplier that was paid while the pool was paused. */
    async function fundStranger() {
      const other = await issueOne(s);
      const id = await redeemOne(s, other, { supplier: 2 });
      await s.pool.write.pause(as(s.guardian));
      await s.claims.write.claim([id, hashOf("fund")], as(s.operator));
      await s.pool.write.unpause(as(s.council));
      await s.carbon.write.transfer([s.stranger.account.address, stake], as(s.otherSupplier));
      await s.carbon.write.approve([s.claims.address, stake], as(s.stranger));
    }
    beforeEach(async () => {
      await claim();
    });

    it("needs no stake from an evaluator", async () => {
      const time = (await now()).time + 50n;
      await networkHelpers.time.setNextBlockTimestamp(time);
      const args = [redemption, s.evaluator.account.address, 0n, "not there"];
      await emits(dispute(s.evaluator), s.claims, "ClaimDisputed", args);
      expect(await s.carbon.getEvents.Transfer()).to.deep.equal([]);
      expect(await s.claims.read.disputeOf([redemption])).to.deep.equal({
        challenger: getAddress(s.evaluator.account.address),
        stake: 0n,
        openedAt: Number(time),
      });
      expect(await statusOf()).to.equal(Redeemed.Disputed);
      await notAllowed(dispute(s.evaluator), Redeemed.Disputed);
    });

    it("needs a stake from anyone else", async () => {
      const account = s.stranger.account.address;
      const args = [s.claims.address, 0n, stake];
      await reverts(dispute(), s.carbon, "ERC20InsufficientAllowance", args);
      await fundStranger();
      await dispute();
      expect(await carbonOf(account)).to.equal(0n);
      expect(await carbonOf(s.claims.address)).to.equal(stake);
    });

    it("invalidates the claim when upheld: debt to the supplier, stake back to the challenger", async () => {
      await fundStranger();
      await dispute();
      await missing(resolve(true, s.operator), s.operator, Role.evaluator);
      const snapshot = await networkHelpers.takeSnapshot();
      await emits(resolve(true), s.claims, "DisputeResolved", [redemption, true, "visited"]);
      await snapshot.restore();
      await emits(resolve(true), s.claims, "SupplierDebtChanged", [1, 40n * CARBON]);
      expect(await statusOf()).to.equal(Redeemed.Invalidated);
      expect(await s.claims.read.supplierDebt([1])).to.equal(40n * CARBON);
      expect(await carbonOf(s.stranger.account.address)).to.equal(stake);
      await reverts(resolve(true), s.claims, "NoDispute", [redemption]);
    });

    it("counts what is found invalid against the evaluator's cap, and nothing for a valid claim", async () => {
      await fundStranger();
      await dispute();
      await s.claims.write.lowerOperatorCap([39n * CARBON], as(s.guardian));
      const args = [s.evaluator.account.address, 0n, 40n * CARBON, 39n * CARBON];
      await reverts(resolve(true), s.claims, "OperatorCapExceeded", args);
      await resolve(false);
      expect(await s.claims.read.operatorSpent([s.evaluator.account.address])).to.equal(0n);
      expect(await s.claims.read.supplierDebt([1])).to.equal(0n);
    });

    it("leaves the claim valid when not upheld: the stake goes to the pool's reserve", async () => {
      await fundStranger();
      await dispute();
      const before = await carbonOf(s.pool.address);
      await resolve(false);
      expect(await statusOf()).to.equal(Redeemed.Settled);
      expect(await carbonOf(s.pool.address)).to.equal(before + stake);
      expect(await s.claims.read.supplierDebt([1])).to.equal(0n);
    });

    it("is not adjudicated by a challenger who staked", async () => {
      await fundStranger();
      await dispute();
      await s.participants.write.grantRole([Role.evaluator, s.stranger.account.address, 0]);
      await reverts(resolve(true, s.stranger), s.claims, "NotPermitted", [s.stranger.account.address]);
      await resolve(true);
    });

    it("needs no stake from the registrar, and is not adjudicated by the account that raised it", async () => {
      await dispute(s.evaluator);
      await reverts(resolve(true), s.claims, "NotPermitted", [s.evaluator.account.address]);
      const other = as(s.stranger);
      await s.participants.write.grantRole([Role.evaluator, s.stranger.account.address, 0]);
      await s.claims.write.resolve([redemption, false, ""], other);
      await emits(dispute(s.registrar), s.claims, "ClaimDisputed", [
        redemption,
        s.registrar.account.address,
        0n,
        "not there",
      ]);
      await s.participants.write.grantRole([Role.evaluator, s.registrar.account.address, 0]);
      await reverts(resolve(true, s.registrar), s.claims, "NotPermitted", [s.registrar.account.address]);
      await resolve(true);
      expect(await statusOf()).to.equal(Redeemed.Invalidated);
    });

    it("needs a paid claim", async () => {
      redemption = await redeemOne(s, voucher, { amount: 1n });
      await notAllowed(dispute(s.evaluator), Redeemed.Open);
      await reverts(resolve(true), s.claims, "NoDispute", [redemption]);
    });

    it("leaves a debt even of the smallest amount, which the next sale pays", async () => {
      await fundStranger();
      await s.carbon.write.transfer([s.supplier.account.address, CARBON], as(s.otherSupplier));
      await s.carbon.write.approve([s.pool.address, CARBON], as(s.supplier));
      redemption = await redeemOne(s, voucher, { amount: 1n });
      await claim(hashOf("least"));
      await dispute(s.registrar);
      await resolve(true);
      expect(await s.claims.read.supplierDebt([1])).to.equal(1n);
      await s.pool.write.sellCarbon([1, CARBON, 0n, NO_BOUND], as(s.supplier));
      expect(await s.claims.read.supplierDebt([1])).to.equal(0n);
    });

    describe("leaves a debt", () => {
      beforeEach(async () => {
        await dispute(s.evaluator);
        await s.participants.write.grantRole([Role.evaluator, s.stranger.account.address, 0]);
        await resolve(true, s.stranger);
        await s.pool.write.takeIn();
      });
      const next = async (amount: bigint) => {
        redemption = await redeemOne(s, await issueOne(s), { amount });
        return s.claims.write.claim([redemption, hashOf(`debt ${redemption}`)], as(s.operator));
      };
      const debt = () => s.claims.read.supplierDebt([1]);

      it("that is set off completely before anything is paid", async () => {
        const before = await stableOf(s.supplier.account.address);
        await next(15n * CARBON);
        expect(await debt()).to.equal(25n * CARBON);
        expect(await stableOf(s.supplier.account.address)).to.equal(before);
        const reserve = await s.pool.read.carbonReserve();
        await s.pool.write.takeIn();
        expect(await s.pool.read.carbonReserve()).to.equal(reserve + 15n * CARBON);
      });

      it("that is set off to its last micro-CARBON", async () => {
        await next(40n * CARBON - 1n);
        expect(await debt()).to.equal(1n);
        await next(CARBON);
        expect(await debt()).to.equal(0n);
      });

      it("that only the council waives, in part or whole, with a reason", async () => {
        const waive = (amount: bigint, by = s.council, supplier = 1) =>
          s.claims.write.waiveDebt([supplier, amount, "the visit was to another shop"], as(by));
        for (const by of [s.evaluator, s.guardian, s.registrar]) await missing(waive(1n, by), by, Role.council);
        for (const call of [waive(0n), waive(1n, s.council, 2)])
          await viem.assertions.revertWithCustomError(call, s.claims, "NothingToWaive");
        const args = [1, 15n * CARBON, "the visit was to another shop"];
        await emits(waive(15n * CARBON), s.claims, "SupplierDebtWaived", args);
        expect(await debt()).to.equal(25n * CARBON);
        await emits(waive(NO_BOUND), s.claims, "SupplierDebtChanged", [1, 0n]);
        await reverts(waive(1n), s.claims, "NothingToWaive", [1]);
        const before = await stableOf(s.supplier.account.address);
        await next(10n * CARBON);
        expect(await stableOf(s.supplier.account.address)).to.equal(before + worth(10n * CARBON));
      });

      it("that leaves the rest to be paid in stablecoin", async () => {
        const before = await stableOf(s.supplier.account.address);
        await next(100n * CARBON);
        expect(await debt()).to.equal(0n);
        expect(await stableOf(s.supplier.account.address)).to.equal(before + worth(60n * CARBON));
        expect(await carbonOf(s.claims.address)).to.equal(0n);
      });

      it("that leaves the rest to be paid in CARBON while the pool is paused", async () => {
        await s.pool.write.pause(as(s.guardian));
        await next(100n * CARBON);
        expect(await debt()).to.equal(0n);
        expect(await carbonOf(s.supplier.account.address)).to.equal(60n * CARBON);
        expect(await carbonOf(s.claims.address)).to.equal(0n);
      });
    });
  });
});
