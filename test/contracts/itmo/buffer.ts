import { expect } from "chai";
import { maxUint256, parseEther } from "viem";
import * as S from "../scheme.ts";
import * as I from "../support/itmo.ts";

const { networkHelpers } = S.connection;
const { Action, BlockStatus, Cancellation, Definition, Purpose, Subtype } = I;
const { TONNE } = I;
const CHE = I.ascii("CHE");
const Certificate = { Valid: 2, Suspended: 3, Revoked: 4 } as const;
const YEAR = 365n * S.DAY;

/** The scheme, and authorization 1 of 5 000 t. No CARBON yet. */
async function bufferWorld() {
  const s = await S.scheme();
  const { itmo, authorizations, buffer } = await I.deployItmo(s, 100_000n);
  await s.participants.write.grantRole([S.Role.converter, itmo.address, 0], I.as(s.council));
  await itmo.write.registerApproach([I.approachOf()], I.as(s.registrar));
  await itmo.write.registerAuthorization([I.authorizationOf()], I.as(s.registrar));
  await s.carbon.write.approve([itmo.address, maxUint256], I.as(s.implementer));
  await networkHelpers.impersonateAccount(s.vouchers.address);
  await networkHelpers.setBalance(s.vouchers.address, parseEther("1"));
  return { ...s, itmo, authorizations, buffer };
}
type World = Awaited<ReturnType<typeof bufferWorld>>;

describe("InvalidationBuffer", () => {
  let s: World;
  /** The certificate that was registered last; 0 for none. */
  let last: number;
  beforeEach(async () => {
    last = 0;
    s = await networkHelpers.loadFixture(bufferWorld);
  });
  const itmoWorld = () => s as unknown as I.ItmoScheme;

  /** Gives the implementer CARBON of a new certificate. Returns the certificate's index. */
  async function give(amount: bigint): Promise<number> {
    const ledger = { account: s.vouchers.address };
    const entry = S.registration({ vintage: 2024, verifiedReduction: amount, predecessor: last });
    await s.certificates.write.registerCertificate([entry], I.as(s.registrar));
    const certificate = await s.certificates.read.certificateIndex([S.hashOf(entry.certificateId)]);
    await s.certificates.write.releaseLot([certificate, amount], ledger);
    await s.carbon.write.mint([amount], ledger);
    await s.carbon.write.transfer([I.at(s.implementer), amount], ledger);
    last = certificate;
    return certificate;
  }
  const setTerms = (share: number, holdDays: number, by = s.council) =>
    s.buffer.write.setTerms([share, holdDays], I.as(by));
  const request = (tonnes: bigint, change: Record<string, unknown> = {}) =>
    I.request(itmoWorld(), { amount: tonnes * TONNE, ...change });
  const finalise = (conversion: number, firstId: bigint, lastId: bigint, more = {}) =>
    I.finalise(itmoWorld(), conversion, firstId, lastId, more);
  /** Converts tonnes of new certificates with these amounts, as serials 1 and on. Returns the certificates. */
  async function convert(tonnes: bigint, amounts: bigint[], change: Record<string, unknown> = {}): Promise<number[]> {
    const certificates: number[] = [];
    for (const amount of amounts) certificates.push(await give(amount));
    await request(tonnes, change);
    await finalise(await s.itmo.read.conversionCount(), 1n, tonnes);
    return certificates;
  }
  const setStatus = (certificate: number, status: number) =>
    s.certificates.write.setCertificateStatus([certificate, status, "wrong"], I.as(s.registrar));
  async function revokeFinally(certificate: number): Promise<void> {
    await setStatus(certificate, Certificate.Revoked);
    await networkHelpers.time.increaseTo(BigInt(await s.vouchers.read.revocationFinalFrom([certificate])) * S.DAY);
  }
  const endHold = async (more = 0n, conversion = 1) =>
    networkHelpers.time.increaseTo(BigInt((await s.buffer.read.holdOf([conversion])).heldUntil) + more);
  const cancel = (conversion = 1) => s.buffer.write.cancelRevoked([conversion], I.as(s.stranger));
  const release = (conversion = 1) => s.buffer.write.release([conversion], I.as(s.stranger));
  const refused = (call: Promise<unknown>, error: string, args: readonly unknown[]) =>
    S.reverts(call, s.buffer, error, args);
  const look = (firstId: bigint, conversion = 1) => I.lookAt(itmoWorld(), I.blockId(conversion, firstId));
  const heldOf = async (conversion = 1) => (await s.buffer.read.holdOf([conversion])).held;
  const withShares = async () => {
    const terms = I.authorizationOf({ authorizationId: "Shares", omgeShare: 200, sopShare: 500 });
    await s.itmo.write.registerAuthorization([terms], I.as(s.registrar));
    return 2;
  };

  describe("setTerms", () => {
    it("can be called only by the council", async () => {
      for (const by of [s.registrar, s.guardian, s.operator, s.implementer])
        await S.reverts(setTerms(1, 1, by), s.participants, "MissingRole", [I.at(by), S.Role.council]);
    });

    it("takes at most 20 % and eight years, and both or neither", async () => {
      for (const [share, days] of [
        [2_001, 1],
        [1, 2_921],
        [0, 1],
        [1, 0],
      ] as const)
        await refused(setTerms(share, days), "BufferTermsInvalid", [share, days]);
      await setTerms(2_000, 2_920);
      await setTerms(0, 0);
    });

    it("holds for conversions that are requested later", async () => {
      await give(5_000n * TONNE);
      await request(1_000n);
      await S.emits(setTerms(1_000, 30), s.buffer, "BufferTermsSet", [1_000, 30, 2]);
      await request(1_000n);
      await setTerms(2_000, 60);
      await request(1_000n);
      await setTerms(0, 0);
      await request(1_000n);
      expect(await Promise.all([1, 2, 3, 4, 5].map((i) => s.buffer.read.termsOf([i])))).to.deep.equal([
        { share: 0, holdDays: 0 },
        { share: 1_000, holdDays: 30 },
        { share: 2_000, holdDays: 60 },
        { share: 0, holdDays: 0 },
        { share: 0, holdDays: 0 },
      ]);
      for (let i = 1; i <= 4; i++) await finalise(i, BigInt(i) * 1_000n, BigInt(i) * 1_000n + 999n);
      expect(await Promise.all([1, 2, 3, 4].map((i) => heldOf(i)))).to.deep.equal([0n, 100n, 200n, 0n]);
    });
  });

  describe("finalise", () => {
    it("holds nothing at first", async () => {
      await convert(1_000n, [1_000n * TONNE]);
      expect(await s.buffer.read.holdOf([1])).to.deep.equal({ firstId: 0n, held: 0n, heldUntil: 0 });
      expect(await look(1n)).to.deep.equal([1n, 1_000n, BlockStatus.Held, "ZMB", Subtype.None]);
    });

    it("holds the share of the conversion before OMGE and share of proceeds", async () => {
      await setTerms(1_000, 30);
      await give(1_000n * TONNE);
      await request(1_000n, { authorization: await withShares() });
      const time = (await S.now()).time + 100n;
      await networkHelpers.time.setNextBlockTimestamp(time);
      const until = Number(time + 30n * S.DAY);
      await S.emits(finalise(1, 1n, 1_000n), s.buffer, "UnitsBuffered", [1, 831n, 930n, until]);
      expect(await look(1n)).to.deep.equal([1n, 830n, BlockStatus.Held, "ZMB", Subtype.None]);
      expect(await look(831n)).to.deep.equal([831n, 930n, BlockStatus.Buffered, "ZMB", Subtype.None]);
      expect((await look(931n)).slice(0, 3)).to.deep.equal([931n, 950n, BlockStatus.Omge]);
      expect((await look(951n)).slice(0, 3)).to.deep.equal([951n, 1_000n, BlockStatus.ShareOfProceeds]);
      expect(await s.buffer.read.holdOf([1])).to.deep.equal({ firstId: 831n, held: 100n, heldUntil: until });
    });

    it("rounds up, so that many small conversions hold no less than a large one", async () => {
      await setTerms(1, 1);
      await convert(1n, [1n * TONNE]);
      expect(await heldOf()).to.equal(1n);
      expect((await look(1n)).slice(0, 3)).to.deep.equal([1n, 1n, BlockStatus.Buffered]);
    });

    it("holds exactly the share of a large conversion, and says which block", async () => {
      await setTerms(2_000, 1);
      const terms = I.authorizationOf({ authorizationId: "Large", quantity: 60_000n });
      await s.itmo.write.registerAuthorization([terms], I.as(s.registrar));
      await give(60_000n * TONNE);
      await request(60_000n, { authorization: 2 });
      await S.emits(finalise(1, 1n, 60_000n), s.itmo, "BlockBuffered", [I.blockId(1, 48_001n)]);
      expect(await heldOf()).to.equal(12_000n);
      await endHold();
      await S.emits(release(), s.itmo, "BlockReleased", [I.blockId(1, 48_001n)]);
    });

    it("holds at most what OMGE and share of proceeds leave", async () => {
      await setTerms(2_000, 30);
      for (const [authorization, omgeShare, held] of [
        [2, 9_500, 50n],
        [3, 10_000, 0n],
      ] as const) {
        const terms = I.authorizationOf({ authorizationId: `Much ${authorization}`, omgeShare });
        await s.itmo.write.registerAuthorization([terms], I.as(s.registrar));
        await give(1_000n * TONNE);
        await request(1_000n, { authorization });
        const conversion = authorization - 1;
        await finalise(conversion, BigInt(conversion) * 1_000n, BigInt(conversion) * 1_000n + 999n);
        expect(await heldOf(conversion)).to.equal(held);
      }
    });

    it("keeps the first-transfer mark of what it holds", async () => {
      await setTerms(1_000, 30);
      const terms = { purpose: Purpose.Oimp, firstTransfer: Definition.Issuance, authorizationId: "Issuance" };
      await s.itmo.write.registerAuthorization([I.authorizationOf(terms)], I.as(s.registrar));
      await convert(10n, [10n * TONNE], { authorization: 2 });
      expect(await look(10n)).to.deep.equal([10n, 10n, BlockStatus.Buffered, "ZMB", Subtype.Issuance]);
      await endHold();
      await release();
      expect(await look(10n)).to.deep.equal([10n, 10n, BlockStatus.Held, "ZMB", Subtype.Issuance]);
      expect((await s.authorizations.read.reductionOf([2])).firstTransferred).to.equal(10n);
    });

    it("holds units that the registrar cannot transfer, use or cancel", async () => {
      await setTerms(1_000, 30);
      await convert(10n, [10n * TONNE]);
      const block = I.blockId(1, 10n);
      const part = I.part(block, 10n, 10n);
      const by = I.as(s.registrar);
      for (const call of [
        s.itmo.write.transfer([part, CHE, ""], by),
        s.itmo.write.useForNdc([part, 2026, ""], by),
        s.itmo.write.useForOimp([part, Purpose.Imp, "", ""], by),
        s.itmo.write.cancel([part, Cancellation.Other, "", ""], by),
        s.itmo.write.cancel([part, Cancellation.Omge, "", ""], by),
      ])
        await S.reverts(call, s.itmo, "BlockNotHeld", [block, BlockStatus.Buffered]);
      const both = s.itmo.write.transfer([I.part(I.blockId(1, 1n), 1n, 10n), CHE, ""], by);
      await S.reverts(both, s.itmo, "PartOutsideBlock", [I.blockId(1, 1n), 1n, 10n]);
    });
  });

  describe("contracts", () => {
    it("accept holds, releases and cancellations only from each other", async () => {
      await setTerms(1_000, 30);
      await convert(10n, [10n * TONNE]);
      for (const by of [s.registrar, s.council, s.guardian, s.implementer]) {
        const block = I.blockId(1, 10n);
        await S.reverts(s.itmo.write.releaseBuffered([block], I.as(by)), s.itmo, "OnlyBuffer", [I.at(by)]);
        await S.reverts(s.itmo.write.cancelBuffered([block, 10n], I.as(by)), s.itmo, "OnlyBuffer", [I.at(by)]);
        await refused(s.buffer.write.hold([block, 10n, 10n], I.as(by)), "OnlyItmo", [I.at(by)]);
      }
    });

    it("change only units that are held", async () => {
      await setTerms(1_000, 30);
      await convert(10n, [10n * TONNE]);
      await networkHelpers.impersonateAccount(s.buffer.address);
      await networkHelpers.setBalance(s.buffer.address, parseEther("1"));
      const by = { account: s.buffer.address };
      const block = I.blockId(1, 1n);
      const args = [block, BlockStatus.Held];
      await S.reverts(s.itmo.write.releaseBuffered([block], by), s.itmo, "BlockNotBuffered", args);
      await S.reverts(s.itmo.write.cancelBuffered([block, 1n], by), s.itmo, "BlockNotBuffered", args);
    });
  });

  describe("cancelRevoked", () => {
    it("cancels exactly the tonnes of a revoked certificate's lot, rounded up, once", async () => {
      await setTerms(2_000, 30);
      const lots = [400n * TONNE, 7n * TONNE + 1n, 593n * TONNE - 1n];
      const [, second] = await convert(1_000n, lots);
      expect(await heldOf()).to.equal(200n);
      await refused(cancel(), "NothingToCancel", [1]);
      await revokeFinally(second!);
      await S.emits(cancel(), s.buffer, "BufferedUnitsCancelled", [1, second, 993n, 1_000n]);
      expect(await look(801n)).to.deep.equal([801n, 992n, BlockStatus.Buffered, "ZMB", Subtype.None]);
      expect(await look(993n)).to.deep.equal([993n, 1_000n, BlockStatus.Cancelled, "ZMB", Subtype.None]);
      await refused(cancel(), "NothingToCancel", [1]);
      expect(await heldOf()).to.equal(192n);
    });

    it("records a cancellation by the Party, which is not a first transfer", async () => {
      await setTerms(2_000, 30);
      const terms = { purpose: Purpose.Oimp, firstTransfer: Definition.UseOrCancellation, authorizationId: "Use" };
      await s.itmo.write.registerAuthorization([I.authorizationOf(terms)], I.as(s.registrar));
      const [only] = await convert(10n, [10n * TONNE], { authorization: 2 });
      await revokeFinally(only!);
      const actions = await I.actionsOf(itmoWorld(), cancel());
      expect(actions.map(({ block, action, subtype }) => [block, action, subtype])).to.deep.equal([
        [I.blockId(1, 9n), Action.Cancellation, Subtype.Other],
      ]);
      expect(actions[0]!.movement).to.deep.equal(I.movement({ usingParty: I.ascii("ZMB") }));
      expect((await s.authorizations.read.reductionOf([2])).firstTransferred).to.equal(0n);
      await refused(cancel(), "NothingHeld", [1]);
      await refused(release(), "NothingHeld", [1]);
    });

    it("cancels at most what is held, whatever the number of revoked lots", async () => {
      await setTerms(1_000, 30);
      const [first, second] = await convert(1_000n, [70n * TONNE, 930n * TONNE]);
      await setStatus(first!, Certificate.Revoked);
      await revokeFinally(second!);
      await cancel();
      const events = await s.buffer.getEvents.BufferedUnitsCancelled();
      expect(events.map(({ args }) => [args.certificate, args.firstId, args.lastId])).to.deep.equal([
        [first, 931n, 1_000n],
        [second, 901n, 930n],
      ]);
      expect(await heldOf()).to.equal(0n);
    });

    it("waits until a revocation is final, and does nothing after a veto", async () => {
      await setTerms(2_000, 30);
      const [only] = await convert(10n, [10n * TONNE]);
      await setStatus(only!, Certificate.Revoked);
      const finalFrom = BigInt(await s.vouchers.read.revocationFinalFrom([only!])) * S.DAY;
      await networkHelpers.time.setNextBlockTimestamp(finalFrom - 2n);
      await refused(cancel(), "NothingToCancel", [1]);
      await s.certificates.write.vetoRevocation([only!, "not so"], I.as(s.guardian));
      await networkHelpers.time.increaseTo(finalFrom + 10n);
      await refused(cancel(), "NothingToCancel", [1]);
      await setStatus(only!, Certificate.Valid);
      await endHold();
      await release();
      expect(await look(9n)).to.deep.equal([9n, 10n, BlockStatus.Held, "ZMB", Subtype.None]);
    });

    it("works while ITMOs are stopped and the authorization is revoked", async () => {
      await setTerms(2_000, 30);
      const [only] = await convert(10n, [10n * TONNE]);
      await s.authorizations.write.revoke([1, "a letter"], I.as(s.registrar));
      await s.itmo.write.lowerDailyCap([0n], I.as(s.guardian));
      await revokeFinally(only!);
      await cancel();
      expect(await heldOf()).to.equal(0n);
    });
  });

  describe("release", () => {
    it("gives back what is held after the holding time, by anyone and once", async () => {
      await setTerms(1_000, 30);
      await convert(1_000n, [1_000n * TONNE]);
      const { heldUntil } = await s.buffer.read.holdOf([1]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(heldUntil) - 1n);
      await refused(release(), "StillHeld", [1, heldUntil]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(heldUntil));
      await S.emits(release(), s.buffer, "BufferedUnitsReleased", [1, 901n, 1_000n]);
      expect(await look(901n)).to.deep.equal([901n, 1_000n, BlockStatus.Held, "ZMB", Subtype.None]);
      expect(await s.buffer.read.holdOf([1])).to.deep.equal({ firstId: 901n, held: 0n, heldUntil });
      await refused(release(), "NothingHeld", [1]);
      await s.itmo.write.transfer([I.part(I.blockId(1, 901n), 901n, 1_000n), CHE, ""], I.as(s.registrar));
    });

    it("refuses a conversion of which nothing is held", async () => {
      await refused(release(7), "NothingHeld", [7]);
      await refused(cancel(7), "NothingHeld", [7]);
    });

    it("waits while a revocation can be vetoed, and cancels first once it is final", async () => {
      await setTerms(2_000, 1);
      const [, second] = await convert(10n, [9n * TONNE, 1n * TONNE]);
      await endHold();
      await setStatus(second!, Certificate.Revoked);
      await refused(release(), "LotInQuestion", [1, second]);
      const finalFrom = BigInt(await s.vouchers.read.revocationFinalFrom([second!])) * S.DAY;
      await networkHelpers.time.setNextBlockTimestamp(finalFrom - 1n);
      await refused(release(), "LotInQuestion", [1, second]);
      await networkHelpers.time.setNextBlockTimestamp(finalFrom);
      await release();
      expect(await look(9n)).to.deep.equal([9n, 9n, BlockStatus.Held, "ZMB", Subtype.None]);
      expect(await look(10n)).to.deep.equal([10n, 10n, BlockStatus.Cancelled, "ZMB", Subtype.None]);
    });

    it("gives nothing back when the tonnes of revoked certificates are all that is held", async () => {
      await setTerms(2_000, 1);
      const [only] = await convert(10n, [10n * TONNE]);
      await revokeFinally(only!);
      await release();
      expect(await s.buffer.getEvents.BufferedUnitsReleased()).to.deep.equal([]);
      expect((await look(9n)).slice(0, 3)).to.deep.equal([9n, 10n, BlockStatus.Cancelled]);
    });

    it("waits for a suspended certificate, but for a year at most", async () => {
      await setTerms(1_000, 30);
      const [only] = await convert(10n, [10n * TONNE]);
      await setStatus(only!, Certificate.Suspended);
      const { heldUntil } = await s.buffer.read.holdOf([1]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(heldUntil) + YEAR - 1n);
      await refused(release(), "LotInQuestion", [1, only]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(heldUntil) + YEAR);
      await release();
      expect((await look(10n))[2]).to.equal(BlockStatus.Held);
    });

    it("leaves alone what was released before a certificate is revoked", async () => {
      await setTerms(1_000, 30);
      const [only] = await convert(10n, [10n * TONNE]);
      await endHold();
      await release();
      await revokeFinally(only!);
      await refused(cancel(), "NothingHeld", [1]);
    });

    it("reads as many lots as a conversion can have", async () => {
      await setTerms(2_000, 30);
      await convert(128n, Array(128).fill(1n * TONNE));
      const certificates = (await s.certificates.read.lotsOf([s.itmo.address, 1])).map(
        ({ certificate }) => certificate,
      );
      expect(certificates.length).to.equal(128);
      await setStatus(certificates[0]!, Certificate.Revoked);
      await revokeFinally(certificates[127]!);
      await cancel();
      expect(await heldOf()).to.equal(24n);
      await endHold();
      await release();
      expect(await look(103n)).to.deep.equal([103n, 126n, BlockStatus.Held, "ZMB", Subtype.None]);
    });
  });
});
