import { expect } from "chai";
import { type Abi, encodeFunctionData, erc20Abi, getAddress, type Hex, keccak256, toHex } from "viem";
import {
  CARBON,
  connection,
  DAY,
  deployContracts,
  emits,
  hashOf,
  issueOne,
  loadScheme,
  NO_BOUND,
  now,
  Role,
  redeemOne,
  reverts,
  type Scheme,
} from "../scheme.ts";

const { viem, networkHelpers } = connection;
const HOUR = 3_600n;

describe("Pool", () => {
  /** The scheme, with CARBON held by both suppliers and approved to the pool. */
  async function funded() {
    const s = await loadScheme();
    await s.pool.write.pause({ account: s.guardian.account });
    for (const supplier of [1, 2]) {
      const voucher = await issueOne(s, {
        registration: { verifiedReduction: 5_000n * CARBON },
        value: 5_000n * CARBON,
      });
      const redemption = await redeemOne(s, voucher, { supplier, amount: 5_000n * CARBON });
      await s.claims.write.claim([redemption, hashOf(`fund ${supplier}`)], { account: s.operator.account });
    }
    await s.pool.write.unpause({ account: s.council.account });
    await s.carbon.write.approve([s.pool.address, NO_BOUND], { account: s.supplier.account });
    await s.carbon.write.approve([s.pool.address, NO_BOUND], { account: s.otherSupplier.account });
    return s;
  }

  let s: Scheme;
  beforeEach(async () => {
    s = await networkHelpers.loadFixture(funded);
  });
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const sell = (
    amount: bigint,
    change: { min?: bigint; deadline?: bigint; supplier?: number; by?: Scheme["operator"] } = {},
  ) =>
    s.pool.write.sellCarbon(
      [change.supplier ?? 1, amount, change.min ?? 0n, change.deadline ?? NO_BOUND],
      as(change.by ?? s.supplier),
    );
  const at = (who: Scheme["operator"]) => getAddress(who.account.address);
  const missing = (call: Promise<unknown>, who: Scheme["operator"], role: bigint) =>
    reverts(call, s.participants, "MissingRole", [who.account.address, role]);
  const setCaps = async (change: Record<string, bigint>) =>
    s.pool.write.setCaps([{ ...(await s.pool.read.caps()), ...change }], as(s.council));
  const lowerCaps = async (change: Record<string, bigint>, by = s.guardian) =>
    s.pool.write.lowerCaps([{ ...(await s.pool.read.caps()), ...change }], as(by));
  const sellable = (supplier = 1) => s.pool.read.sellableNow([supplier]);

  it("refuses a zero price from the start", async () => {
    const caps = await s.pool.read.caps();
    const args = [s.participants.address, s.carbon.address, s.stablecoin.address, s.claims.address, 0n, caps] as const;
    await reverts(viem.deployContract("Pool", [...args]), s.pool, "ZeroPrice", []);
    expect(await s.pool.read.stablecoin()).to.match(new RegExp(s.stablecoin.address, "i"));
  });

  describe("sellCarbon", () => {
    it("takes the CARBON, pays the quoted amount and emits it", async () => {
      const amount = 1_234_567n;
      const quoted = await s.pool.read.quoteSell([amount]);
      expect(quoted).to.equal(24_691n);
      const account = s.supplier.account.address;
      const reserves = [await s.pool.read.carbonReserve(), await s.pool.read.stablecoinReserve()];
      const call = sell(amount, { min: quoted });
      await emits(call, s.pool, "CarbonSold", [1, account, amount, quoted, 20_000n]);
      expect(await s.stablecoin.read.balanceOf([account])).to.equal(quoted);
      expect(await s.pool.read.carbonReserve()).to.equal(reserves[0]! + amount);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserves[1]! - quoted);
    });

    it("enforces the deadline and the least output", async () => {
      const { time } = await now();
      await reverts(sell(CARBON, { deadline: time }), s.pool, "DeadlinePassed", [time]);
      await reverts(sell(CARBON, { min: 20_001n }), s.pool, "OutputBelowMinimum", [20_000n, 20_001n]);
      await networkHelpers.time.setNextBlockTimestamp(time + 50n);
      await sell(CARBON, { deadline: time + 50n, min: 20_000n });
    });

    it("is possible only for an authorised supplier's own account", async () => {
      const account = s.otherSupplier.account.address;
      await reverts(sell(CARBON, { by: s.otherSupplier }), s.pool, "NotSupplier", [account, 1]);
      await reverts(sell(CARBON, { supplier: 9 }), s.pool, "NotSupplier", [s.supplier.account.address, 9]);
      await s.participants.write.setSupplierStatus([1, false, ""], as(s.registrar));
      await reverts(sell(CARBON), s.pool, "NotSupplier", [s.supplier.account.address, 1]);
    });

    it("refuses an amount worth 0, and rounds in the pool's favour", async () => {
      await reverts(sell(0n), s.pool, "AmountTooSmall", [0n]);
      await reverts(sell(49n), s.pool, "AmountTooSmall", [49n]);
      await sell(99n);
      expect(await s.stablecoin.read.balanceOf([s.supplier.account.address])).to.equal(1n);
    });

    it("reverts with CARBON's error", async () => {
      await s.carbon.write.approve([s.pool.address, 0n], as(s.supplier));
      await reverts(sell(CARBON), s.carbon, "ERC20InsufficientAllowance", [s.pool.address, 0n, CARBON]);
    });
  });

  describe("payClaim", () => {
    it("is possible only for the claims contract", async () => {
      const call = s.pool.write.payClaim([1, s.supplier.account.address, CARBON], as(s.supplier));
      await reverts(call, s.pool, "OnlyClaims", [s.supplier.account.address]);
    });

    it("pays only for CARBON that has arrived", async () => {
      await networkHelpers.impersonateAccount(s.claims.address);
      await networkHelpers.setBalance(s.claims.address, 10n ** 18n);
      const pay = (amount: bigint) =>
        s.pool.write.payClaim([1, s.supplier.account.address, amount], { account: s.claims.address });
      await s.carbon.write.transfer([s.pool.address, CARBON], as(s.supplier));
      await reverts(pay(CARBON + 1n), s.pool, "PaymentMissing", [CARBON + 1n, CARBON]);
      await pay(CARBON);
      await reverts(pay(1n), s.pool, "PaymentMissing", [1n, 0n]);
    });
  });

  describe("caps", () => {
    it("one sale", async () => {
      await setCaps({ perTransaction: 10n * CARBON });
      await reverts(sell(10n * CARBON + 1n), s.pool, "TransactionCapExceeded", [10n * CARBON + 1n, 10n * CARBON]);
      await sell(10n * CARBON);
    });

    it("a window, whose sales expire one by one", async () => {
      await setCaps({ perWindow: 100n * CARBON });
      const start = ((await now()).time / HOUR + 2n) * HOUR;
      await networkHelpers.time.setNextBlockTimestamp(start);
      await sell(60n * CARBON);
      await networkHelpers.time.setNextBlockTimestamp(start + HOUR / 2n);
      await sell(30n * CARBON);
      const call = () => sell(11n * CARBON);
      await reverts(call(), s.pool, "WindowCapExceeded", [11n * CARBON, 10n * CARBON]);
      await networkHelpers.time.increaseTo(start + HOUR);
      await reverts(call(), s.pool, "WindowCapExceeded", [11n * CARBON, 10n * CARBON]);
      await networkHelpers.time.increaseTo(start + HOUR + HOUR / 2n);
      expect(await sellable()).to.equal(70n * CARBON);
      await call();
      await networkHelpers.time.increaseTo(start + 2n * HOUR);
      expect(await sellable()).to.equal(89n * CARBON);
      await networkHelpers.time.increaseTo(start + 5n * HOUR);
      expect(await sellable()).to.equal(100n * CARBON);
    });

    it("any 24 hours, also across midnight", async () => {
      await setCaps({ perDay: 50n * CARBON });
      const midnight = BigInt((await now()).day + 2) * DAY;
      await networkHelpers.time.setNextBlockTimestamp(midnight - 60n);
      await sell(40n * CARBON);
      await networkHelpers.time.increaseTo(midnight + 60n);
      await reverts(sell(11n * CARBON), s.pool, "DayCapExceeded", [11n * CARBON, 10n * CARBON]);
      await networkHelpers.time.increaseTo(midnight + DAY - 61n);
      await reverts(sell(11n * CARBON), s.pool, "DayCapExceeded", [11n * CARBON, 10n * CARBON]);
      await networkHelpers.time.increaseTo(midnight + DAY);
      await sell(50n * CARBON);
    });

    it("a lifetime, also below what has flowed already", async () => {
      await setCaps({ lifetime: 50n * CARBON });
      await sell(40n * CARBON);
      await networkHelpers.time.increase(10n * DAY);
      await reverts(sell(11n * CARBON), s.pool, "LifetimeCapExceeded", [11n * CARBON, 10n * CARBON]);
      await setCaps({ lifetime: 20n * CARBON });
      await reverts(sell(CARBON), s.pool, "LifetimeCapExceeded", [CARBON, 0n]);
    });

    it("24 hours of each supplier, also across midnight", async () => {
      await setCaps({ perSupplierDay: 50n * CARBON });
      const midnight = BigInt((await now()).day + 2) * DAY;
      await networkHelpers.time.setNextBlockTimestamp(midnight - 60n);
      await sell(40n * CARBON);
      await networkHelpers.time.setNextBlockTimestamp(midnight + 60n);
      await sell(50n * CARBON, { supplier: 2, by: s.otherSupplier });
      await reverts(sell(11n * CARBON), s.pool, "SupplierCapExceeded", [1, 11n * CARBON, 10n * CARBON]);
      expect([await sellable(1), await sellable(2)]).to.deep.equal([10n * CARBON, 0n]);
      await networkHelpers.time.increaseTo(midnight + DAY);
      expect([await sellable(1), await sellable(2)]).to.deep.equal([50n * CARBON, 0n]);
      await sell(50n * CARBON);
      await networkHelpers.time.increaseTo(midnight + DAY + DAY / 2n);
      expect(await sellable(2)).to.equal(50n * CARBON);
    });

    it("leave a supplier nothing when they fall below what it has sold", async () => {
      await sell(40n * CARBON);
      await lowerCaps({ perSupplierDay: 30n * CARBON });
      expect(await s.pool.read.supplierDayLeft([1])).to.equal(0n);
      await reverts(sell(CARBON), s.pool, "SupplierCapExceeded", [1, CARBON, 0n]);
    });

    it("counts a supplier's sales in milli-CARBON, rounded up", async () => {
      await setCaps({ perSupplierDay: 50n * CARBON });
      await sell(CARBON + 1n);
      expect(await sellable(1)).to.equal(49n * CARBON - 1_000n);
    });

    it("sells exactly as much as sellableNow says", async () => {
      await setCaps({ perTransaction: NO_BOUND });
      await s.pool.write.withdraw(
        [s.stablecoin.address, s.council.account.address, (await s.pool.read.stablecoinReserve()) - 77_777n],
        as(s.council),
      );
      const most = await sellable();
      expect(most).to.equal(3_888_899n);
      const reserve = 77_777n;
      await reverts(sell(most + 1n), s.pool, "PoolDry", [reserve, 77_778n]);
      await sell(most);
      expect(await s.pool.read.stablecoinReserve()).to.equal(0n);
    });

    it("returns the largest number for no limit", async () => {
      await setCaps({ perTransaction: NO_BOUND, perWindow: NO_BOUND, perDay: NO_BOUND, perSupplierDay: NO_BOUND });
      await sell(1_000n * CARBON);
      const reserve = await s.pool.read.stablecoinReserve();
      expect(await sellable()).to.equal(((reserve + 1n) * CARBON - 1n) / 20_000n);
    });

    it("can be set by the council and lowered by the guardian", async () => {
      const caps = { perTransaction: 5n, perWindow: 4n, perDay: 3n, lifetime: 2n, perSupplierDay: 1n };
      await missing(s.pool.write.setCaps([caps], as(s.guardian)), s.guardian, Role.council);
      await emits(s.pool.write.setCaps([caps], as(s.council)), s.pool, "CapsChanged", [caps]);
      expect(await s.pool.read.caps()).to.deep.equal(caps);
      await missing(lowerCaps({}, s.operator), s.operator, Role.guardian);
      for (const name of Object.keys(caps)) {
        const raised = { ...caps, [name]: caps[name as keyof typeof caps] + 1n };
        await reverts(lowerCaps(raised), s.pool, "CapNotLowered", []);
      }
      await reverts(lowerCaps({}), s.pool, "CapNotLowered", []);
      const none = { perTransaction: 0n, perWindow: 0n, perDay: 0n, lifetime: 0n, perSupplierDay: 0n };
      await emits(lowerCaps(none), s.pool, "CapsChanged", [none]);
      await reverts(sell(CARBON), s.pool, "TransactionCapExceeded", [CARBON, 0n]);
    });
  });

  describe("price", () => {
    const setPrice = (price: bigint, by = s.council) => s.pool.write.setPrice([price], as(by));

    it("can be set only by the council and never to 0", async () => {
      await missing(setPrice(20_001n, s.guardian), s.guardian, Role.council);
      await reverts(setPrice(0n), s.pool, "ZeroPrice", []);
    });

    it("stays within a fifth of the price of the last quiet day, however many steps it takes", async () => {
      await networkHelpers.time.increase(DAY);
      await reverts(setPrice(24_001n), s.pool, "PriceChangeTooLarge", [20_000n, 24_001n, 2_000]);
      await reverts(setPrice(15_999n), s.pool, "PriceChangeTooLarge", [20_000n, 15_999n, 2_000]);
      await emits(setPrice(24_000n), s.pool, "PriceChanged", [24_000n]);
      await networkHelpers.time.increase(DAY - 10n);
      await reverts(setPrice(24_001n), s.pool, "PriceChangeTooLarge", [24_000n, 24_001n, 2_000]);
      await setPrice(16_000n);
      await networkHelpers.time.increase(DAY);
      await setPrice(19_200n);
      expect(await s.pool.read.price()).to.equal(19_200n);
    });

    it("counts a day as quiet from its last second on", async () => {
      await networkHelpers.time.increase(DAY);
      await setPrice(24_000n);
      const changed = (await now()).time;
      await networkHelpers.time.setNextBlockTimestamp(changed + DAY - 1n);
      await reverts(setPrice(24_001n), s.pool, "PriceChangeTooLarge", [24_000n, 24_001n, 2_000]);
      await networkHelpers.time.setNextBlockTimestamp(changed + DAY);
      await setPrice(28_800n);
    });

    it("decides what a sale pays", async () => {
      await setPrice(24_000n);
      await sell(CARBON);
      expect(await s.stablecoin.read.balanceOf([s.supplier.account.address])).to.equal(24_000n);
    });

    it("gives no gain to a buyer that has a rise executed and sells in one transaction", async () => {
      const { attacker, run, calls } = await attack();
      await run([calls.buy, calls.setPrice(22_000n), calls.sell]);
      expect(await s.stablecoin.read.balanceOf([attacker])).to.equal(1_000n * CARBON);
      expect(await s.pool.read.price()).to.equal(22_000n);
    });

    it("gives no gain to a seller that has a fall executed and buys in one transaction", async () => {
      const { attacker, run, calls } = await attack();
      await run([calls.buy]);
      const before = await s.carbon.read.balanceOf([attacker]);
      await run([calls.sell, calls.setPrice(18_000n), calls.buy]);
      expect(await s.carbon.read.balanceOf([attacker])).to.equal(before);
    });

    it("gives no gain by several changes in one block", async () => {
      const { attacker, run, calls } = await attack();
      await run([calls.setPrice(19_999n), calls.buy, calls.setPrice(24_000n), calls.sell]);
      expect(await s.stablecoin.read.balanceOf([attacker])).to.equal(1_000n * CARBON);
      expect(await s.pool.read.price()).to.equal(24_000n);
    });

    /** A contract that is implementer and supplier, and executes for the council, as anyone may after the delay. */
    async function attack() {
      const caller = await viem.deployContract("BatchCaller");
      const attacker = caller.address;
      await sell(1_000n * CARBON);
      await s.participants.write.registerImplementer(["did:attacker", attacker, "A"], as(s.registrar));
      await s.participants.write.registerSupplier(["did:attacker", attacker, "A", "R"], as(s.registrar));
      await s.participants.write.grantRole([Role.council, attacker, 0]);
      await s.stablecoin.write.mint([attacker, 1_000n * CARBON]);
      const call = (target: Hex, data: Hex) => ({ target, data });
      const ofPool = (functionName: "buyCarbon" | "sellCarbon" | "setPrice", args: readonly (bigint | number)[]) =>
        call(s.pool.address, encodeFunctionData({ abi: s.pool.abi as Abi, functionName, args }));
      const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [s.pool.address, NO_BOUND] });
      const implementer = await s.participants.read.implementerIndex([keccak256(toHex("did:attacker"))]);
      const supplier = await s.participants.read.supplierIndex([keccak256(toHex("did:attacker"))]);
      const bought = await s.pool.read.quoteBuy([10n * CARBON]);
      const calls = {
        buy: ofPool("buyCarbon", [implementer, 10n * CARBON, 0n, NO_BOUND]),
        sell: ofPool("sellCarbon", [supplier, bought, 0n, NO_BOUND]),
        setPrice: (price: bigint) => ofPool("setPrice", [price]),
      };
      const allowances = [call(s.stablecoin.address, approve), call(s.carbon.address, approve)];
      const run = (list: { target: Hex; data: Hex }[]) => caller.write.run([[...allowances, ...list]]);
      return { attacker, run, calls };
    }

    it("refuses to quote beyond what an amount can hold", async () => {
      const caps = await s.pool.read.caps();
      const references = [s.participants.address, s.carbon.address, s.stablecoin.address, s.claims.address] as const;
      const dear = await viem.deployContract("Pool", [...references, 2n * CARBON, caps]);
      const most = 2n ** 63n - 1n;
      expect(await dear.read.quoteSell([most])).to.equal(2n * most);
      const args = [64, 2n ** 64n];
      await reverts(dear.read.quoteSell([most + 1n]), dear, "SafeCastOverflowedUintDowncast", args);
    });
  });

  describe("sales of a supplier in debt", () => {
    /** Supplier 1 owes 40 CARBON for a claim that was found invalid. */
    beforeEach(async () => {
      const redemption = await redeemOne(s, await issueOne(s));
      await s.claims.write.claim([redemption, hashOf("owed")], as(s.operator));
      await s.claims.write.dispute([redemption, ""], as(s.registrar));
      await s.claims.write.resolve([redemption, true, ""], as(s.evaluator));
    });
    const stable = () => s.stablecoin.read.balanceOf([s.supplier.account.address]);

    it("are paid net", async () => {
      const [before, reserve] = [await stable(), await s.pool.read.carbonReserve()];
      const call = sell(100n * CARBON);
      await emits(call, s.pool, "CarbonSold", [1, at(s.supplier), 60n * CARBON, 1_200_000n, 20_000n]);
      await emits(call, s.pool, "ReserveReceived", [at(s.supplier), getAddress(s.carbon.address), 40n * CARBON]);
      await emits(call, s.claims, "SupplierDebtChanged", [1, 0n]);
      expect((await stable()) - before).to.equal(1_200_000n);
      expect(await s.pool.read.carbonReserve()).to.equal(reserve + 100n * CARBON);
    });

    it("pay nothing while they are within the debt, and enforce the least output", async () => {
      const before = await stable();
      await reverts(sell(40n * CARBON, { min: 1n }), s.pool, "OutputBelowMinimum", [0n, 1n]);
      await sell(15n * CARBON);
      expect(await stable()).to.equal(before);
      expect(await s.claims.read.supplierDebt([1])).to.equal(25n * CARBON);
    });

    it("of the day stay counted when it gets a debt, for each supplier separately", async () => {
      await setCaps({ perSupplierDay: 100n * CARBON });
      await networkHelpers.time.increaseTo(BigInt((await now()).day + 2) * DAY);
      await sell(30n * CARBON, { supplier: 2, by: s.otherSupplier });
      const redemption = await redeemOne(s, await issueOne(s), { supplier: 2 });
      await s.claims.write.claim([redemption, hashOf("owed too")], as(s.operator));
      await s.claims.write.dispute([redemption, ""], as(s.registrar));
      await s.claims.write.resolve([redemption, true, ""], as(s.evaluator));
      const left = () => Promise.all([1, 2].map((supplier) => s.pool.read.supplierDayLeft([supplier])));
      expect(await left()).to.deep.equal([100n * CARBON, 30n * CARBON]);
      await sell(40n * CARBON, { supplier: 2, by: s.otherSupplier });
      expect(await s.claims.read.supplierDebt([2])).to.equal(0n);
      expect(await left()).to.deep.equal([100n * CARBON, 30n * CARBON]);
    });

    it("can be set off only by the pool", async () => {
      const call = s.claims.write.setOffDebt([1, 1n], as(s.operator));
      await reverts(call, s.claims, "OnlyPool", [at(s.operator)]);
      const mark = s.pool.write.setDebtor([1, false], as(s.supplier));
      await reverts(mark, s.pool, "OnlyClaims", [at(s.supplier)]);
    });
  });

  describe("pause", () => {
    it("can be started by the guardian and ended by the council", async () => {
      await missing(s.pool.write.pause(as(s.council)), s.council, Role.guardian);
      const guardian = s.guardian.account.address;
      await emits(s.pool.write.pause(as(s.guardian)), s.pool, "PauseChanged", [true, guardian]);
      await missing(s.pool.write.unpause(as(s.guardian)), s.guardian, Role.council);
      const council = s.council.account.address;
      await emits(s.pool.write.unpause(as(s.council)), s.pool, "PauseChanged", [false, council]);
    });

    it("stops every outflow but the council's withdrawal", async () => {
      await s.pool.write.pause(as(s.guardian));
      expect(await s.pool.read.paused()).to.equal(true);
      expect(await sellable()).to.equal(0n);
      await reverts(sell(CARBON), s.pool, "PoolPaused", []);
      const treasury = s.council.account.address;
      const out = s.pool.write.withdraw([s.stablecoin.address, treasury, 1n], as(s.council));
      await emits(out, s.pool, "TreasuryWithdrawn", [s.stablecoin.address, treasury, 1n]);
      const claim = s.pool.write.payClaim([1, s.supplier.account.address, 1n], as(s.supplier));
      await reverts(claim, s.pool, "PoolPaused", []);
    });

    it("survives a change of price", async () => {
      await s.pool.write.pause(as(s.guardian));
      await s.pool.write.setPrice([21_000n], as(s.council));
      expect(await s.pool.read.paused()).to.equal(true);
    });
  });

  describe("treasury", () => {
    const withdraw = (token: Hex, amount: bigint, by = s.council) =>
      s.pool.write.withdraw([token, s.stranger.account.address, amount], as(by));

    it("pays counted reserves to the council's recipient", async () => {
      await sell(CARBON);
      await missing(withdraw(s.carbon.address, 1n, s.guardian), s.guardian, Role.council);
      const reserve = await s.pool.read.stablecoinReserve();
      const over = withdraw(s.stablecoin.address, reserve + 1n);
      await reverts(over, s.pool, "PoolDry", [reserve, reserve + 1n]);
      await reverts(withdraw(s.carbon.address, CARBON + 1n), s.pool, "PoolDry", [CARBON, CARBON + 1n]);
      const stranger = s.stranger.account.address;
      const call = withdraw(s.carbon.address, CARBON);
      await emits(call, s.pool, "TreasuryWithdrawn", [s.carbon.address, stranger, CARBON]);
      await withdraw(s.stablecoin.address, reserve);
      expect(await s.pool.read.carbonReserve()).to.equal(0n);
      expect(await s.pool.read.stablecoinReserve()).to.equal(0n);
      expect(await s.stablecoin.read.balanceOf([stranger])).to.equal(reserve);
    });

    it("returns stray tokens, also ones that return no bool", async () => {
      const stray = await viem.deployContract("NoBoolToken");
      await stray.write.mint([s.pool.address, 9n]);
      const reserve = await s.pool.read.stablecoinReserve();
      await withdraw(stray.address, 9n);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserve);
      expect(await stray.read.balanceOf([s.stranger.account.address])).to.equal(9n);
    });

    it("counts donations only after takeIn", async () => {
      const reserve = await s.pool.read.stablecoinReserve();
      await s.stablecoin.write.mint([s.pool.address, 5n]);
      await s.carbon.write.transfer([s.pool.address, 7n], as(s.supplier));
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserve);
      const account = s.stranger.account.address;
      const snapshot = await networkHelpers.takeSnapshot();
      const take = () => s.pool.write.takeIn(as(s.stranger));
      await emits(take(), s.pool, "ReserveReceived", [account, s.stablecoin.address, 5n]);
      await snapshot.restore();
      await emits(take(), s.pool, "ReserveReceived", [account, s.carbon.address, 7n]);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserve + 5n);
      expect(await s.pool.read.carbonReserve()).to.equal(7n);
      await take();
      expect(await s.pool.getEvents.ReserveReceived()).to.deep.equal([]);
    });

    it("emits even the smallest amount that is taken in", async () => {
      const account = s.stranger.account.address;
      await s.carbon.write.transfer([s.pool.address, 1n], as(s.supplier));
      const carbon = s.pool.write.takeIn(as(s.stranger));
      await emits(carbon, s.pool, "ReserveReceived", [account, s.carbon.address, 1n]);
      await s.stablecoin.write.mint([s.pool.address, 1n]);
      const stable = s.pool.write.takeIn(as(s.stranger));
      await emits(stable, s.pool, "ReserveReceived", [account, s.stablecoin.address, 1n]);
    });
  });

  describe("with another stablecoin", () => {
    /** A separate scheme with this token; the supplier holds CARBON. */
    async function around(name: "NoBoolToken" | "ShrinkingToken") {
      const token = await viem.deployContract(name as "ShrinkingToken");
      const caps = await s.pool.read.caps();
      const [council] = await viem.getWalletClients();
      const references = [s.participants.address, s.carbon.address, token.address, council!.account.address] as const;
      const pool = await viem.deployContract("Pool", [...references, 20_000n, caps]);
      await token.write.mint([pool.address, 1_000_000n]);
      await pool.write.takeIn();
      await s.carbon.write.approve([pool.address, NO_BOUND], as(s.supplier));
      const sellHere = (amount: bigint) => pool.write.sellCarbon([1, amount, 0n, NO_BOUND], as(s.supplier));
      return { token, pool, sellHere };
    }

    it("pays in one that returns no bool", async () => {
      const { token, sellHere } = await around("NoBoolToken");
      await sellHere(CARBON);
      expect(await token.read.balanceOf([s.supplier.account.address])).to.equal(20_000n);
    });

    it("refuses one that takes more than it pays", async () => {
      const { token, pool, sellHere } = await around("ShrinkingToken");
      await token.write.setSurcharge([1n]);
      await reverts(sellHere(CARBON), pool, "PaymentMissing", [980_000n, 979_999n]);
    });

    it("refuses one that pays short", async () => {
      await s.stablecoin.write.setMode([1]);
      await reverts(sell(CARBON), s.pool, "PaymentMissing", [20_000n, 19_400n]);
    });

    it("takes in nothing of one whose balance has shrunk", async () => {
      const { token, pool } = await around("ShrinkingToken");
      await token.write.shrink([pool.address, 400_000n]);
      await pool.write.takeIn();
      expect(await pool.read.stablecoinReserve()).to.equal(1_000_000n);
    });
  });

  it("announces its first price and caps", async () => {
    const other = await deployContracts();
    const price = await other.pool.getEvents.PriceChanged({ fromBlock: 0n });
    const caps = await other.pool.getEvents.CapsChanged({ fromBlock: 0n });
    expect([price.length, caps.length]).to.deep.equal([1, 1]);
    expect(price[0]!.args.price).to.equal(20_000n);
  });
});
