import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import * as S from "../scheme.ts";
import { as, at, type Bare, hash, load, ProductStatus, planOf, withParties } from "../support/participants.ts";

const { networkHelpers } = S.connection;

describe("Participants: households", () => {
  it("registers new hashes under consecutive indexes", async () => {
    const { participants, operator } = await load();
    await S.emits(
      participants.write.registerHouseholds([[hash(1), hash(2)], []], as(operator)),
      participants,
      "HouseholdsRegistered",
      [1, [hash(1), hash(2)]],
    );
    await participants.write.registerHouseholds([[hash(3)], []], as(operator));
    expect(await participants.read.householdIndex([hash(2)])).to.equal(2);
    expect(await participants.read.householdIndex([hash(3)])).to.equal(3);
    expect(await participants.read.householdIndex([hash(4)])).to.equal(0);
    expect(await participants.read.householdCount()).to.equal(3);
  });

  it("returns the first new index and the number of new ones", async () => {
    const { participants, operator } = await load();
    await participants.write.registerHouseholds([[hash(1)], []], as(operator));
    const by = { account: operator.account.address };
    const { result } = await participants.simulate.registerHouseholds([[hash(1), hash(2), hash(3)], []], by);
    expect(result).to.deep.equal([2, 2]);
    const again = await participants.simulate.registerHouseholds([[hash(1)], []], by);
    expect(again.result).to.deep.equal([2, 0]);
  });

  it("skips registered hashes, also within one call, and numbers only the rest", async () => {
    const { participants, operator } = await load();
    await participants.write.registerHouseholds([[hash(1)], []], as(operator));
    const list = [hash(2), hash(1), hash(3), hash(2)];
    const call = participants.write.registerHouseholds([list, []], as(operator));
    await S.emits(call, participants, "HouseholdsRegistered", [2, [hash(2), hash(3)]]);
    const skipped = await participants.getEvents.HouseholdSkipped();
    expect(skipped.map(({ args }) => args)).to.deep.equal([
      { householdHash: hash(1), household: 1 },
      { householdHash: hash(2), household: 2 },
    ]);
    expect(await participants.read.householdCount()).to.equal(3);
  });

  it("emits no registration when all were registered before", async () => {
    const { participants, operator } = await load();
    await participants.write.registerHouseholds([[hash(1)], []], as(operator));
    await participants.write.registerHouseholds([[hash(1)], []], as(operator));
    expect(await participants.getEvents.HouseholdsRegistered()).to.have.length(0);
    expect(await participants.getEvents.HouseholdSkipped()).to.have.length(1);
  });

  it("proposes the given accounts, only for new households", async () => {
    const { participants, operator, household, stranger } = await load();
    const accounts = [at(household), zeroAddress];
    await participants.write.registerHouseholds([[hash(1), hash(2)], accounts], as(operator));
    await participants.write.registerHouseholds([[hash(1)], [at(stranger)]], as(operator));
    const waiting = async (of: number) => (await participants.read.pendingAccount([S.Party.household, of])).account;
    expect(await waiting(1)).to.equal(at(household));
    expect(await waiting(2)).to.equal(zeroAddress);
    expect(await participants.read.householdAccount([1])).to.equal(zeroAddress);
  });

  it("refuses a caller without the role, or with an execution delay", async () => {
    const { participants, stranger, council } = await load();
    const call = () => participants.write.registerHouseholds([[hash(1)], []], as(stranger));
    await S.reverts(call(), participants, "MissingRole", [at(stranger), S.Role.operator]);
    await participants.write.grantRole([S.Role.operator, at(stranger), 60], as(council));
    await S.reverts(call(), participants, "MissingRole", [at(stranger), S.Role.operator]);
  });

  it("refuses lists of accounts and households of different lengths, and the zero hash", async () => {
    const { participants, operator, household } = await load();
    const uneven = participants.write.registerHouseholds([[hash(1), hash(2)], [at(household)]], as(operator));
    await S.reverts(uneven, participants, "LengthMismatch", [2n, 1n]);
    const empty = participants.write.registerHouseholds([[hash(1), zeroHash], []], as(operator));
    await S.reverts(empty, participants, "EmptyId", []);
  });

  it("refuses more households than 32 bits can count", async () => {
    const { participants, operator } = await load();
    // After the access manager's four slots, four of the accounts and two of the issuers; the slot's lowest part.
    await networkHelpers.setStorageAt(participants.address, 10, 2n ** 32n - 2n);
    expect(await participants.read.householdCount()).to.equal(2 ** 32 - 2);
    const call = participants.write.registerHouseholds([[hash(1), hash(2)], []], as(operator));
    await S.reverts(call, participants, "SafeCastOverflowedUintDowncast", [32, 2n ** 32n + 1n]);
  });
});

describe("Participants: implementers and suppliers", () => {
  it("registers an implementer by name in the event and account in storage", async () => {
    const { participants, registrar, implementer } = await load();
    const call = participants.write.registerImplementer(["did:i", at(implementer), "Name"], as(registrar));
    await S.emits(call, participants, "ImplementerRegistered", [1, at(implementer), "did:i", "Name"]);
    expect(await participants.read.implementerIndex([S.hashOf("did:i")])).to.equal(1);
    expect(await participants.read.implementerOf([1])).to.deep.equal({ account: at(implementer), authorised: true });
    expect(await participants.read.implementerAccount([1])).to.equal(at(implementer));
  });

  it("registers a supplier as authorised and not flagged", async () => {
    const { participants, registrar, supplier } = await load();
    const call = participants.write.registerSupplier(["did:s", at(supplier), "Name", "Region"], as(registrar));
    await S.emits(call, participants, "SupplierRegistered", [1, at(supplier), "did:s", "Name", "Region"]);
    expect(await participants.read.supplierIndex([S.hashOf("did:s")])).to.equal(1);
    expect(await participants.read.supplierOf([1])).to.deep.equal({
      account: at(supplier),
      authorised: true,
      flagged: false,
    });
  });

  it("refuses callers without the role, zero accounts and empty ids", async () => {
    const { participants, registrar, operator, supplier } = await withParties();
    const { registerImplementer, registerSupplier } = participants.write;
    const missing = [at(operator), S.Role.registrar];
    await S.reverts(registerImplementer(["x", at(supplier), ""], as(operator)), participants, "MissingRole", missing);
    await S.reverts(registerSupplier(["x", at(supplier), "", ""], as(operator)), participants, "MissingRole", missing);
    await S.reverts(registerImplementer(["x", zeroAddress, ""], as(registrar)), participants, "ZeroAccount", []);
    await S.reverts(registerSupplier(["x", zeroAddress, "", ""], as(registrar)), participants, "ZeroAccount", []);
    await S.reverts(registerImplementer(["", at(supplier), ""], as(registrar)), participants, "EmptyId", []);
    await S.reverts(registerSupplier(["", at(supplier), "", ""], as(registrar)), participants, "EmptyId", []);
    const implementerAgain = registerImplementer(["did:i", at(supplier), ""], as(registrar));
    await S.reverts(implementerAgain, participants, "AlreadyRegistered", [S.hashOf("did:i"), 1]);
    const supplierAgain = registerSupplier(["did:s", at(supplier), "", ""], as(registrar));
    await S.reverts(supplierAgain, participants, "AlreadyRegistered", [S.hashOf("did:s"), 1]);
  });

  it("suspends and authorises a supplier, and changes nothing else", async () => {
    const { participants, registrar, evaluator, supplier, operator } = await withParties();
    await participants.write.setSupplierFlag([1, true, ""], as(evaluator));
    const call = participants.write.setSupplierStatus([1, false, "why"], as(registrar));
    await S.emits(call, participants, "SupplierStatusChanged", [1, false, "why"]);
    expect(await participants.read.supplierOf([1])).to.deep.equal({
      account: at(supplier),
      authorised: false,
      flagged: true,
    });
    const strange = participants.write.setSupplierStatus([1, true, ""], as(operator));
    await S.reverts(strange, participants, "MissingRole", [at(operator), S.Role.registrar]);
    const unknown = participants.write.setSupplierStatus([2, true, ""], as(registrar));
    await S.reverts(unknown, participants, "UnknownSupplier", [2]);
  });

  it("flags a supplier for review, only for an evaluator", async () => {
    const { participants, evaluator, registrar } = await withParties();
    const call = participants.write.setSupplierFlag([1, true, "why"], as(evaluator));
    await S.emits(call, participants, "SupplierFlagChanged", [1, true, "why"]);
    const strange = participants.write.setSupplierFlag([1, false, ""], as(registrar));
    await S.reverts(strange, participants, "MissingRole", [at(registrar), S.Role.evaluator]);
    const unknown = participants.write.setSupplierFlag([0, true, ""], as(evaluator));
    await S.reverts(unknown, participants, "UnknownSupplier", [0]);
  });
});

describe("Participants: products", () => {
  it("starts a registrar's product approved and an operator's pending", async () => {
    const { participants, registrar, operator } = await withParties();
    const own = participants.write.registerProduct(["a", "A", "c", "u", 5n, 0], as(registrar));
    const status = ProductStatus.Approved;
    await S.emits(own, participants, "ProductRegistered", [3, 0, "a", "A", "c", "u", 5n, status]);
    await participants.write.registerProduct(["b", "B", "c", "u", 0n, 1], as(operator));
    expect(await participants.read.productOf([4])).to.deep.equal({
      status: ProductStatus.Pending,
      implementer: 1,
      maxAmountPerRedemption: 0n,
    });
    expect(await participants.read.productIndex([S.hashOf("b")])).to.equal(4);
  });

  it("refuses callers without the role, unknown implementers and empty ids", async () => {
    const { participants, registrar, operator, stranger } = await withParties();
    const register = (id: string, implementer: number, by: Bare["operator"]) =>
      participants.write.registerProduct([id, "", "", "", 0n, implementer], as(by));
    await S.reverts(register("x", 1, stranger), participants, "MissingRole", [at(stranger), S.Role.operator]);
    await S.reverts(register("x", 0, operator), participants, "UnknownImplementer", [0]);
    await S.reverts(register("x", 2, registrar), participants, "UnknownImplementer", [2]);
    await S.reverts(register("", 0, registrar), participants, "EmptyId", []);
    await S.reverts(register("p1", 0, registrar), participants, "AlreadyRegistered", [S.hashOf("p1"), 1]);
  });

  it("lets the registrar approve, and the registrar or an operator withdraw", async () => {
    const { participants, registrar, operator, stranger } = await withParties();
    const set = (product: number, status: number, by: Bare["operator"]) =>
      participants.write.setProductStatus([product, status], as(by));
    const { None, Pending, Approved, Withdrawn } = ProductStatus;
    await S.reverts(set(2, Approved, operator), participants, "MissingRole", [at(operator), S.Role.registrar]);
    await S.emits(set(2, Approved, registrar), participants, "ProductStatusChanged", [2, Approved]);
    await S.reverts(set(2, Withdrawn, stranger), participants, "MissingRole", [at(stranger), S.Role.registrar]);
    await S.emits(set(2, Withdrawn, operator), participants, "ProductStatusChanged", [2, Withdrawn]);
    await set(2, Approved, registrar);
    await set(2, Withdrawn, registrar);
    for (const status of [None, Pending, Withdrawn]) {
      const call = set(2, status, registrar);
      await S.reverts(call, participants, "ProductStatusNotAllowed", [2, Withdrawn, status]);
    }
    await S.reverts(set(7, Approved, registrar), participants, "UnknownProduct", [7]);
  });
});

describe("Participants: monitoring plans", () => {
  it("has the scheme's default plan from the start", async () => {
    const { participants } = await load();
    expect(await participants.read.planOf([0])).to.deep.equal({
      implementer: 0,
      startDay: 0,
      endDay: 0,
      claimWindowHours: 336,
      reviewShare: 0,
      supplierMayIssue: false,
      listsProducts: false,
      exists: true,
      unconsentedCap: 0,
    });
  });

  it("registers a plan, by operator or registrar, with its products listed", async () => {
    const { participants, registrar, operator } = await withParties();
    const plan = planOf();
    const call = participants.write.registerPlan([plan], as(operator));
    await S.emits(call, participants, "PlanRegistered", [1, 1, plan]);
    await participants.write.registerPlan([planOf({ planId: "open", products: [] })], as(registrar));
    const { planId: _, products, trustedIssuers, terms, ...stored } = plan;
    expect(products.length + trustedIssuers.length + terms.length).to.equal(4);
    expect(await participants.read.planOf([1])).to.deep.equal({ ...stored, listsProducts: true, exists: true });
    expect((await participants.read.planOf([2])).listsProducts).to.equal(false);
    expect(await participants.read.planListsProduct([1, 1])).to.equal(true);
    expect(await participants.read.planListsProduct([1, 2])).to.equal(false);
    expect(await participants.read.planIndex([S.hashOf("open")])).to.equal(2);
  });

  it("refuses invalid plans", async () => {
    const { participants, operator, registrar, stranger } = await withParties();
    const register = (change: Record<string, unknown>, by = operator) =>
      participants.write.registerPlan([planOf(change)], as(by));
    await S.reverts(register({}, stranger), participants, "MissingRole", [at(stranger), S.Role.operator]);
    await S.reverts(register({ implementer: 0 }), participants, "UnknownImplementer", [0]);
    await S.reverts(register({ startDay: 21 }), participants, "InvalidPeriod", [21, 20]);
    await S.reverts(register({ claimWindowHours: 0 }), participants, "InvalidClaimWindow", []);
    await S.reverts(register({ reviewShare: 10_001 }), participants, "InvalidShare", [10_001]);
    await S.reverts(register({ products: [1, 9] }), participants, "UnknownProduct", [9]);
    await S.reverts(register({ planId: "" }), participants, "EmptyId", []);
    for (const by of [operator, registrar]) {
      const tooHigh = register({ unconsentedCap: 8 }, by);
      await S.reverts(tooHigh, participants, "UnconsentedCapTooHigh", [8, 7]);
    }
    await register({ reviewShare: 10_000, startDay: 20 });
    await S.reverts(register({}), participants, "AlreadyRegistered", [S.hashOf("plan"), 1]);
  });

  it("lets the council change what a plan allows without consent, and the guardian lower it", async () => {
    const { participants, council, guardian, registrar, operator } = await withParties();
    await participants.write.registerPlan([planOf()], as(operator));
    const set = (plan: number, cap: number, by: typeof council) =>
      participants.write.setUnconsentedCap([plan, cap], as(by));
    await S.reverts(set(2, 1, council), participants, "UnknownPlan", [2]);
    for (const plan of [0, 1]) {
      await S.emits(set(plan, 9, council), participants, "UnconsentedCapChanged", [plan, 9]);
      await S.reverts(set(plan, 9, guardian), participants, "MissingRole", [at(guardian), S.Role.council]);
      await S.reverts(set(plan, 10, guardian), participants, "MissingRole", [at(guardian), S.Role.council]);
      await S.reverts(set(plan, 8, registrar), participants, "MissingRole", [at(registrar), S.Role.council]);
      await S.emits(set(plan, 8, guardian), participants, "UnconsentedCapChanged", [plan, 8]);
      expect((await participants.read.planOf([plan])).unconsentedCap).to.equal(8);
    }
  });
});
