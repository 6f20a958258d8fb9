import { expect } from "chai";
import * as S from "../scheme.ts";
import * as I from "../support/itmo.ts";

const { Action, Subtype, Purpose, Definition, BlockStatus } = I;
const [ZMB, CHE, SWE] = ["ZMB", "CHE", "SWE"].map(I.ascii);

describe("Itmo: life of a block", () => {
  let s: I.ItmoScheme;
  beforeEach(async () => {
    s = await I.loadAuthorized();
  });
  const registrar = () => I.as(s.registrar);
  const transfer = (block: bigint, first = 1n, last = 1_000n, to = CHE!) =>
    s.itmo.write.transfer([I.part(block, first, last), to, "note"], registrar());
  const useForNdc = (block: bigint, first = 1n, last = 1_000n, year = 2026) =>
    s.itmo.write.useForNdc([I.part(block, first, last), year, "note"], registrar());
  const useForOimp = (block: bigint, purpose: number = Purpose.Imp, entity = "CHE-100") =>
    s.itmo.write.useForOimp([I.part(block, 1n, 1_000n), purpose, entity, "note"], registrar());
  const cancel = (block: bigint, kind: number = I.Cancellation.Other, entity = "", first = 1n, last = 1_000n) =>
    s.itmo.write.cancel([I.part(block, first, last), kind, entity, "note"], registrar());
  /** Action and subtype of each event of a call. */
  const kinds = async (call: Promise<unknown>) =>
    (await I.actionsOf(s, call)).map(({ action, subtype }) => [action, subtype]);
  const oimp = (firstTransfer: number, purpose: number = Purpose.Oimp) => ({ purpose, firstTransfer });

  it("is possible only for the registrar", async () => {
    const block = await I.mint(s);
    const part = I.part(block, 1n, 1_000n);
    const refused = [I.at(s.implementer), S.Role.registrar];
    const by = I.as(s.implementer);
    for (const call of [
      s.itmo.write.transfer([part, CHE!, ""], by),
      s.itmo.write.useForNdc([part, 2026, ""], by),
      s.itmo.write.useForOimp([part, Purpose.Imp, "", ""], by),
      s.itmo.write.cancel([part, 0, "", ""], by),
    ])
      await S.reverts(call, s.participants, "MissingRole", refused);
  });

  describe("parts", () => {
    it("are split from a block, and all keep state, holder and first-transfer mark", async () => {
      const block = await I.mint(s);
      await transfer(block);
      const call = useForNdc(block, 301n, 400n);
      await S.emits(call, s.itmo, "BlockSplit", [block, I.blockId(1, 301n)]);
      await S.emits(call, s.itmo, "BlockSplit", [I.blockId(1, 301n), I.blockId(1, 401n)]);
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 300n, BlockStatus.Held, "CHE", Subtype.ToAnotherParty]);
      const used = [301n, 400n, BlockStatus.UsedForNdc, "CHE", Subtype.ToAnotherParty];
      expect(await I.lookAt(s, I.blockId(1, 301n))).to.deep.equal(used);
      const rest = [401n, 1_000n, BlockStatus.Held, "CHE", Subtype.ToAnotherParty];
      expect(await I.lookAt(s, I.blockId(1, 401n))).to.deep.equal(rest);
    });

    it("of a first transfer stay first transferred, and the rest does not become so", async () => {
      const block = await I.mint(s);
      await transfer(block, 1n, 10n);
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 10n, BlockStatus.Held, "CHE", Subtype.ToAnotherParty]);
      const rest = I.blockId(1, 11n);
      expect(await I.lookAt(s, rest)).to.deep.equal([11n, 1_000n, BlockStatus.Held, "ZMB", Subtype.None]);
      expect(await kinds(transfer(block, 3n, 4n, SWE))).to.deep.equal([[Action.Transfer, Subtype.None]]);
      expect(await kinds(transfer(rest, 1_000n, 1_000n))).to.deep.equal([
        [Action.FirstTransfer, Subtype.ToAnotherParty],
      ]);
    });

    it("must be inside a block that is held", async () => {
      const block = await I.mint(s);
      await transfer(block, 301n, 1_000n);
      const outside = async (call: Promise<unknown>, id: bigint, first: bigint, last: bigint) =>
        S.reverts(call, s.itmo, "PartOutsideBlock", [id, first, last]);
      await outside(transfer(block, 300n, 301n), block, 300n, 301n);
      await outside(transfer(block, 0n, 1n), block, 0n, 1n);
      await outside(transfer(block, 2n, 1n), block, 2n, 1n);
      const second = I.blockId(1, 301n);
      await outside(useForNdc(second, 300n, 301n), second, 300n, 301n);
      const unknown = I.blockId(1, 302n);
      await S.reverts(transfer(unknown, 302n, 303n), s.itmo, "UnknownBlock", [unknown]);
      await S.reverts(s.itmo.read.blockOf([unknown]), s.itmo, "UnknownBlock", [unknown]);
      await useForNdc(second, 301n, 1_000n);
      const used = transfer(second, 301n, 1_000n, SWE);
      await S.reverts(used, s.itmo, "BlockNotHeld", [second, BlockStatus.UsedForNdc]);
    });
  });

  describe("transfer", () => {
    it("is the first transfer of a block authorized for NDC, and emits who and what", async () => {
      const block = await I.mint(s);
      const [action] = await I.actionsOf(s, transfer(block, 101n, 200n));
      expect(action).to.deep.equal({
        block: I.blockId(1, 101n),
        action: Action.FirstTransfer,
        subtype: Subtype.ToAnotherParty,
        units: {
          approachId: I.ascii("CA0001"),
          authorizationId: "OF 1",
          firstTransferringParty: ZMB,
          registryId: I.ascii("ZMB01"),
          firstId: 101n,
          lastId: 200n,
          vintage: 2024,
        },
        movement: I.movement({ transferringParty: ZMB, acquiringParty: CHE, note: "note" }),
      });
    });

    it("goes to a Party of the approach that does not hold the block", async () => {
      const block = await I.mint(s);
      await S.reverts(transfer(block, 1n, 2n, I.ascii("GHA")), s.itmo, "PartyNotParticipating", [1, I.ascii("GHA")]);
      await S.reverts(transfer(block, 1n, 1_000n, ZMB), s.itmo, "AlreadyHeldBy", [block, ZMB]);
      await transfer(block);
      await transfer(block, 1n, 1_000n, ZMB);
      expect((await I.lookAt(s, block))[3]).to.equal("ZMB");
    });

    it("is not a first transfer of a block authorized only for OIMP", async () => {
      const block = await I.mint(s, oimp(Definition.UseOrCancellation));
      expect(await kinds(transfer(block))).to.deep.equal([[Action.Transfer, Subtype.None]]);
      expect((await I.lookAt(s, block))[4]).to.equal(Subtype.None);
    });

    it("is the first transfer of a block authorized for both, when it comes before use", async () => {
      const block = await I.mint(s, oimp(Definition.UseOrCancellation, Purpose.NdcAndImp));
      expect(await kinds(transfer(block))).to.deep.equal([[Action.FirstTransfer, Subtype.ToAnotherParty]]);
      expect(await kinds(useForOimp(block))).to.deep.equal([[Action.Use, Subtype.None]]);
    });

    it("is not the first transfer where the authorization defines it as issuance or authorisation", async () => {
      for (const [definition, subtype] of [
        [Definition.Authorisation, Subtype.Authorisation],
        [Definition.Issuance, Subtype.Issuance],
      ] as const) {
        const block = await I.mint(s, oimp(definition, Purpose.NdcAndOimp));
        const [minted] = await s.itmo.getEvents.ItmoAction();
        expect([minted!.args.action, minted!.args.subtype]).to.deep.equal([Action.FirstTransfer, subtype]);
        expect(minted!.args.movement).to.deep.equal(I.movement({ transferringParty: ZMB }));
        expect((await I.lookAt(s, block))[4]).to.equal(subtype);
        expect(await kinds(transfer(block))).to.deep.equal([[Action.Transfer, Subtype.None]]);
      }
    });
  });

  describe("use towards an NDC", () => {
    it("is by the Party that acquired it, for a year of the period", async () => {
      const block = await I.mint(s);
      await S.reverts(useForNdc(block), s.itmo, "NotTransferred", [block]);
      await transfer(block);
      for (const year of [2020, 2031])
        await S.reverts(useForNdc(block, 1n, 1_000n, year), s.itmo, "YearOutsideNdcPeriod", [year, 2021, 2030]);
      const [action] = await I.actionsOf(s, useForNdc(block, 1n, 1_000n, 2030));
      expect([action!.action, action!.subtype]).to.deep.equal([Action.Use, Subtype.None]);
      expect(action!.movement).to.deep.equal(I.movement({ usingParty: CHE, ndcYear: 2030, note: "note" }));
      expect((await I.lookAt(s, block))[2]).to.equal(BlockStatus.UsedForNdc);
    });

    it("requires an authorization for it", async () => {
      const block = await I.mint(s, oimp(Definition.Issuance));
      await transfer(block);
      await S.reverts(useForNdc(block), s.itmo, "PurposeNotAuthorized", [2, Purpose.Ndc]);
    });
  });

  describe("use for an OIMP", () => {
    it("is the first transfer as well where the authorization says so", async () => {
      const block = await I.mint(s, oimp(Definition.UseOrCancellation));
      const actions = await I.actionsOf(s, useForOimp(block));
      expect(actions.map(({ action, subtype }) => [action, subtype])).to.deep.equal([
        [Action.FirstTransfer, Subtype.UseOrCancellation],
        [Action.Use, Subtype.None],
      ]);
      const use = { usingParty: ZMB, usingEntity: "CHE-100", purpose: Purpose.Imp, note: "note" };
      expect(actions[1]!.movement).to.deep.equal(I.movement(use));
      const after = [1n, 1_000n, BlockStatus.UsedForOimp, "ZMB", Subtype.UseOrCancellation];
      expect(await I.lookAt(s, block)).to.deep.equal(after);
    });

    it("is for what is authorized: OIMP covers IMP and OP, neither covers the other", async () => {
      const covered: [number, number[]][] = [
        [Purpose.Oimp, [Purpose.Oimp, Purpose.Imp, Purpose.Op]],
        [Purpose.NdcAndOimp, [Purpose.Oimp, Purpose.Imp, Purpose.Op]],
        [Purpose.Imp, [Purpose.Imp]],
        [Purpose.NdcAndImp, [Purpose.Imp]],
        [Purpose.Op, [Purpose.Op]],
        [Purpose.NdcAndOp, [Purpose.Op]],
      ];
      for (const [i, [authorized, allowed]] of covered.entries()) {
        const block = await I.mint(s, oimp(Definition.Issuance, authorized), 100n);
        const use = (purpose: number) =>
          s.itmo.write.useForOimp([I.part(block, 1n, 1n), purpose, "", ""], { account: s.registrar.account });
        for (const purpose of Object.values(Purpose).filter((one) => !allowed.includes(one)))
          await S.reverts(use(purpose), s.itmo, "PurposeNotAuthorized", [i + 2, purpose]);
        const asked = s.itmo.read.blockOf([block]);
        expect((await asked).lastId).to.equal(100n);
        await use(allowed[0]!);
      }
    });

    it("is by an authorized entity, or by the Party itself", async () => {
      const block = await I.mint(s, oimp(Definition.Issuance));
      await S.reverts(useForOimp(block, Purpose.Op, "XYZ"), s.itmo, "EntityNotAuthorized", [2, "XYZ"]);
      const [action] = await I.actionsOf(s, useForOimp(block, Purpose.Op, ""));
      expect(action!.movement).to.deep.equal(I.movement({ usingParty: ZMB, purpose: Purpose.Op, note: "note" }));
    });
  });

  describe("cancellation", () => {
    it("emits its kind", async () => {
      const block = await I.mint(s);
      await transfer(block);
      const first = await kinds(cancel(block, I.Cancellation.Other, "CHE-100", 1n, 10n));
      expect(first).to.deep.equal([[Action.Cancellation, Subtype.Other]]);
      const [action] = await I.actionsOf(s, cancel(I.blockId(1, 11n), I.Cancellation.Voluntary, "CHE-100", 11n, 20n));
      expect([action!.action, action!.subtype]).to.deep.equal([Action.VoluntaryCancellation, Subtype.None]);
      expect(action!.movement).to.deep.equal(I.movement({ usingParty: CHE, usingEntity: "CHE-100", note: "note" }));
      expect((await I.lookAt(s, I.blockId(1, 11n)))[2]).to.equal(BlockStatus.Cancelled);
      const stranger = cancel(I.blockId(1, 21n), I.Cancellation.Other, "XYZ", 21n, 30n);
      await S.reverts(stranger, s.itmo, "EntityNotAuthorized", [2, "XYZ"]);
    });

    it("is the first transfer where the authorization says so, and not for NDC", async () => {
      const forOimp = await I.mint(s, oimp(Definition.UseOrCancellation));
      expect(await kinds(cancel(forOimp))).to.deep.equal([
        [Action.FirstTransfer, Subtype.UseOrCancellation],
        [Action.Cancellation, Subtype.Other],
      ]);
      const forNdc = await I.mint(s);
      expect(await kinds(cancel(forNdc))).to.deep.equal([[Action.Cancellation, Subtype.Other]]);
      expect((await I.lookAt(s, forNdc))[4]).to.equal(Subtype.None);
    });

    it("for OMGE counts in the adjustment, whatever is authorized", async () => {
      const block = await I.mint(s);
      expect(await kinds(cancel(block, I.Cancellation.Omge))).to.deep.equal([
        [Action.FirstTransfer, Subtype.UseOrCancellation],
        [Action.Cancellation, Subtype.VoluntaryOmge],
      ]);
      const after = [1n, 1_000n, BlockStatus.Omge, "ZMB", Subtype.UseOrCancellation];
      expect(await I.lookAt(s, block)).to.deep.equal(after);
    });
  });

  describe("shares", () => {
    const shares = { omgeShare: 200, sopShare: 500 };

    it("are 20 and 50 of 1000 and leave 930", async () => {
      const block = await I.mint(s, shares);
      const actions = await s.itmo.getEvents.ItmoAction();
      expect(actions.map(({ args }) => [args.blockId, args.action, args.subtype])).to.deep.equal([
        [I.blockId(1, 951n), Action.FirstTransfer, Subtype.VoluntaryToAdaptationFund],
        [I.blockId(1, 931n), Action.FirstTransfer, Subtype.UseOrCancellation],
        [I.blockId(1, 931n), Action.Cancellation, Subtype.VoluntaryOmge],
      ]);
      expect(actions[0]!.args.movement).to.deep.equal(I.movement({ transferringParty: ZMB }));
      expect(actions[2]!.args.movement).to.deep.equal(I.movement({ usingParty: ZMB }));
      expect(await I.lookAt(s, block)).to.deep.equal([1n, 930n, BlockStatus.Held, "ZMB", Subtype.None]);
      const omge = [931n, 950n, BlockStatus.Omge, "ZMB", Subtype.UseOrCancellation];
      expect(await I.lookAt(s, I.blockId(1, 931n))).to.deep.equal(omge);
      const sop = [951n, 1_000n, BlockStatus.ShareOfProceeds, "", Subtype.VoluntaryToAdaptationFund];
      expect(await I.lookAt(s, I.blockId(1, 951n))).to.deep.equal(sop);
      const { omge: given, sop: proceeds } = await s.itmo.read.authorizationOf([2]);
      expect([given, proceeds]).to.deep.equal([20n, 50n]);
    });

    it("keep a mark that came at issuance", async () => {
      await I.mint(s, { ...shares, ...oimp(Definition.Issuance) });
      const actions = await s.itmo.getEvents.ItmoAction();
      expect(actions.map(({ args }) => [args.action, args.subtype])).to.deep.equal([
        [Action.FirstTransfer, Subtype.Issuance],
        [Action.Transfer, Subtype.VoluntaryToAdaptationFund],
        [Action.Cancellation, Subtype.VoluntaryOmge],
      ]);
    });

    it("add up over small blocks, and what one block cannot cover stays due", async () => {
      await s.itmo.write.registerAuthorization(
        [I.authorizationOf({ authorizationId: "Small", omgeShare: 2_500, sopShare: 2_500 })],
        registrar(),
      );
      const given: [bigint, bigint][] = [];
      for (let i = 1n; i <= 8n; ++i) {
        await I.request(s, { authorization: 2, amount: I.TONNE });
        await I.finalise(s, Number(i), i, i, { predecessor: Number(i) - 1 });
        const { omge, sop } = await s.itmo.read.authorizationOf([2]);
        given.push([omge, sop]);
      }
      expect(given.map(([omge, sop]) => `${omge}/${sop}`)).to.deep.equal([
        "0/0",
        "0/0",
        "0/0",
        "1/0",
        "1/1",
        "1/1",
        "1/1",
        "2/1",
      ]);
      expect((await I.lookAt(s, I.blockId(5, 5n)))[2]).to.equal(BlockStatus.ShareOfProceeds);
    });

    it("may be a whole block", async () => {
      const block = await I.mint(s, { omgeShare: 4_000, sopShare: 6_000 }, 10n);
      expect((await I.lookAt(s, block)).slice(0, 3)).to.deep.equal([1n, 4n, BlockStatus.Omge]);
      const sop = await I.lookAt(s, I.blockId(1, 5n));
      expect(sop.slice(0, 3)).to.deep.equal([5n, 10n, BlockStatus.ShareOfProceeds]);
    });
  });
});
