import { expect } from "chai";
import {
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hex,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from "viem";
import {
  CARBON,
  connection,
  DAY,
  emits,
  hashOf,
  issueOne,
  loadScheme,
  now,
  Redeemed,
  Role,
  redeemOne,
  reverts,
  type Scheme,
} from "../scheme.ts";
import { itReal } from "../support/real-code.ts";

const { viem, networkHelpers } = connection;
const price = 20_000n;
const worth = (carbon: bigint) => (carbon * price) / CARBON;

describe("Claims", () => {
  let s: Scheme;
  let voucher: bigint;
  let redemption: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
    redemption = await redeemOne(s, voucher);
  });
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const claim = (hash = hashOf("credential"), by = s.operator) => s.claims.write.claim([redemption, hash], as(by));
  const approve = (by = s.evaluator) => s.claims.write.approve([redemption, "seen"], as(by));
  const reject = (by = s.evaluator) => s.claims.write.reject([redemption, "forged"], as(by));
  const statusOf = async (id = redemption) => (await s.vouchers.read.redemptionOf([id])).status;
  const carbonOf = (account: Hex) => s.carbon.read.balanceOf([account]);
  const stableOf = (account: Hex) => s.stablecoin.read.balanceOf([account]);
  const missing = (call: Promise<unknown>, who: Scheme["operator"], role: bigint) =>
    reverts(call, s.participants, "MissingRole", [who.account.address, role]);
  const notAllowed = (call: Promise<unknown>, status: number) =>
    reverts(call, s.vouchers, "RedemptionStatusNotAllowed", [redemption, status]);
  const paid = (call: Promise<unknown>, setOff: bigint, stable: bigint, reason: Hex = "0x00000000") =>
    emits(call, s.claims, "ClaimPaid", [
      redemption,
      1,
      s.supplier.account.address,
      40n * CARBON,
      setOff,
      stable,
      reason,
    ]);
  const selector = (error: string) => toFunctionSelector(`function ${error}`);

  describe("claim", () => {
    it("is the operator's", async () => {
      await missing(claim(hashOf("x"), s.supplier), s.supplier, Role.operator);
      await missing(s.claims.write.claimMany([[]], as(s.supplier)), s.supplier, Role.operator);
    });

    it("settles the redemption and pays stablecoin to the supplier's account", async () => {
      await paid(claim(), 0n, worth(40n * CARBON));
      expect(await statusOf()).to.equal(Redeemed.Settled);
      expect(await stableOf(s.supplier.account.address)).to.equal(worth(40n * CARBON));
      expect(await carbonOf(s.pool.address)).to.equal(40n * CARBON);
      expect(await s.claims.read.credentialRedemption([hashOf("credential")])).to.equal(redemption);
      redemption = await redeemOne(s, voucher, { amount: 1n });
      await emits(claim(hashOf("next")), s.claims, "ClaimFiled", [redemption, 1, hashOf("next")]);
    });

    it("refuses an empty credential hash and one that has been used", async () => {
      await reverts(claim(zeroHash), s.claims, "EmptyCredentialHash", []);
      await claim();
      const first = redemption;
      redemption = await redeemOne(s, voucher);
      await reverts(claim(), s.claims, "CredentialUsed", [hashOf("credential"), first]);
    });

    it("refuses an unknown redemption, one that is not open, and a second claim", async () => {
      await claim();
      await notAllowed(claim(hashOf("second")), Redeemed.Settled);
      redemption = await redeemOne(s, voucher);
      await s.vouchers.write.reverse([redemption, ""], as(s.operator));
      await notAllowed(claim(hashOf("second")), Redeemed.Reversed);
      redemption = 9n;
      await reverts(claim(hashOf("second")), s.vouchers, "UnknownRedemption", [9n]);
    });

    it("holds to the deadline, whether it would be paid or held", async () => {
      const { deadline } = await s.vouchers.read.redemptionOf([redemption]);
      await networkHelpers.time.increaseTo(BigInt(deadline) + 1n);
      await reverts(claim(), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
      await s.vouchers.write.flagRedemption([redemption, ""], as(s.evaluator));
      await reverts(claim(), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
    });

    it("caps what one operator pays out in a day", async () => {
      await s.claims.write.lowerOperatorCap([60n * CARBON], as(s.guardian));
      await claim();
      const operator = s.operator.account.address;
      expect(await s.claims.read.operatorSpent([operator])).to.equal(40n * CARBON);
      redemption = await redeemOne(s, voucher);
      const args = [operator, 40n * CARBON, 40n * CARBON, 60n * CARBON];
      await reverts(claim(hashOf("2")), s.claims, "OperatorCapExceeded", args);
      await s.claims.write.lowerOperatorCap([10n * CARBON], as(s.guardian));
      const lowered = [operator, 40n * CARBON, 40n * CARBON, 10n * CARBON];
      await reverts(claim(hashOf("2")), s.claims, "OperatorCapExceeded", lowered);
      await s.claims.write.setOperatorCap([60n * CARBON], as(s.council));
      await networkHelpers.time.increaseTo((BigInt((await now()).day) + 1n) * DAY);
      expect(await s.claims.read.operatorSpent([operator])).to.equal(0n);
      await claim(hashOf("2"));
    });

    it("reverts when too little gas is left to pay, rather than pay in CARBON", async () => {
      const gas = 500_000n;
      const call = s.claims.simulate.claim([redemption, hashOf("x")], { account: s.operator.account.address, gas });
      await reverts(call, s.claims, "InsufficientGas", []);
    });
  });

  describe("pays CARBON instead", () => {
    /** Claims, and expects the CARBON with this reason. */
    async function fallsBack(reason: Hex) {
      const before = await stableOf(s.supplier.account.address);
      const reserve = await s.pool.read.stablecoinReserve();
      await paid(claim(), 0n, 0n, reason);
      expect(await carbonOf(s.supplier.account.address)).to.equal(40n * CARBON);
      expect(await stableOf(s.supplier.account.address)).to.equal(before);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserve);
      expect(await statusOf()).to.equal(Redeemed.Settled);
    }

    it("while the pool is paused", async () => {
      await s.pool.write.pause(as(s.guardian));
      await fallsBack(selector("PoolPaused()"));
    });

    it("when a cap is reached", async () => {
      const caps = { ...(await s.pool.read.caps()), perTransaction: CARBON };
      await s.pool.write.lowerCaps([caps], as(s.guardian));
      await fallsBack(selector("TransactionCapExceeded(uint64 amount, uint64 cap)"));
    });

    it("when the pool is dry", async () => {
      const reserve = await s.pool.read.stablecoinReserve();
      await s.pool.write.withdraw([s.stablecoin.address, s.council.account.address, reserve], as(s.council));
      await fallsBack(selector("PoolDry(uint256 reserve, uint256 wanted)"));
    });

    for (const [mode, name, reason] of [
      [1, "charges a fee", selector("PaymentMissing(uint256 expected, uint256 received)")],
      [2, "returns false", selector("SafeERC20FailedOperation(address token)")],
      [3, "reverts", selector("TransferRefused()")],
      [4, "reverts without a reason", "0xffffffff"],
      [5, "burns all its gas", "0xffffffff"],
    ] as const) {
      it(`when the stablecoin ${name}`, async () => {
        await s.stablecoin.write.setMode([mode]);
        await fallsBack(reason);
      });
    }

    it("and bounds what a stablecoin can burn", async () => {
      await s.stablecoin.write.setMode([5]);
      const hash = await claim();
      const { gasUsed } = await (await viem.getPublicClient()).getTransactionReceipt({ hash });
      expect(Number(gasUsed)).to.be.lessThan(700_000);
    });
  });

  it("lets no stablecoin re-enter", async () => {
    const other = await redeemOne(s, voucher);
    const attacks = [
      [s.claims, encodeFunctionData({ abi: s.claims.abi, functionName: "claim", args: [other, hashOf("z")] })],
      [s.pool, encodeFunctionData({ abi: s.pool.abi, functionName: "takeIn" })],
    ] as const;
    await s.participants.write.grantRole([Role.operator, s.stablecoin.address, 0]);
    for (const [target, call] of attacks) {
      await s.stablecoin.write.setReentry([target.address, call]);
      redemption = await redeemOne(s, voucher, { amount: 1_000n });
      await claim(hashOf(`${redemption}`));
      expect(await s.stablecoin.read.reentered()).to.equal(false);
      expect(await s.stablecoin.read.result()).to.equal(selector("ReentrancyGuardReentrantCall()"));
    }
    expect(await statusOf(other)).to.equal(Redeemed.Open);
  });

  describe("claimMany", () => {
    /** Refusals of a batch: index, redemption, selector. */
    async function claimMany(orders: { redemption: bigint; credentialHash: Hex }[]) {
      const hash = await s.claims.write.claimMany([orders], as(s.operator));
      const receipt = await (await viem.getPublicClient()).getTransactionReceipt({ hash });
      return receipt.logs.flatMap((log) => {
        if (log.address !== s.claims.address) return [];
        const event = decodeEventLog({ abi: s.claims.abi, data: log.data, topics: log.topics });
        if (event.eventName !== "ClaimRefused") return [];
        return [[event.args.order, event.args.redemption, event.args.reason]];
      });
    }

    it("refuses bad orders by event and pays the others", async () => {
      const second = await redeemOne(s, voucher, { amount: 10n * CARBON });
      const third = await redeemOne(s, voucher, { amount: 10n * CARBON });
      const orders = [
        { redemption: 5n, credentialHash: hashOf("1") },
        { redemption, credentialHash: hashOf("2") },
        { redemption: second, credentialHash: hashOf("2") },
        { redemption: third, credentialHash: hashOf("3") },
        { redemption: third, credentialHash: zeroHash },
      ];
      expect(await claimMany(orders)).to.deep.equal([
        [0n, 5n, selector("UnknownRedemption(uint96 redemption)")],
        [2n, second, selector("CredentialUsed(bytes32 credentialHash, uint96 redemption)")],
        [4n, third, selector("EmptyCredentialHash()")],
      ]);
      expect(await statusOf(second)).to.equal(Redeemed.Open);
      expect(await stableOf(s.supplier.account.address)).to.equal(worth(50n * CARBON));
    });

    it("pays each in CARBON while a stablecoin burns all its gas", async () => {
      await s.stablecoin.write.setMode([5]);
      const second = await redeemOne(s, voucher, { amount: 10n * CARBON });
      const orders = [redemption, second].map((id) => ({ redemption: id, credentialHash: hashOf(`${id}`) }));
      expect(await claimMany(orders)).to.deep.equal([]);
      expect(await carbonOf(s.supplier.account.address)).to.equal(50n * CARBON);
    });

    itReal("reverts as a whole when the sender leaves too little gas", async () => {
      const orders = [{ redemption, credentialHash: hashOf("1") }];
      for (const gas of [60_000n, 100_000n, 200_000n, 450_000n]) {
        const call = s.claims.simulate.claimMany([orders], { account: s.operator.account.address, gas });
        await reverts(call, s.claims, "InsufficientGas", []);
      }
    });
  });

  it("keeps its inner calls to itself", async () => {
    const operator = as(s.operator);
    const one = s.claims.write.claimFor([s.operator.account.address, redemption, hashOf("x")], operator);
    await reverts(one, s.claims, "OnlySelf", []);
    const pay = s.claims.write.payThroughPool([redemption, 1, s.operator.account.address, 1n, true], operator);
    await reverts(pay, s.claims, "OnlySelf", []);
  });

  describe("claimWithAttestation", () => {
    async function attest(signer: Scheme["operator"], validUntil: bigint, hash = hashOf("credential")) {
      return signer.signTypedData({
        domain: { name: "Hearth Claims", version: "1", chainId: 31337, verifyingContract: s.claims.address },
        primaryType: "ClaimAttestation",
        types: {
          ClaimAttestation: [
            { name: "redemption", type: "uint96" },
            { name: "credentialHash", type: "bytes32" },
            { name: "validUntil", type: "uint64" },
          ],
        },
        message: { redemption, credentialHash: hash, validUntil },
      });
    }
    const file = (validUntil: bigint, signature: Hex, by = s.supplier) =>
      s.claims.write.claimWithAttestation([redemption, hashOf("credential"), validUntil, signature], as(by));
    const soon = async () => (await now()).time + 1_000n;

    it("pays the supplier that brings an operator's word, on the operator's cap", async () => {
      const until = await soon();
      await paid(file(until, await attest(s.operator, until)), 0n, worth(40n * CARBON));
      expect(await s.claims.read.operatorSpent([s.operator.account.address])).to.equal(40n * CARBON);
    });

    it("refuses anyone but the supplier", async () => {
      const until = await soon();
      const call = file(until, await attest(s.operator, until), s.otherSupplier);
      await reverts(call, s.claims, "NotPermitted", [s.otherSupplier.account.address]);
    });

    it("refuses it once it has expired", async () => {
      const past = (await now()).time;
      await reverts(file(past, await attest(s.operator, past)), s.claims, "AttestationExpired", [past]);
    });

    it("refuses another's word and a malformed one", async () => {
      const until = await soon();
      const forged = file(until, await attest(s.supplier, until));
      await reverts(forged, s.claims, "AttestationInvalid", [s.supplier.account.address]);
      await reverts(file(until, "0x1234"), s.claims, "AttestationInvalid", [zeroAddress]);
    });
  });

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

    it("draws the plan's share", async () => {
      const plan = (reviewShare: number) => ({
        planId: `P${reviewShare}`,
        implementer: 1,
        startDay: 1,
        endDay: 2,
        claimWindowHours: 100,
        reviewShare,
        supplierMayIssue: false,
        products: [],
        trustedIssuers: [],
        terms: "{}",
      });
      await s.participants.write.registerPlan([plan(10_000)], as(s.registrar));
      await s.participants.write.registerPlan([plan(5_000)], as(s.registrar));
      redemption = await redeemOne(s, await issueOne(s, { registration: { plan: 1 } }));
      await held(true);
      const half = await issueOne(s, { registration: { plan: 2 } });
      let drawn = 0;
      for (let i = 0; i < 40; i++) {
        redemption = await redeemOne(s, half, { amount: CARBON });
        await claim(hashOf(`draw ${i}`));
        if ((await statusOf()) === Redeemed.UnderReview) drawn++;
      }
      expect(drawn).to.be.within(5, 35);
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
    /** Gives the stranger CARBON: a supplier's, paid while the pool was paused. */
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

    it("takes an evaluator's word without stake", async () => {
      const time = (await now()).time + 50n;
      await networkHelpers.time.setNextBlockTimestamp(time);
      const args = [redemption, s.evaluator.account.address, 0n, "not there"];
      await emits(dispute(s.evaluator), s.claims, "ClaimDisputed", args);
      expect(await s.claims.read.disputeOf([redemption])).to.deep.equal({
        challenger: getAddress(s.evaluator.account.address),
        stake: 0n,
        openedAt: Number(time),
      });
      expect(await statusOf()).to.equal(Redeemed.Disputed);
      await notAllowed(dispute(s.evaluator), Redeemed.Disputed);
    });

    it("takes anybody else's stake, and nothing without it", async () => {
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

    it("lets the claim stand when not upheld: the stake goes to the pool's reserve", async () => {
      await fundStranger();
      await dispute();
      const before = await carbonOf(s.pool.address);
      await resolve(false);
      expect(await statusOf()).to.equal(Redeemed.Settled);
      expect(await carbonOf(s.pool.address)).to.equal(before + stake);
      expect(await s.claims.read.supplierDebt([1])).to.equal(0n);
    });

    it("is not adjudicated by a challenger whose stake is at risk", async () => {
      await fundStranger();
      await dispute();
      await s.participants.write.grantRole([Role.evaluator, s.stranger.account.address, 0]);
      await reverts(resolve(true, s.stranger), s.claims, "NotPermitted", [s.stranger.account.address]);
      await resolve(true);
    });

    it("may be adjudicated from the account of an evaluator who opened it without stake", async () => {
      await dispute(s.evaluator);
      await resolve(true);
      expect(await statusOf()).to.equal(Redeemed.Invalidated);
    });

    it("needs a paid claim", async () => {
      redemption = await redeemOne(s, voucher, { amount: 1n });
      await notAllowed(dispute(s.evaluator), Redeemed.Open);
      await reverts(resolve(true), s.claims, "NoDispute", [redemption]);
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

      it("that is set off whole before anything is paid", async () => {
        const before = await stableOf(s.supplier.account.address);
        await next(15n * CARBON);
        expect(await debt()).to.equal(25n * CARBON);
        expect(await stableOf(s.supplier.account.address)).to.equal(before);
        const reserve = await s.pool.read.carbonReserve();
        await s.pool.write.takeIn();
        expect(await s.pool.read.carbonReserve()).to.equal(reserve + 15n * CARBON);
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

  describe("parameters", () => {
    it("are the council's to set and the guardian's to lower", async () => {
      await missing(s.claims.write.setOperatorCap([1n], as(s.guardian)), s.guardian, Role.council);
      await missing(s.claims.write.setDisputeStake([1n], as(s.guardian)), s.guardian, Role.council);
      await missing(s.claims.write.lowerOperatorCap([1n], as(s.operator)), s.operator, Role.guardian);
      await emits(s.claims.write.setOperatorCap([9n], as(s.council)), s.claims, "OperatorCapChanged", [9n]);
      await reverts(s.claims.write.lowerOperatorCap([9n], as(s.guardian)), s.claims, "CapNotLowered", [9n, 9n]);
      await emits(s.claims.write.lowerOperatorCap([8n], as(s.guardian)), s.claims, "OperatorCapChanged", [8n]);
      expect(await s.claims.read.operatorCap()).to.equal(8n);
      await emits(s.claims.write.setDisputeStake([7n], as(s.council)), s.claims, "DisputeStakeChanged", [7n]);
      expect(await s.claims.read.disputeStake()).to.equal(7n);
    });
  });
});
