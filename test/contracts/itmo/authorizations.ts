import { expect } from "chai";
import * as S from "../scheme.ts";
import * as I from "../support/itmo.ts";

const { networkHelpers } = S.connection;
const { BlockStatus, Cancellation, Definition, Purpose, Subtype } = I;
const CHE = I.ascii("CHE");

describe("Authorizations", () => {
  let s: I.ItmoScheme;
  beforeEach(async () => {
    s = await I.loadAuthorized();
  });
  const registrar = () => I.as(s.registrar);
  const revoke = (authorization = 1, by = s.registrar) =>
    s.authorizations.write.revoke([authorization, "A letter"], I.as(by));
  const reduce = (purpose: number, quantity: bigint, authorization = 1, by = s.registrar) =>
    s.authorizations.write.reduce([authorization, purpose, quantity, "A letter"], I.as(by));
  const veto = (authorization = 1, by = s.guardian) =>
    s.authorizations.write.veto([authorization, "Not agreed"], I.as(by));
  const today = async () => Number((await S.now()).time / S.DAY);
  /** Moves time to the first second of the day from which the last reduction is final. */
  const makeFinal = async () => networkHelpers.time.increaseTo(BigInt((await today()) + 2) * S.DAY);
  const reductionOf = async (authorization = 1) => {
    const { purpose, quantity, finalFrom, firstTransferred } = await s.authorizations.read.reductionOf([authorization]);
    return [purpose, quantity, finalFrom, firstTransferred];
  };
  const refused = (call: Promise<unknown>, error: string, args: readonly unknown[]) =>
    S.reverts(call, s.authorizations, error, args);
  const notAuthorized = (call: Promise<unknown>, purpose: number, authorization = 2) =>
    S.reverts(call, s.itmo, "PurposeNotAuthorized", [authorization, purpose]);

  const transfer = (block: bigint, first = 1n, last = 1_000n) =>
    s.itmo.write.transfer([I.part(block, first, last), CHE, ""], registrar());
  const useForNdc = (block: bigint, first = 1n, last = 1_000n) =>
    s.itmo.write.useForNdc([I.part(block, first, last), 2026, ""], registrar());
  const useForOimp = (block: bigint, purpose: number, first = 1n, last = 1_000n) =>
    s.itmo.write.useForOimp([I.part(block, first, last), purpose, "", ""], registrar());
  const cancel = (block: bigint, kind: number = Cancellation.Other, first = 1n, last = 1_000n) =>
    s.itmo.write.cancel([I.part(block, first, last), kind, "", ""], registrar());
  /** Everything that can be done with a block. */
  const everyAction = (block: bigint) => [
    transfer(block),
    useForNdc(block),
    useForOimp(block, Purpose.Imp),
    cancel(block),
    cancel(block, Cancellation.Voluntary),
    cancel(block, Cancellation.Omge),
  ];
  const both = { purpose: Purpose.NdcAndOimp, firstTransfer: Definition.UseOrCancellation };

  describe("reduce and revoke", () => {
    it("are the registrar's alone", async () => {
      for (const by of [s.operator, s.guardian, s.council, s.implementer]) {
        await S.reverts(revoke(1, by), s.participants, "MissingRole", [I.at(by), S.Role.registrar]);
        await S.reverts(reduce(1, 1n, 1, by), s.participants, "MissingRole", [I.at(by), S.Role.registrar]);
      }
    });

    it("refuse an authorization that is not registered", async () => {
      for (const unknown of [0, 2]) {
        await S.reverts(revoke(unknown), s.itmo, "UnknownAuthorization", [unknown]);
        await S.reverts(reduce(1, 1n, unknown), s.itmo, "UnknownAuthorization", [unknown]);
      }
    });

    it("are final from the second midnight after them", async () => {
      const finalFrom = (await today()) + 2;
      await S.emits(revoke(), s.authorizations, "AuthorizationReduced", [1, Purpose.None, 0n, finalFrom, "A letter"]);
      expect(await reductionOf()).to.deep.equal([Purpose.None, 0n, finalFrom, 0n]);
      await refused(revoke(), "ReductionPending", [1, finalFrom]);
      await refused(reduce(1, 1n), "ReductionPending", [1, finalFrom]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(finalFrom) * S.DAY - 1n);
      await refused(I.request(s), "ReductionPending", [1, finalFrom]);
      await networkHelpers.time.setNextBlockTimestamp(BigInt(finalFrom) * S.DAY);
      await refused(I.request(s), "AuthorizationRevoked", [1]);
      await refused(revoke(), "AuthorizationRevoked", [1]);
      await refused(reduce(1, 1n), "AuthorizationRevoked", [1]);
    });

    it("leave only purposes and tonnes that were authorized, and fewer of one of them", async () => {
      await refused(reduce(Purpose.Ndc, 5_000n), "NotReduced", [1, Purpose.Ndc, 5_000n]);
      await refused(reduce(Purpose.Ndc, 5_001n), "NotReduced", [1, Purpose.Ndc, 5_001n]);
      for (const purpose of [Purpose.None, Purpose.Oimp, Purpose.Imp, Purpose.NdcAndOimp, Purpose.NdcAndOp])
        await refused(reduce(purpose, 4_000n), "NotReduced", [1, purpose, 4_000n]);
      await reduce(Purpose.Ndc, 4_999n);
      expect((await reductionOf()).slice(0, 2)).to.deep.equal([Purpose.Ndc, 4_999n]);
      await makeFinal();
      await refused(reduce(Purpose.Ndc, 4_999n), "NotReduced", [1, Purpose.Ndc, 4_999n]);
      await reduce(Purpose.Ndc, 4_998n);
    });

    const { Ndc, Oimp, Imp, Op, NdcAndOimp, NdcAndImp, NdcAndOp } = Purpose;
    const narrower: Record<number, readonly number[]> = {
      [Ndc]: [],
      [Oimp]: [Imp, Op],
      [Imp]: [],
      [Op]: [],
      [NdcAndOimp]: [Ndc, Oimp, Imp, Op, NdcAndImp, NdcAndOp],
      [NdcAndImp]: [Ndc, Imp],
      [NdcAndOp]: [Ndc, Op],
    };
    for (const [name, purpose] of Object.entries(Purpose).filter(([, number]) => number !== Purpose.None)) {
      it(`leave of ${name} only its own parts`, async () => {
        const firstTransfer = purpose === Ndc ? Definition.None : Definition.UseOrCancellation;
        await s.itmo.write.registerAuthorization(
          [I.authorizationOf({ authorizationId: "Wide", purpose, firstTransfer })],
          registrar(),
        );
        for (const left of Object.values(Purpose)) {
          const call = reduce(left, 5_000n, 2);
          if (!narrower[purpose]?.includes(left)) await refused(call, "NotReduced", [2, left, 5_000n]);
          else {
            await call;
            await veto(2);
          }
        }
      });
    }

    it("leave at least what was first transferred", async () => {
      const block = await I.mint(s);
      await transfer(block, 1n, 300n);
      await refused(reduce(Purpose.Ndc, 299n, 2), "QuantityFirstTransferred", [2, 299n, 300n]);
      await reduce(Purpose.Ndc, 300n, 2);
      await veto(2);
      const finalFrom = (await today()) + 2;
      await S.emits(revoke(2), s.authorizations, "AuthorizationReduced", [2, 0, 300n, finalFrom, "A letter"]);
    });
  });

  describe("veto", () => {
    it("is the guardian's alone", async () => {
      await revoke();
      for (const by of [s.registrar, s.operator, s.council])
        await S.reverts(veto(1, by), s.participants, "MissingRole", [I.at(by), S.Role.guardian]);
    });

    it("restores everything until the reduction is final", async () => {
      await refused(veto(), "ReductionFinal", [1, 0]);
      const finalFrom = (await today()) + 2;
      await revoke();
      await networkHelpers.time.setNextBlockTimestamp(BigInt(finalFrom) * S.DAY - 1n);
      await S.emits(veto(), s.authorizations, "ReductionVetoed", [1, Purpose.None, 0n, 0, "Not agreed"]);
      expect(await reductionOf()).to.deep.equal([Purpose.None, 0n, 0, 0n]);
      await I.request(s);
      await refused(veto(), "ReductionFinal", [1, 0]);
      await revoke();
      await makeFinal();
      await refused(veto(), "ReductionFinal", [1, (await today()) as number]);
    });

    it("restores what the reduction before left, which stays final", async () => {
      await reduce(Purpose.Ndc, 4_000n);
      await makeFinal();
      await revoke();
      const day = await today();
      await S.emits(veto(), s.authorizations, "ReductionVetoed", [1, Purpose.Ndc, 4_000n, day, "Not agreed"]);
      await refused(veto(), "ReductionFinal", [1, day]);
      await I.request(s);
      await refused(reduce(Purpose.Ndc, 4_000n), "NotReduced", [1, Purpose.Ndc, 4_000n]);
      await reduce(Purpose.Ndc, 3_999n);
    });
  });

  describe("conversions", () => {
    it("wait while a reduction can be vetoed, and so do new versions", async () => {
      await I.request(s);
      const finalFrom = (await today()) + 2;
      await reduce(Purpose.Ndc, 4_000n);
      const waiting = [1, finalFrom];
      await refused(I.request(s), "ReductionPending", waiting);
      await refused(I.finalise(s, 1, 1n, 1_000n), "ReductionPending", waiting);
      await refused(s.itmo.write.setAuthorizedQuantity([1, 6_000n, ""], registrar()), "ReductionPending", waiting);
      await veto();
      await I.request(s);
      await I.finalise(s, 1, 1n, 1_000n);
    });

    it("end with a revocation, and the CARBON of a request goes back", async () => {
      await I.request(s);
      const before = await s.carbon.read.balanceOf([I.at(s.implementer)]);
      await revoke();
      await makeFinal();
      await refused(I.finalise(s, 1, 1n, 1_000n), "AuthorizationRevoked", [1]);
      await refused(s.itmo.write.setAuthorizedQuantity([1, 6_000n, ""], registrar()), "AuthorizationRevoked", [1]);
      await s.itmo.write.revertConversion([1, "Revoked"], registrar());
      expect((await s.carbon.read.balanceOf([I.at(s.implementer)])) - before).to.equal(1_000n * I.TONNE);
      await refused(I.request(s), "AuthorizationRevoked", [1]);
    });

    it("stay within the tonnes that a reduction left, whatever a new version says", async () => {
      await I.request(s);
      await I.request(s);
      await reduce(Purpose.Ndc, 1_500n);
      await makeFinal();
      await refused(I.request(s), "QuantityReduced", [1, 3_000n, 1_500n]);
      await refused(s.itmo.write.setAuthorizedQuantity([1, 6_000n, ""], registrar()), "QuantityReduced", [
        1,
        6_000n,
        1_500n,
      ]);
      await I.finalise(s, 1, 1n, 1_000n);
      await refused(I.finalise(s, 2, 1_001n, 2_000n), "QuantityReduced", [1, 2_000n, 1_500n]);
      await s.itmo.write.revertConversion([2, "Reduced"], registrar());
      await I.request(s, { amount: 500n * I.TONNE });
      await I.finalise(s, 3, 1_001n, 1_500n);
      await refused(I.request(s, { amount: I.TONNE }), "QuantityReduced", [1, 1_501n, 1_500n]);
    });

    it("are not a first transfer when no OIMP is left", async () => {
      for (const [i, firstTransfer] of [Definition.Authorisation, Definition.Issuance].entries()) {
        const [authorizationId, authorization, conversion] = [`Mint ${i}`, i + 2, i + 1];
        const terms = I.authorizationOf({ authorizationId, purpose: Purpose.NdcAndOimp, firstTransfer });
        await s.itmo.write.registerAuthorization([terms], registrar());
        await I.request(s, { authorization });
        await reduce(Purpose.Ndc, 5_000n, authorization);
        await makeFinal();
        await I.finalise(s, conversion, 1n, 1_000n, { registry: I.ascii(`ZMB1${i}`) });
        const block = I.blockId(conversion, 1n);
        expect((await I.lookAt(s, block))[4]).to.equal(Subtype.None);
        await transfer(block);
        expect((await I.lookAt(s, block))[4]).to.equal(Subtype.ToAnotherParty);
      }
    });
  });

  describe("units", () => {
    it("that were first transferred are untouched by a revocation, announced or final", async () => {
      const block = await I.mint(s, both);
      await transfer(block, 1n, 600n);
      await revoke(2);
      await useForNdc(block, 1n, 100n);
      await useForOimp(I.blockId(1, 101n), Purpose.Op, 101n, 200n);
      await makeFinal();
      await useForNdc(I.blockId(1, 201n), 201n, 300n);
      await useForOimp(I.blockId(1, 301n), Purpose.Oimp, 301n, 400n);
      await cancel(I.blockId(1, 401n), Cancellation.Voluntary, 401n, 500n);
      await s.itmo.write.transfer([I.part(I.blockId(1, 501n), 501n, 600n), I.ascii("SWE"), ""], registrar());
      expect((await reductionOf(2))[3]).to.equal(600n);
    });

    it("that were not wait while a revocation can be vetoed, and are never ITMOs after it", async () => {
      const block = await I.mint(s, both);
      const finalFrom = (await today()) + 2;
      await revoke(2);
      for (const call of everyAction(block)) await refused(call, "ReductionPending", [2, finalFrom]);
      await makeFinal();
      for (const call of everyAction(block)) await refused(call, "AuthorizationRevoked", [2]);
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 1_000n, BlockStatus.Held, "ZMB", Subtype.None]);
    });

    it("that were not continue after a veto", async () => {
      const block = await I.mint(s);
      await revoke(2);
      await veto(2);
      await transfer(block);
    });

    it("are first transferred only up to the tonnes that a reduction left", async () => {
      const block = await I.mint(s, both);
      await transfer(block, 1n, 300n);
      await reduce(Purpose.NdcAndOimp, 500n, 2);
      await makeFinal();
      const rest = I.blockId(1, 301n);
      await refused(transfer(rest, 301n, 501n), "QuantityReduced", [2, 501n, 500n]);
      await refused(useForOimp(rest, Purpose.Imp, 301n, 501n), "QuantityReduced", [2, 501n, 500n]);
      await refused(cancel(rest, Cancellation.Other, 301n, 501n), "QuantityReduced", [2, 501n, 500n]);
      await refused(cancel(rest, Cancellation.Omge, 301n, 501n), "QuantityReduced", [2, 501n, 500n]);
      await useForOimp(rest, Purpose.Imp, 301n, 400n);
      await transfer(I.blockId(1, 401n), 401n, 500n);
      await refused(transfer(I.blockId(1, 501n), 501n, 501n), "QuantityReduced", [2, 501n, 500n]);
      expect((await reductionOf(2))[3]).to.equal(500n);
    });

    it("are for the purposes left: without OIMP neither used for one nor first transferred by a cancellation", async () => {
      const block = await I.mint(s, both);
      await reduce(Purpose.Ndc, 5_000n, 2);
      await makeFinal();
      await notAuthorized(useForOimp(block, Purpose.Imp), Purpose.Imp);
      await cancel(block, Cancellation.Other, 1n, 100n);
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 100n, BlockStatus.Cancelled, "ZMB", Subtype.None]);
      await transfer(I.blockId(1, 101n), 101n, 1_000n);
      await useForNdc(I.blockId(1, 101n), 101n, 1_000n);
      expect((await reductionOf(2))[3]).to.equal(900n);
    });

    it("are for the purposes left: without NDC a transfer is not a first transfer, and no use for an NDC follows", async () => {
      const block = await I.mint(s, both);
      await reduce(Purpose.Imp, 5_000n, 2);
      await makeFinal();
      await transfer(block);
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 1_000n, BlockStatus.Held, "CHE", Subtype.None]);
      await notAuthorized(useForNdc(block), Purpose.Ndc);
      await notAuthorized(useForOimp(block, Purpose.Op), Purpose.Op);
      await useForOimp(block, Purpose.Imp);
      expect((await I.lookAt(s, block))[4]).to.equal(Subtype.UseOrCancellation);
    });
  });

  describe("first transfers", () => {
    it("are counted once for each unit, by every trigger", async () => {
      const shares = { omgeShare: 200, sopShare: 500 };
      await I.mint(s, { ...shares });
      expect((await reductionOf(2))[3]).to.equal(70n);
      const block = I.blockId(1, 1n);
      await transfer(block, 1n, 100n);
      await s.itmo.write.transfer([I.part(block, 1n, 100n), I.ascii("SWE"), ""], registrar());
      await cancel(I.blockId(1, 101n), Cancellation.Omge, 101n, 200n);
      expect((await reductionOf(2))[3]).to.equal(270n);
      await I.mint(s, { purpose: Purpose.Oimp, firstTransfer: Definition.Issuance, ...shares });
      expect((await reductionOf(3))[3]).to.equal(1_000n);
    });

    it("are counted, and entities recorded, by the ITMO contract alone", async () => {
      const count = s.authorizations.write.countFirstTransfer([1, 1n], registrar());
      await refused(count, "OnlyItmo", [I.at(s.registrar)]);
      const register = s.authorizations.write.register([1, I.authorizationOf()], registrar());
      await refused(register, "OnlyItmo", [I.at(s.registrar)]);
    });
  });
});
