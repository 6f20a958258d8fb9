import { expect } from "chai";
import { zeroAddress } from "viem";
import * as S from "../scheme.ts";
import { as, at, type Bare, hash, withParties } from "../support/participants.ts";

const { networkHelpers } = S.connection;
const { implementer, supplier, household } = S.Party;

/** Implementer 1, supplier 1 and household 1, which has an account. */
async function parties() {
  const s = await withParties();
  await s.participants.write.registerHouseholds(
    [
      [hash(1), hash(2)],
      [at(s.household), zeroAddress],
    ],
    as(s.operator),
  );
  await s.participants.write.confirmAccount([1, at(s.household)], as(s.evaluator));
  return s;
}

/** Each call by one of the parties' people, on a kind of party. */
function calls({ participants }: Bare, kind: number, of = 1) {
  return {
    propose: (to: Bare["operator"], by: Bare["operator"]) =>
      participants.write.proposeAccount([kind, of, at(to)], as(by)),
    drop: (by: Bare["operator"]) => participants.write.dropAccount([kind, of], as(by)),
    finalise: (by: Bare["operator"]) => participants.write.finaliseAccount([kind, of], as(by)),
    pending: () => participants.read.pendingAccount([kind, of]),
  };
}

const accountOf = async ({ participants }: Bare, kind: number) => {
  if (kind === implementer) return (await participants.read.implementerOf([1])).account;
  return kind === supplier
    ? (await participants.read.supplierOf([1])).account
    : participants.read.householdAccount([1]);
};
const next = async () => BigInt(await networkHelpers.time.latest()) + S.DAY;
const passDay = () => networkHelpers.time.increase(S.DAY);

for (const [name, kind, event] of [
  ["implementer", implementer, "ImplementerAccountChanged"],
  ["supplier", supplier, "SupplierAccountChanged"],
] as const) {
  describe(`Participants: the account of ${name === "supplier" ? "a supplier" : "an implementer"}`, () => {
    const suspend = ({ participants, registrar }: Bare, authorised = false) =>
      kind === supplier
        ? participants.write.setSupplierStatus([1, authorised, "why"], as(registrar))
        : participants.write.setImplementerStatus([1, authorised, "why"], as(registrar));

    for (const proposer of [name, "registrar"] as const) {
      it(`changes a day after the ${proposer} proposed it, when anyone activates it, and not before`, async () => {
        const s = await parties();
        const { propose, finalise, pending } = calls(s, kind);
        const old = at(s[name]);
        await propose(s.otherSupplier, s[proposer]);
        const from = Number(await next());
        expect(await pending()).to.deep.equal({
          account: at(s.otherSupplier),
          from,
          confirmed: false,
          byOwner: proposer === name,
        });
        expect(await accountOf(s, kind)).to.equal(old);
        await networkHelpers.time.setNextBlockTimestamp(from - 1);
        await S.reverts(finalise(s.stranger), s.participants, "AccountDelayNotOver", [from]);
        await networkHelpers.time.setNextBlockTimestamp(from);
        await S.emits(finalise(s.stranger), s.participants, event, [1, at(s.otherSupplier)]);
        expect(await accountOf(s, kind)).to.equal(at(s.otherSupplier));
        await S.reverts(finalise(s.stranger), s.participants, "NoAccountPending", [kind, 1]);
      });
    }

    it("emits a proposal, and restarts the delay with another one", async () => {
      const s = await parties();
      const { propose, finalise } = calls(s, kind);
      const time = (await networkHelpers.time.latest()) + 10;
      await networkHelpers.time.setNextBlockTimestamp(time);
      const args = [kind, 1, at(s.stranger), time + 86_400, at(s.registrar)];
      await S.emits(propose(s.stranger, s.registrar), s.participants, "AccountProposed", args);
      await networkHelpers.time.setNextBlockTimestamp(time + 1_000);
      await propose(s.otherSupplier, s[name]);
      await networkHelpers.time.setNextBlockTimestamp(time + 86_400);
      await S.reverts(finalise(s.stranger), s.participants, "AccountDelayNotOver", [time + 1_000 + 86_400]);
    });

    for (const who of [name, "guardian", "registrar"] as const) {
      it(`stays when the ${who} drops the proposal`, async () => {
        const s = await parties();
        const { propose, drop, finalise } = calls(s, kind);
        await propose(s.stranger, s.registrar);
        await S.emits(drop(s[who]), s.participants, "AccountDropped", [kind, 1, at(s.stranger), at(s[who])]);
        await passDay();
        await S.reverts(finalise(s.stranger), s.participants, "NoAccountPending", [kind, 1]);
        expect(await accountOf(s, kind)).to.equal(at(s[name]));
      });
    }

    it("refuses to propose or drop for any other caller", async () => {
      const s = await parties();
      const { propose, drop } = calls(s, kind);
      for (const who of [s.operator, s.evaluator, s.guardian, s.stranger]) {
        const refused = propose(s.stranger, who);
        await S.reverts(refused, s.participants, "MissingRole", [at(who), S.Role.registrar]);
      }
      await propose(s.otherSupplier, s.registrar);
      for (const who of [s.operator, s.evaluator, s.otherSupplier, s.stranger]) {
        await S.reverts(drop(who), s.participants, "NotPermitted", [at(who)]);
      }
    });

    it("can neither propose nor drop while the party is suspended", async () => {
      const s = await parties();
      const { propose, drop, finalise } = calls(s, kind);
      await propose(s.stranger, s[name]);
      await S.emits(suspend(s), s.participants, "AccountDropped", [kind, 1, at(s.stranger), at(s.registrar)]);
      const again = propose(s.stranger, s[name]);
      await S.reverts(again, s.participants, "MissingRole", [at(s[name]), S.Role.registrar]);
      await propose(s.otherSupplier, s.registrar);
      await S.reverts(drop(s[name]), s.participants, "NotPermitted", [at(s[name])]);
      await passDay();
      await finalise(s.stranger);
      expect(await accountOf(s, kind)).to.equal(at(s.otherSupplier));
    });

    it("can propose and drop again once the party is authorised again, which drops no proposal", async () => {
      const s = await parties();
      const { propose, drop, pending } = calls(s, kind);
      await suspend(s);
      await propose(s.stranger, s.registrar);
      await suspend(s, true);
      expect((await pending()).account).to.equal(at(s.stranger));
      await drop(s[name]);
    });

    it("refuses the zero address, unknown parties, and a drop or activation without a proposal", async () => {
      const s = await parties();
      const { drop, finalise } = calls(s, kind);
      const { proposeAccount } = s.participants.write;
      const unknown = name === "supplier" ? "UnknownSupplier" : "UnknownImplementer";
      await S.reverts(proposeAccount([kind, 1, zeroAddress], as(s.registrar)), s.participants, "ZeroAccount", []);
      await S.reverts(proposeAccount([kind, 9, at(s.stranger)], as(s.registrar)), s.participants, unknown, [9]);
      await S.reverts(drop(s.guardian), s.participants, "NoAccountPending", [kind, 1]);
      await S.reverts(finalise(s.stranger), s.participants, "NoAccountPending", [kind, 1]);
    });
  });
}

describe("Participants: a suspended implementer", () => {
  it("has no account that can act, until the registrar authorises it again", async () => {
    const { participants, registrar, ...s } = await parties();
    const set = (authorised: boolean) => participants.write.setImplementerStatus([1, authorised, "why"], as(registrar));
    await S.emits(set(false), participants, "ImplementerStatusChanged", [1, false, "why"]);
    expect(await participants.read.implementerAccount([1])).to.equal(zeroAddress);
    expect(await participants.read.implementerOf([1])).to.deep.equal({
      account: at(s.implementer),
      authorised: false,
    });
    await set(true);
    expect(await participants.read.implementerAccount([1])).to.equal(at(s.implementer));
  });

  it("is suspended only by the registrar, and must exist", async () => {
    const { participants, registrar, evaluator } = await parties();
    const by = (who: Bare["operator"], of: number) => participants.write.setImplementerStatus([of, false, ""], as(who));
    await S.reverts(by(evaluator, 1), participants, "MissingRole", [at(evaluator), S.Role.registrar]);
    await S.reverts(by(registrar, 9), participants, "UnknownImplementer", [9]);
  });
});

describe("Participants: the account of a household", () => {
  const confirm = ({ participants }: Bare, of: number, account: Bare["operator"], by: Bare["operator"]) =>
    participants.write.confirmAccount([of, at(account)], as(by));

  it("cannot be set by the operator alone, however long it waits", async () => {
    const s = await parties();
    const { propose, finalise } = calls(s, household, 2);
    await propose(s.stranger, s.operator);
    await passDay();
    await S.reverts(finalise(s.operator), s.participants, "AccountNotConfirmed", [2]);
    const byOperator = confirm(s, 2, s.stranger, s.operator);
    await S.reverts(byOperator, s.participants, "MissingRole", [at(s.operator), S.Role.evaluator]);
    expect(await s.participants.read.householdAccount([2])).to.equal(zeroAddress);
  });

  it("is in force immediately when an evaluator confirms the first one", async () => {
    const s = await parties();
    const { propose, pending } = calls(s, household, 2);
    await propose(s.stranger, s.operator);
    const call = confirm(s, 2, s.stranger, s.evaluator);
    await S.emits(call, s.participants, "AccountConfirmed", [2, at(s.stranger), at(s.evaluator)]);
    expect(await s.participants.getEvents.HouseholdAccountSet()).to.have.length(1);
    expect(await s.participants.read.householdAccount([2])).to.equal(at(s.stranger));
    expect((await pending()).account).to.equal(zeroAddress);
  });

  it("is confirmed by address: a later proposal is not confirmed", async () => {
    const s = await parties();
    const { propose } = calls(s, household, 2);
    const early = confirm(s, 2, s.stranger, s.evaluator);
    await S.reverts(early, s.participants, "NoAccountPending", [household, 2]);
    await propose(s.stranger, s.operator);
    await propose(s.otherSupplier, s.operator);
    const call = confirm(s, 2, s.stranger, s.evaluator);
    await S.reverts(call, s.participants, "OtherAccountPending", [2, at(s.otherSupplier)]);
  });

  it("is proposed by the operator only while there is none", async () => {
    const s = await parties();
    const call = calls(s, household).propose(s.stranger, s.operator);
    await S.reverts(call, s.participants, "MissingRole", [at(s.operator), S.Role.registrar]);
    await calls(s, household, 2).propose(s.stranger, s.operator);
    await calls(s, household, 2).drop(s.operator);
  });

  it("changes a day after its own proposal, without an evaluator", async () => {
    const s = await parties();
    const { propose, finalise } = calls(s, household);
    await propose(s.stranger, s.household);
    const from = Number(await next());
    await S.reverts(finalise(s.stranger), s.participants, "AccountDelayNotOver", [from]);
    await passDay();
    await S.emits(finalise(s.stranger), s.participants, "HouseholdAccountSet", [1, at(s.stranger)]);
  });

  it("changes a day after the registrar's proposal, if an evaluator confirms it", async () => {
    const s = await parties();
    const { propose, finalise } = calls(s, household);
    await propose(s.stranger, s.registrar);
    await passDay();
    await S.reverts(finalise(s.stranger), s.participants, "AccountNotConfirmed", [1]);
    await confirm(s, 1, s.stranger, s.evaluator);
    expect(await s.participants.read.householdAccount([1])).to.equal(at(s.stranger));
  });

  it("waits the whole day even if an evaluator confirms it earlier", async () => {
    const s = await parties();
    const { propose, finalise } = calls(s, household);
    await propose(s.stranger, s.registrar);
    await confirm(s, 1, s.stranger, s.evaluator);
    expect(await s.participants.read.householdAccount([1])).to.equal(at(s.household));
    await passDay();
    await finalise(s.stranger);
    expect(await s.participants.read.householdAccount([1])).to.equal(at(s.stranger));
  });

  it("can drop the proposal until an evaluator confirms it; then only the guardian can", async () => {
    const s = await parties();
    const { propose, drop, pending } = calls(s, household);
    await propose(s.stranger, s.registrar);
    await drop(s.household);
    await propose(s.stranger, s.registrar);
    await confirm(s, 1, s.stranger, s.evaluator);
    await S.reverts(drop(s.household), s.participants, "NotPermitted", [at(s.household)]);
    const own = propose(s.otherSupplier, s.household);
    await S.reverts(own, s.participants, "MissingRole", [at(s.household), S.Role.registrar]);
    await drop(s.guardian);
    expect((await pending()).account).to.equal(zeroAddress);
  });

  it("is refused for an unknown household and for the zero address", async () => {
    const s = await parties();
    const { proposeAccount } = s.participants.write;
    for (const unknown of [0, 3]) {
      const call = proposeAccount([household, unknown, at(s.stranger)], as(s.operator));
      await S.reverts(call, s.participants, "UnknownHousehold", [unknown]);
    }
    await S.reverts(proposeAccount([household, 2, zeroAddress], as(s.operator)), s.participants, "ZeroAccount", []);
    const stranger = proposeAccount([household, 2, at(s.stranger)], as(s.stranger));
    await S.reverts(stranger, s.participants, "MissingRole", [at(s.stranger), S.Role.registrar]);
  });
});
