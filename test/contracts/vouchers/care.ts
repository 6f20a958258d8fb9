import { expect } from "chai";
import { encodeFunctionData, getAddress } from "viem";
import {
  CARBON,
  connection,
  DAY,
  emits,
  evenLeaves,
  issueOne,
  loadScheme,
  now,
  proofOf,
  redeemOne,
  registerAllocated,
  reverts,
  type Scheme,
  Status,
} from "../scheme.ts";

const { networkHelpers } = connection;
/** A day later than any that counts: the certificate must be valid first. */
const NO_DAY = 2 ** 24 - 1;

describe("Vouchers: lifecycle of vouchers", () => {
  let s: Scheme;
  let voucher: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    // At noon, so that a test's calls are on one day unless it moves the time.
    await networkHelpers.time.increaseTo(BigInt((await now()).day + 1) * DAY + DAY / 2n);
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

  it("suspends and reactivates only for registrar and evaluator", async () => {
    for (const call of [suspend, reactivate]) {
      await reverts(call(s.operator), s.vouchers, "NotPermitted", [s.operator.account.address]);
    }
    await emits(suspend(s.registrar), s.vouchers, "VoucherSuspended", [voucher, "lost"]);
    expect((await record()).status).to.equal(Status.Suspended);
    await notAllowed(suspend(), Status.Suspended);
    const { expiryDay } = await record();
    await emits(reactivate(), s.vouchers, "VoucherReactivated", [voucher, expiryDay, "found"]);
    expect((await record()).status).to.equal(Status.Active);
    await notAllowed(reactivate(), Status.Active);
  });

  it("treats a role with an execution delay as missing", async () => {
    await s.participants.write.grantRole([4n, s.stranger.account.address, 60]);
    await reverts(suspend(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
  });

  it("neither suspends nor cancels an active voucher that has expired", async () => {
    const expiryDay = await expire();
    await reverts(suspend(), s.vouchers, "VoucherExpired", [voucher, expiryDay]);
    await reverts(cancel(), s.vouchers, "VoucherExpired", [voucher, expiryDay]);
  });

  it("corrects a voucher with dates in the past by cancelling and reissuing it, until it may be swept", async () => {
    const { day } = await now();
    voucher = await issueOne(s, { startDay: day - 9, expiryDay: day - 2 });
    await cancel(s.implementer);
    const today = (await now()).day;
    expect(await s.vouchers.read.reissueExpiry([voucher])).to.equal(today);
    await reverts(reissue(s.implementer, today, today - 1), s.vouchers, "ReissueTooShort", [voucher, today, today]);
    await reissue(s.implementer, today, today + 9);
    await redeemOne(s, voucher + 1n);
    voucher = await issueOne(s, { startDay: day - 9, expiryDay: day - 2 });
    const first = await s.vouchers.read.sweepableFrom([voucher]);
    await networkHelpers.time.setNextBlockTimestamp(BigInt(first) * DAY);
    await reverts(cancel(s.implementer), s.vouchers, "VoucherExpired", [voucher, day - 2]);
  });

  it("adds the time of a suspension, also after the voucher's last day", async () => {
    const { expiryDay } = await record();
    await suspend();
    await networkHelpers.time.increase(50n * DAY + 60n);
    await reactivate();
    expect((await record()).expiryDay).to.equal(expiryDay + 50);
    await redeemOne(s, voucher);
  });

  it("neither suspends nor cancels an exhausted voucher", async () => {
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

  it("cancels a suspended voucher, also after its last day, and reissues it with its remaining time", async () => {
    const { startDay } = await record();
    await suspend();
    const expiryDay = await expire();
    await cancel();
    expect(await s.carbon.read.totalSupply()).to.equal(0n);
    const today = (await now()).day;
    const earliest = await s.vouchers.read.reissueExpiry([voucher]);
    expect(earliest).to.equal(expiryDay + 31);
    await reverts(reissue(s.operator, startDay, earliest - 1), s.vouchers, "ReissueTooShort", [
      voucher,
      today,
      earliest,
    ]);
    await reissue(s.operator, today, earliest);
  });

  it("reissues exactly the rest, once, to the same household", async () => {
    await notAllowed(reissue(), Status.Active);
    await redeemOne(s, voucher);
    await cancel();
    await reverts(reissue(s.stranger), s.vouchers, "NotPermitted", [s.stranger.account.address]);
    const { startDay: firstStart, expiryDay } = await record();
    const today = firstStart + 1;
    const tooShort = [voucher, today, expiryDay];
    for (const [start, end] of [
      [today + 1, 30_000],
      [today, expiryDay - 1],
      [0, 1],
      [9, 8],
    ] as const) {
      await reverts(reissue(s.operator, start, end), s.vouchers, "ReissueTooShort", tooShort);
    }
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

  it("sweeps an expired voucher to the pool's reserve, for any caller", async () => {
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

  it("sweeps neither a suspended voucher nor an exhausted one", async () => {
    const exhausted = await issueOne(s);
    await redeemOne(s, exhausted, { amount: 100n * CARBON });
    await suspend();
    await expire();
    await notAllowed(sweep(), Status.Suspended);
    await reactivate();
    await reverts(sweep(), s.vouchers, "VoucherNotExpired", [voucher, (await record()).expiryDay]);
    voucher = exhausted;
    await reverts(sweep(), s.vouchers, "VoucherExhausted", [voucher]);
  });

  describe("keeps a balance out of the pool", () => {
    /** Cancel, reissue with dates in the past, and sweep, in one transaction by an account that may cancel. */
    async function grab(by: Scheme["operator"], start: number, end: number) {
      const encode = (functionName: "cancel" | "reissue" | "sweep", args: readonly unknown[]) =>
        encodeFunctionData({ abi: s.vouchers.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
      const calls = [
        encode("cancel", [voucher, ""]),
        encode("reissue", [voucher, start, end, ""]),
        encode("sweep", [2n]),
      ];
      return s.vouchers.write.multicall([calls], as(by));
    }

    it("cancel, reissue and sweep in one call, by operator or implementer", async () => {
      const { startDay, expiryDay } = await record();
      for (const by of [s.operator, s.implementer]) {
        await reverts(grab(by, 0, 1), s.vouchers, "ReissueTooShort", [voucher, startDay + 1, expiryDay]);
        await reverts(grab(by, startDay, expiryDay), s.vouchers, "VoucherNotExpired", [2n, expiryDay]);
      }
      await s.pool.write.pause(as(s.guardian));
      await reverts(grab(s.operator, 0, 1), s.vouchers, "LifecyclePaused", []);
      expect(await s.carbon.read.balanceOf([s.pool.address])).to.equal(0n);
    });

    it("at a cap of 0", async () => {
      await s.vouchers.write.lowerLifecycleCap([0n], as(s.guardian));
      await reverts(grab(s.operator, 0, 1), s.vouchers, "LifecycleCapExceeded", [0n, 100n * CARBON]);
    });

    it("until 30 whole days after its issue, also with dates in the past, and after its reissue", async () => {
      const { day } = await now();
      voucher = await issueOne(s, { startDay: 0, expiryDay: 1 });
      const first = await s.vouchers.read.sweepableFrom([voucher]);
      expect(first).to.equal(day + 31);
      await reverts(sweep(), s.vouchers, "VoucherNotSweepable", [voucher, first]);
      await networkHelpers.time.increaseTo(BigInt(first) * DAY - 5n);
      await reverts(sweep(), s.vouchers, "VoucherNotSweepable", [voucher, first]);
      await networkHelpers.time.increaseTo(BigInt(first) * DAY);
      await sweep();
    });

    it("until 30 whole days after its batch's issue", async () => {
      const { day } = await now();
      const leaves = evenLeaves(2);
      const certificate = await registerAllocated(s, leaves);
      await s.vouchers.write.issueChunks([certificate, 0, 1, 0, day, "B"], as(s.operator));
      voucher = (1n << 32n) | 1n;
      expect(await s.vouchers.read.sweepableFrom([voucher])).to.equal(day + 31);
      const opening = { voucher, household: 2, value: 100n * CARBON, proof: proofOf(leaves, 1) };
      await s.vouchers.write.open([opening]);
      await networkHelpers.time.increaseTo(BigInt(day + 31) * DAY - 5n);
      await reverts(sweep(), s.vouchers, "VoucherNotSweepable", [voucher, day + 31]);
      await networkHelpers.time.increaseTo(BigInt(day + 31) * DAY);
      await sweep();
    });

    it("while its certificate is suspended, and for 30 whole days after", async () => {
      const { certificate } = await record();
      const status = (next: number) =>
        s.certificates.write.setCertificateStatus([certificate, next, ""], as(s.registrar));
      await status(3);
      const expiryDay = await expire();
      expect(await s.vouchers.read.sweepableFrom([voucher])).to.equal(NO_DAY);
      await reverts(sweep(), s.vouchers, "VoucherNotSweepable", [voucher, NO_DAY]);
      await status(2);
      const first = expiryDay + 1 + 31;
      await reverts(sweep(), s.vouchers, "VoucherNotSweepable", [voucher, first]);
      // Its household loses nothing: a voucher that expired meanwhile is cancelled and reissued.
      const other = voucher;
      await cancel(s.implementer);
      await reissue(s.implementer, expiryDay, expiryDay + 40);
      voucher += 1n;
      await redeemOne(s, voucher);
      voucher = other;
      await notAllowed(sweep(), Status.Reissued);
    });

    it("of a certificate that was suspended, but not beyond the 30 days", async () => {
      const { certificate } = await record();
      for (const next of [3, 2]) {
        await s.certificates.write.setCertificateStatus([certificate, next, ""], as(s.registrar));
      }
      const { day } = await now();
      const first = BigInt(day + 31) * DAY;
      await networkHelpers.time.setNextBlockTimestamp(first - 1n);
      await reverts(sweep(), s.vouchers, "VoucherNotExpired", [voucher, (await record()).expiryDay]);
      await networkHelpers.time.setNextBlockTimestamp(first);
      await sweep();
    });

    it("beyond what may be swept in a day, for any caller", async () => {
      const other = await issueOne(s);
      await expire();
      await networkHelpers.time.increase(2n * DAY);
      await s.vouchers.write.setLifecycleCap([150n * CARBON], as(s.council));
      const tomorrow = BigInt((await now()).day + 1) * DAY;
      await networkHelpers.time.setNextBlockTimestamp(tomorrow);
      await sweep();
      voucher = other;
      const half = tomorrow + DAY / 6n;
      await networkHelpers.time.setNextBlockTimestamp(half);
      await reverts(s.vouchers.write.sweep([voucher], as(s.operator)), s.vouchers, "LifecycleCapExceeded", [
        75n * CARBON,
        100n * CARBON,
      ]);
      await networkHelpers.time.setNextBlockTimestamp(tomorrow + DAY / 3n);
      await sweep();
    });
  });

  it("counts what each account cancels and reissues separately", async () => {
    await s.vouchers.write.setLifecycleCap([250n * CARBON], as(s.council));
    const { time, day } = await now();
    await networkHelpers.time.setNextBlockTimestamp(time + 100n);
    await s.vouchers.write.multicall(
      [
        [
          encodeFunctionData({ abi: s.vouchers.abi, functionName: "cancel", args: [voucher, ""] }),
          encodeFunctionData({ abi: s.vouchers.abi, functionName: "reissue", args: [voucher, day, day + 40, ""] }),
        ],
      ],
      as(s.operator),
    );
    expect(await s.vouchers.read.lifecycleLeft([s.operator.account.address])).to.equal(50n * CARBON);
    expect(await s.vouchers.read.lifecycleLeft([s.implementer.account.address])).to.equal(250n * CARBON);
    voucher = 2n;
    await networkHelpers.time.setNextBlockTimestamp(time + 100n + DAY / 10n);
    await reverts(cancel(), s.vouchers, "LifecycleCapExceeded", [75n * CARBON, 100n * CARBON]);
    await cancel(s.implementer);
  });

  it("lets the council set the cap and the guardian lower it", async () => {
    const { council, guardian, operator, vouchers } = s;
    const set = (cap: bigint, by = council) => vouchers.write.setLifecycleCap([cap], as(by));
    const lower = (cap: bigint, by = guardian) => vouchers.write.lowerLifecycleCap([cap], as(by));
    await reverts(set(1n, guardian), s.participants, "MissingRole", [getAddress(guardian.account.address), 0n]);
    await reverts(lower(1n, operator), s.participants, "MissingRole", [getAddress(operator.account.address), 1n]);
    await emits(set(9n), vouchers, "LifecycleCapChanged", [9n]);
    await reverts(lower(9n), vouchers, "CapNotLowered", [9n, 9n]);
    await emits(lower(8n), vouchers, "LifecycleCapChanged", [8n]);
    expect(await vouchers.read.lifecycleCap()).to.equal(8n);
  });

  it("lets only the certificates contract halt a certificate, and counts a halt once", async () => {
    const call = s.vouchers.write.setCertificateHalted([1, true, false], as(s.council));
    await reverts(call, s.vouchers, "OnlyCertificates", [s.council.account.address]);
    const { certificate } = await record();
    const set = (status: number) =>
      s.certificates.write.setCertificateStatus([certificate, status, ""], as(s.registrar));
    await emits(set(3), s.vouchers, "CertificateHalted", [certificate, true]);
    await emits(set(4), s.vouchers, "CertificateHalted", [certificate, true]);
    // If the second halt counted, it could never be undone; a revoked certificate halts only itself.
    await redeemOne(s, await issueOne(s));
  });
});
