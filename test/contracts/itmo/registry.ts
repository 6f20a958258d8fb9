import { expect } from "chai";
import * as S from "../scheme.ts";
import * as I from "../support/itmo.ts";

const { networkHelpers } = S.connection;

describe("Itmo: registry", () => {
  let s: I.ItmoScheme;
  beforeEach(async () => {
    s = await I.loadAuthorized();
  });
  const missing = (call: Promise<unknown>, who: I.ItmoScheme["operator"], role: bigint) =>
    S.reverts(call, s.participants, "MissingRole", [I.at(who), role]);

  describe("registerApproach", () => {
    const other = I.ascii("CA0002");
    const register = (change: Record<string, unknown> = {}, by = s.registrar) =>
      s.itmo.write.registerApproach([I.approachOf({ approachId: other, ...change })], I.as(by));

    it("stores the approach and lets its Parties take part", async () => {
      await S.emits(register(), s.itmo, "ApproachRegistered", [2, other, I.approachOf({ approachId: other })]);
      expect(await s.itmo.read.approachIndex([other])).to.equal(2);
      expect(await s.itmo.read.approachOf([2])).to.deep.equal({
        approachId: other,
        firstTransferringParty: I.ascii("ZMB"),
        ndcFirstYear: 2021,
        ndcLastYear: 2030,
      });
      for (const [party, takesPart] of [
        ["ZMB", true],
        ["CHE", true],
        ["SWE", true],
        ["GHA", false],
      ] as const)
        expect(await s.itmo.read.participates([2, I.ascii(party)]), party).to.equal(takesPart);
    });

    it("is possible only for the registrar", async () =>
      missing(register({}, s.operator), s.operator, S.Role.registrar));

    it("refuses codes that the electronic format does not know", async () => {
      const bytes32 = (text: string) => `${I.ascii(text)}${"00".repeat(32 - text.length)}`;
      for (const approachId of ["CB0001", "CA00X1", "ca0001", "CA001\0"])
        await S.reverts(register({ approachId: I.ascii(approachId) }), s.itmo, "CodeInvalid", [bytes32(approachId)]);
      for (const party of ["zmb", "ZM1", "Z[B", "@MB"]) {
        const refused = [bytes32(party)];
        await S.reverts(register({ firstTransferringParty: I.ascii(party) }), s.itmo, "CodeInvalid", refused);
        await S.reverts(register({ participatingParties: [I.ascii(party)] }), s.itmo, "CodeInvalid", refused);
      }
    });

    it("refuses an NDC period that ends before it begins, and an id twice", async () => {
      await S.reverts(register({ ndcLastYear: 2020 }), s.itmo, "YearsNotOrdered", [2021, 2020]);
      await register({ ndcFirstYear: 2030 });
      await S.reverts(register(), s.itmo, "ApproachKnown", [other, 2]);
    });
  });

  describe("registerAuthorization", () => {
    const fresh = { authorizationId: "New-1" };
    const register = (change: Record<string, unknown> = {}, by = s.registrar) =>
      s.itmo.write.registerAuthorization([I.authorizationOf({ ...fresh, ...change })], I.as(by));

    it("stores the terms as version 1, and the authorized entities", async () => {
      const shares = { omgeShare: 200, sopShare: 500 };
      const entry = I.authorizationOf({ ...fresh, ...shares });
      await S.emits(register(shares), s.itmo, "AuthorizationRegistered", [2, 1, entry]);
      expect(await s.itmo.read.authorizationIndex([S.hashOf("New-1")])).to.equal(2);
      expect(await s.itmo.read.authorizationOf([2])).to.deep.equal({
        approach: 1,
        purpose: I.Purpose.Ndc,
        firstTransfer: I.Definition.None,
        firstYear: 2021,
        lastYear: 2030,
        ...shares,
        version: 1,
        quantity: 5_000n,
        committed: 0n,
        issued: 0n,
        omge: 0n,
        sop: 0n,
        authorizationId: "New-1",
      });
      expect(await s.authorizations.read.isAuthorizedEntity([2, S.hashOf("CHE-100")])).to.equal(true);
      expect(await s.authorizations.read.isAuthorizedEntity([2, S.hashOf("CHE-101")])).to.equal(false);
    });

    it("is possible only for the registrar", async () =>
      missing(register({}, s.operator), s.operator, S.Role.registrar));

    it("refuses ids with invalid characters, empty or too long", async () => {
      for (const authorizationId of ["", "A_1", "Ä1", "A\n1", "A".repeat(65)])
        await S.reverts(register({ authorizationId }), s.itmo, "TextInvalid", [authorizationId]);
      await register({ authorizationId: "Zz 09-".padEnd(64, "A") });
    });

    it("refuses contradictory terms", async () => {
      const today = (await S.now()).day;
      await S.reverts(register({ approach: 2 }), s.itmo, "UnknownApproach", [2]);
      await S.reverts(register({ date: today + 1 }), s.itmo, "DateInFuture", [today + 1, today]);
      await S.reverts(register({ quantity: 0n }), s.itmo, "QuantityZero", []);
      await S.reverts(register({ purpose: I.Purpose.None }), s.itmo, "PurposeMissing", []);
      await S.reverts(register({ firstYear: 2031 }), s.itmo, "YearsNotOrdered", [2031, 2030]);
      await S.reverts(register({ omgeShare: 5_001, sopShare: 5_000 }), s.itmo, "SharesTooLarge", [5_001, 5_000]);
      await register({ date: today, omgeShare: 5_000, sopShare: 5_000 });
    });

    it("requires the first transfer to be defined for OIMP, and only then", async () => {
      const { Ndc, None: _, ...oimp } = I.Purpose;
      const wrong = register({ firstTransfer: I.Definition.Issuance });
      await S.reverts(wrong, s.itmo, "FirstTransferMismatch", [Ndc, I.Definition.Issuance]);
      for (const purpose of Object.values(oimp)) {
        await S.reverts(register({ purpose }), s.itmo, "FirstTransferMismatch", [purpose, I.Definition.None]);
        await register({ purpose, firstTransfer: I.Definition.Issuance, authorizationId: `For ${purpose}` });
      }
    });

    it("refuses entities without an id or a country", async () => {
      const entity = { name: "N", country: I.ascii("CHE"), entityId: "1", implementer: 0 };
      await S.reverts(register({ entities: [{ ...entity, entityId: "" }] }), s.itmo, "TextInvalid", [""]);
      const refused = [`0x${"00".repeat(32)}`];
      await S.reverts(register({ entities: [{ ...entity, country: "0x000000" }] }), s.itmo, "CodeInvalid", refused);
    });

    it("refuses an id twice", async () => {
      const known = [S.hashOf("ZMB-AUTH 1"), 1];
      await S.reverts(register({ authorizationId: "ZMB-AUTH 1" }), s.itmo, "AuthorizationKnown", known);
    });
  });

  describe("setAuthorizedQuantity", () => {
    const set = (quantity: bigint, authorization = 1, by = s.registrar) =>
      s.itmo.write.setAuthorizedQuantity([authorization, quantity, "why"], I.as(by));

    it("creates a new version, with at least the committed quantity", async () => {
      await I.request(s);
      await S.reverts(set(999n), s.itmo, "QuantityBelowCommitted", [1, 999n, 1_000n]);
      await S.emits(set(1_000n), s.itmo, "AuthorizedQuantityChanged", [1, 2, 1_000n, "why"]);
      const tooMuch = I.request(s, { amount: I.TONNE });
      await S.reverts(tooMuch, s.itmo, "QuantityNotAuthorized", [1, 1n, 0n]);
      await S.emits(set(1_001n), s.itmo, "AuthorizedQuantityChanged", [1, 3, 1_001n, "why"]);
      await I.request(s, { amount: I.TONNE });
    });

    it("is possible only for the registrar, and for a known authorization", async () => {
      await missing(set(1n, 1, s.operator), s.operator, S.Role.registrar);
      await S.reverts(set(1n, 2), s.itmo, "UnknownAuthorization", [2]);
    });
  });

  describe("the day's cap", () => {
    it("can be set by the council and lowered by the guardian", async () => {
      expect(await s.itmo.read.dailyCap()).to.equal(100_000n);
      await missing(s.itmo.write.setDailyCap([1n], I.as(s.guardian)), s.guardian, S.Role.council);
      await S.emits(s.itmo.write.setDailyCap([50n], I.as(s.council)), s.itmo, "DailyCapChanged", [50n]);
      await missing(s.itmo.write.lowerDailyCap([1n], I.as(s.registrar)), s.registrar, S.Role.guardian);
      await S.reverts(s.itmo.write.lowerDailyCap([50n], I.as(s.guardian)), s.itmo, "CapNotLowered", [50n, 50n]);
      await S.emits(s.itmo.write.lowerDailyCap([0n], I.as(s.guardian)), s.itmo, "DailyCapChanged", [0n]);
    });

    it("limits what is finalised and moved in any 24 hours, not what is given back", async () => {
      const midnight = BigInt((await S.now()).day + 2) * S.DAY;
      await networkHelpers.time.increaseTo(midnight - 60n);
      await I.request(s, { amount: 60n * I.TONNE });
      await I.request(s, { amount: 10n * I.TONNE });
      await s.itmo.write.setDailyCap([100n], I.as(s.council));
      await I.finalise(s, 1, 1n, 60n);
      await networkHelpers.time.increaseTo(midnight + 60n);
      const transfer = (last: bigint) =>
        s.itmo.write.transfer([I.part(I.blockId(1, 1n), 1n, last), I.ascii("CHE"), ""], I.as(s.registrar));
      await S.reverts(transfer(41n), s.itmo, "DailyCapExceeded", [60n, 41n, 100n]);
      await transfer(40n);
      expect(await s.itmo.read.movedToday()).to.equal(100n);
      await S.reverts(I.finalise(s, 2, 61n, 70n), s.itmo, "DailyCapExceeded", [100n, 10n, 100n]);
      await s.itmo.write.revertConversion([2, ""], I.as(s.registrar));
      await s.itmo.write.lowerDailyCap([50n], I.as(s.guardian));
      const more = s.itmo.write.cancel([I.part(I.blockId(1, 41n), 41n, 41n), 0, "", ""], I.as(s.registrar));
      await S.reverts(more, s.itmo, "DailyCapExceeded", [100n, 1n, 50n]);
      await networkHelpers.time.increase(S.DAY + S.DAY / 2n);
      expect(await s.itmo.read.movedToday()).to.equal(0n);
      await s.itmo.write.cancel([I.part(I.blockId(1, 41n), 41n, 60n), 0, "", ""], I.as(s.registrar));
    });
  });
});
