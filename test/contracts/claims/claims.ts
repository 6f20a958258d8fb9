import { expect } from "chai";
import {
  concat,
  decodeEventLog,
  domainSeparator,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  toHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { claimAttestation } from "../../../wire/src/typed-data.ts";
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
import { claimCalls, worth } from "../support/claims.ts";
import { itReal } from "../support/real-code.ts";

const { viem, networkHelpers } = connection;

describe("Claims", () => {
  let s: Scheme;
  let voucher: bigint;
  let redemption: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
    redemption = await redeemOne(s, voucher);
  });
  const { as, claim, statusOf, carbonOf, stableOf, missing, notAllowed, paid, selector } = claimCalls(() => ({
    s,
    redemption,
  }));

  describe("claim", () => {
    it("is possible only for the operator", async () => {
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

    it("enforces the deadline, whether it would be paid or held", async () => {
      const { deadline } = await s.vouchers.read.redemptionOf([redemption]);
      await networkHelpers.time.increaseTo(BigInt(deadline) + 1n);
      await reverts(claim(), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
      await s.vouchers.write.flagRedemption([redemption, ""], as(s.evaluator));
      await reverts(claim(), s.vouchers, "ClaimDeadlinePassed", [redemption, deadline]);
    });

    it("caps what one operator pays out in any 24 hours", async () => {
      await s.claims.write.lowerOperatorCap([60n * CARBON], as(s.guardian));
      const midnight = (BigInt((await now()).day) + 2n) * DAY;
      await networkHelpers.time.increaseTo(midnight - 60n);
      await claim();
      await networkHelpers.time.increaseTo(midnight + 60n);
      const operator = s.operator.account.address;
      expect(await s.claims.read.operatorSpent([operator])).to.equal(40n * CARBON);
      redemption = await redeemOne(s, voucher);
      const args = [operator, 40n * CARBON, 40n * CARBON, 60n * CARBON];
      await reverts(claim(hashOf("2")), s.claims, "OperatorCapExceeded", args);
      await s.claims.write.lowerOperatorCap([10n * CARBON], as(s.guardian));
      const lowered = [operator, 40n * CARBON, 40n * CARBON, 10n * CARBON];
      await reverts(claim(hashOf("2")), s.claims, "OperatorCapExceeded", lowered);
      await s.claims.write.setOperatorCap([60n * CARBON], as(s.council));
      await networkHelpers.time.increaseTo(midnight + DAY - 61n);
      expect(await s.claims.read.operatorSpent([operator])).to.equal(40n * CARBON);
      await networkHelpers.time.increaseTo(midnight + DAY);
      expect(await s.claims.read.operatorSpent([operator])).to.equal(0n);
      await claim(hashOf("2"));
    });

    it("pays out exactly what the cap allows one operator, to the micro-CARBON", async () => {
      await s.claims.write.lowerOperatorCap([40n * CARBON], as(s.guardian));
      await claim();
      redemption = await redeemOne(s, voucher, { amount: 1n });
      const args = [s.operator.account.address, 40n * CARBON, 1n, 40n * CARBON];
      await reverts(claim(hashOf("2")), s.claims, "OperatorCapExceeded", args);
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

    it("and limits the gas that a stablecoin can burn", async () => {
      await s.stablecoin.write.setMode([5]);
      const hash = await claim();
      const { gasUsed } = await (await viem.getPublicClient()).getTransactionReceipt({ hash });
      expect(Number(gasUsed)).to.be.lessThan(700_000);
    });
  });

  it("prevents that a stablecoin re-enters", async () => {
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

  it("refuses its internal calls to every other caller", async () => {
    const operator = as(s.operator);
    const one = s.claims.write.claimFor([s.operator.account.address, redemption, hashOf("x")], operator);
    await reverts(one, s.claims, "OnlySelf", []);
    const pay = s.claims.write.payThroughPool([redemption, 1, s.operator.account.address, 1n, 0n], operator);
    await reverts(pay, s.claims, "OnlySelf", []);
  });

  describe("claimWithAttestation", () => {
    async function attest(signer: Scheme["operator"], validUntil: bigint, hash = hashOf("credential")) {
      const contract = { chainId: 31337, verifyingContract: s.claims.address };
      return signer.signTypedData(claimAttestation(contract, { redemption, credentialHash: hash, validUntil }));
    }
    const file = (validUntil: bigint, signature: Hex, by = s.supplier) =>
      s.claims.write.claimWithAttestation([redemption, hashOf("credential"), validUntil, signature], as(by));
    const soon = async () => (await now()).time + 1_000n;

    it("pays the supplier that submits an operator's attestation, within the operator's cap", async () => {
      const until = await soon();
      await paid(file(until, await attest(s.operator, until)), 0n, worth(40n * CARBON));
      expect(await s.claims.read.operatorSpent([s.operator.account.address])).to.equal(40n * CARBON);
    });

    it("can be withdrawn only by its signer", async () => {
      const until = await soon();
      const signature = await attest(s.operator, until);
      const types = [{ type: "bytes32" }, { type: "uint96" }, { type: "bytes32" }, { type: "uint64" }] as const;
      const typeHash = keccak256(toHex("ClaimAttestation(uint96 redemption,bytes32 credentialHash,uint64 validUntil)"));
      const content = keccak256(encodeAbiParameters(types, [typeHash, redemption, hashOf("credential"), until]));
      const domain = { name: "Hearth Claims", version: "1", chainId: 31337, verifyingContract: s.claims.address };
      const separator = domainSeparator({ domain });
      const digest = keccak256(concat(["0x1901", separator, content]));
      await s.claims.write.cancelAttestation([digest], as(s.stranger));
      const snapshot = await networkHelpers.takeSnapshot();
      await file(until, signature);
      await snapshot.restore();
      const call = s.claims.write.cancelAttestation([digest], as(s.operator));
      await emits(call, s.claims, "AttestationCancelled", [getAddress(s.operator.account.address), digest]);
      await reverts(file(until, signature), s.claims, "AttestationWithdrawn", [digest]);
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

    it("refuses an attestation of another account and a malformed one", async () => {
      const until = await soon();
      const forged = file(until, await attest(s.supplier, until));
      await reverts(forged, s.claims, "AttestationInvalid", [s.supplier.account.address]);
      await reverts(file(until, "0x1234"), s.claims, "AttestationInvalid", [zeroAddress]);
    });
  });

  describe("parameters", () => {
    it("can be set by the council and lowered by the guardian", async () => {
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
