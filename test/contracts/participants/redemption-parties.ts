import { expect } from "chai";
import { zeroAddress } from "viem";
import * as S from "../scheme.ts";
import { as, at, type Bare, load, ProductStatus, planOf, withParties } from "../support/participants.ts";

const { networkHelpers } = S.connection;
const { supplierExists, supplierAuthorised, productApproved, householdAuthorised, callerAuthorised } = S.Rule;

/** The packed word that Participants returns, in its parts. */
async function ask(s: Bare, { supplier = 1, product = 1, plan = 0, caller = s.operator } = {}) {
  const verdict = await s.participants.read.redemptionParties([supplier, product, plan, at(caller)]);
  return { rules: Number(verdict & 0xffffn), anyHalted: (verdict >> 16n) & 1n, limit: (verdict >> 56n) & S.NO_BOUND };
}

const unconsentedCap = async (s: Bare, plan: number) =>
  ((await s.participants.read.redemptionParties([1, 1, plan, at(s.operator)])) >> 24n) & 0xffff_ffffn;

/** The packed terms for every redemption by a caller, in its parts. */
async function askTerms(s: Bare, { supplier = 1, caller = s.operator } = {}) {
  const verdict = await s.participants.read.redemptionTerms([supplier, at(caller)]);
  const [rules, anyHalted, version] = [Number(verdict & 0xffffn), (verdict >> 16n) & 1n, verdict >> 120n];
  expect(verdict).to.equal(BigInt(rules) | (anyHalted << 16n) | (version << 120n));
  return { rules, anyHalted, version };
}

const versionOf = async (s: Bare) => (await askTerms(s)).version;

const rulesOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).rules;

describe("Participants: answers to the ledger", () => {
  it("names every broken rule of a redemption's parties, and the limit", async () => {
    const s = await withParties();
    const { participants, registrar } = s;
    expect(await ask(s)).to.deep.equal({ rules: 0, anyHalted: 0n, limit: 60n });
    const none = { rules: supplierExists | productApproved, anyHalted: 0n, limit: 0n };
    expect(await ask(s, { supplier: 2, product: 9 })).to.deep.equal(none);
    expect(await rulesOf(s, { product: 2 })).to.equal(productApproved);
    await participants.write.setSupplierStatus([1, false, ""], as(registrar));
    await participants.write.setProductStatus([1, ProductStatus.Withdrawn], as(registrar));
    expect(await rulesOf(s)).to.equal(supplierAuthorised | productApproved);
  });

  it("returns the largest limit without loss", async () => {
    const s = await withParties();
    await s.participants.write.registerProduct(["p3", "P", "c", "u", S.NO_BOUND, 0], as(s.registrar));
    expect(await ask(s, { product: 3 })).to.deep.equal({ rules: 0, anyHalted: 0n, limit: S.NO_BOUND });
  });

  it("enforces the products that a plan lists", async () => {
    const s = await withParties();
    await s.participants.write.setProductStatus([2, ProductStatus.Approved], as(s.registrar));
    await s.participants.write.registerPlan([planOf()], as(s.operator));
    await s.participants.write.registerPlan([planOf({ planId: "open", products: [] })], as(s.operator));
    expect(await rulesOf(s, { product: 1, plan: 1 })).to.equal(0);
    expect(await rulesOf(s, { product: 2, plan: 1 })).to.equal(productApproved);
    expect(await rulesOf(s, { product: 2, plan: 0 })).to.equal(0);
    expect(await rulesOf(s, { product: 2, plan: 2 })).to.equal(0);
  });

  it("returns what the plan allows without consent", async () => {
    const s = await withParties();
    const [none, most] = [0, 2 ** 32 - 1];
    await s.participants.write.registerPlan([planOf({ unconsentedCap: 0 })], as(s.operator));
    await s.participants.write.setUnconsentedCap([1, most], as(s.council));
    await s.participants.write.registerPlan([planOf({ planId: "strict", unconsentedCap: none })], as(s.operator));
    expect(await Promise.all([0, 1, 2].map((plan) => unconsentedCap(s, plan)))).to.deep.equal([7n, BigInt(most), 0n]);
    await s.participants.write.setUnconsentedCap([0, 5], as(s.council));
    await s.participants.write.setUnconsentedCap([1, 6], as(s.council));
    expect(await Promise.all([0, 1].map((plan) => unconsentedCap(s, plan)))).to.deep.equal([5n, 6n]);
  });

  it("stores the ledger's terms, and accepts them only from it", async () => {
    const s = await withParties();
    const { participants, council, stranger } = s;
    const ledger = stranger;
    const set = (consent: boolean, halted: boolean) =>
      participants.write.setRedemptionTerms([consent, halted], as(ledger));
    await S.reverts(set(true, true), participants, "MissingRole", [at(ledger), S.Role.ledger]);
    await participants.write.grantRole([S.Role.ledger, at(ledger), 0], as(council));
    await set(true, false);
    expect(await ask(s)).to.deep.equal({ rules: householdAuthorised, anyHalted: 0n, limit: 60n });
    await set(false, true);
    expect(await ask(s)).to.deep.equal({ rules: 0, anyHalted: 1n, limit: 60n });
    await set(false, false);
    expect(await ask(s)).to.deep.equal({ rules: 0, anyHalted: 0n, limit: 60n });
  });

  describe("of the caller", () => {
    it("accepts the supplier's own account, and none for an unknown supplier", async () => {
      const s = await withParties();
      expect(await rulesOf(s, { caller: s.supplier })).to.equal(0);
      expect(await rulesOf(s, { caller: s.stranger })).to.equal(callerAuthorised);
      expect(await rulesOf(s, { supplier: 2, caller: s.supplier })).to.equal(supplierExists | callerAuthorised);
    });

    it("does not treat the zero address as operator while there is none", async () => {
      const s = await withParties();
      await s.participants.write.revokeRole([S.Role.operator, at(s.operator)], as(s.council));
      const verdict = await s.participants.read.redemptionParties([1, 1, 0, zeroAddress]);
      expect(Number(verdict & 0xffffn)).to.equal(callerAuthorised);
    });

    it("accepts every operator, in any order of grants", async () => {
      const s = await withParties();
      const grant = (to: Bare["operator"], delay = 0) =>
        s.participants.write.grantRole([S.Role.operator, at(to), delay], as(s.council));
      const revoke = (of: Bare["operator"]) =>
        s.participants.write.revokeRole([S.Role.operator, at(of)], as(s.council));
      const refused = async () => [
        (await rulesOf(s, { caller: s.operator })) !== 0,
        (await rulesOf(s, { caller: s.stranger })) !== 0,
      ];
      await grant(s.stranger);
      expect(await refused()).to.deep.equal([false, false]);
      await revoke(s.stranger);
      expect(await refused()).to.deep.equal([false, true]);
      await revoke(s.operator);
      expect(await refused()).to.deep.equal([true, true]);
      await grant(s.stranger, 60);
      expect(await refused()).to.deep.equal([true, true]);
    });

    it("does not treat an account with another role as operator", async () => {
      const s = await withParties();
      for (const role of [S.Role.council, S.Role.guardian, S.Role.registrar, S.Role.evaluator, S.Role.ledger]) {
        await s.participants.write.grantRole([role, at(s.stranger), 0], as(s.council));
        expect(await rulesOf(s, { caller: s.stranger })).to.equal(callerAuthorised);
      }
    });

    it("accepts an operator once the role is in force, and not once it has a delay", async () => {
      const s = await withParties();
      const { participants, council, stranger } = s;
      await participants.write.setGrantDelay([S.Role.operator, 3600], as(council));
      await networkHelpers.time.increase(6n * S.DAY);
      await participants.write.grantRole([S.Role.operator, at(stranger), 0], as(council));
      expect(await rulesOf(s, { caller: stranger })).to.equal(callerAuthorised);
      await networkHelpers.time.increase(3601n);
      expect(await rulesOf(s, { caller: stranger })).to.equal(0);
      await participants.write.grantRole([S.Role.operator, at(stranger), 0], as(council));
      expect(await rulesOf(s, { caller: stranger })).to.equal(0);
      await participants.write.grantRole([S.Role.operator, at(stranger), 60], as(council));
      expect(await rulesOf(s, { caller: stranger })).to.equal(callerAuthorised);
    });
  });

  describe("of the terms alone", () => {
    it("returns what the ledger requires", async () => {
      const s = await withParties();
      await s.participants.write.grantRole([S.Role.ledger, at(s.stranger), 0], as(s.council));
      const version = await versionOf(s);
      expect(await askTerms(s)).to.deep.equal({ rules: 0, anyHalted: 0n, version });
      await s.participants.write.setRedemptionTerms([true, false], as(s.stranger));
      expect(await askTerms(s)).to.deep.equal({ rules: householdAuthorised, anyHalted: 0n, version });
      await s.participants.write.setRedemptionTerms([false, true], as(s.stranger));
      expect(await askTerms(s)).to.deep.equal({ rules: 0, anyHalted: 1n, version });
    });

    it("accepts an operator for every supplier, a supplier's account for itself, and nobody else", async () => {
      const s = await withParties();
      const rules = async (caller: Bare["operator"], supplier: number) =>
        (await askTerms(s, { supplier, caller })).rules;
      expect(await rules(s.operator, 0)).to.equal(0);
      expect(await rules(s.supplier, 1)).to.equal(0);
      expect(await rules(s.supplier, 0)).to.equal(callerAuthorised);
      expect(await rules(s.supplier, 2)).to.equal(callerAuthorised);
      expect(await rules(s.stranger, 1)).to.equal(callerAuthorised);
      await s.participants.write.grantRole([S.Role.operator, at(s.stranger), 0], as(s.council));
      expect([await rules(s.stranger, 0), await rules(s.operator, 0)]).to.deep.equal([0, 0]);
      await s.participants.write.revokeRole([S.Role.operator, at(s.stranger)], as(s.council));
      expect([await rules(s.stranger, 0), await rules(s.operator, 0)]).to.deep.equal([callerAuthorised, 0]);
      await s.participants.write.revokeRole([S.Role.operator, at(s.operator)], as(s.council));
      const ofNobody = await s.participants.read.redemptionTerms([2, zeroAddress]);
      expect(Number(ofNobody & 0xffffn)).to.equal(callerAuthorised);
    });

    it("has a new version after each change that can change a verdict, the same as the whole verdict", async () => {
      const s = await withParties();
      await s.participants.write.registerPlan([planOf()], as(s.operator));
      const bare = await S.connection.viem.deployContract("Participants", [at(s.council)]);
      expect((await bare.read.redemptionTerms([1, at(s.operator)])) >> 120n).to.equal(1n);
      const changes = [
        () => s.participants.write.setSupplierStatus([1, false, ""], as(s.registrar)),
        () => s.participants.write.setSupplierStatus([1, true, ""], as(s.registrar)),
        () => s.participants.write.setProductStatus([1, ProductStatus.Withdrawn], as(s.registrar)),
        () => s.participants.write.setProductStatus([1, ProductStatus.Approved], as(s.registrar)),
        () => s.participants.write.setUnconsentedCap([0, 6], as(s.guardian)),
        () => s.participants.write.setUnconsentedCap([1, 5], as(s.guardian)),
      ];
      for (const change of changes) {
        const before = await versionOf(s);
        await change();
        expect(await versionOf(s)).to.equal(before + 1n);
        const verdict = await s.participants.read.redemptionParties([1, 1, 1, at(s.operator)]);
        expect(verdict >> 120n).to.equal(before + 1n);
      }
    });
  });

  it("reverts for accounts without the role", async () => {
    const { participants, operator, stranger } = await load();
    await participants.read.requireRole([S.Role.operator, at(operator)]);
    const call = participants.read.requireRole([S.Role.operator, at(stranger)]);
    await S.reverts(call, participants, "MissingRole", [at(stranger), S.Role.operator]);
  });
});
