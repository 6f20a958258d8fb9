import { expect } from "chai";
import { getAddress, toFunctionSelector } from "viem";
import { type SwapOrder, swapOrder } from "../../../wire/src/typed-data.ts";
import * as S from "../scheme.ts";
import { signPermit } from "../support/permit.ts";

const { viem, networkHelpers } = S.connection;
const { CARBON, NO_BOUND, emits, reverts } = S;
const HOUR = 3_600n;
const Side = { Sale: 0, Purchase: 1 } as const;
const noPermit = { v: 0, r: `0x${"00".repeat(32)}`, s: `0x${"00".repeat(32)}` } as const;

describe("Pool: purchases, fee and orders", () => {
  /** The scheme with 5 000 CARBON in the pool, 1 000 with supplier 1, and stablecoin with the implementer; all approved. */
  async function funded() {
    const s = await S.loadScheme();
    await networkHelpers.impersonateAccount(s.vouchers.address);
    await networkHelpers.setBalance(s.vouchers.address, 10n ** 18n);
    const ledger = { account: s.vouchers.address };
    await s.carbon.write.mint([6_000n * CARBON], ledger);
    await s.carbon.write.transfer([s.pool.address, 5_000n * CARBON], ledger);
    await s.carbon.write.transfer([s.supplier.account.address, 1_000n * CARBON], ledger);
    await s.pool.write.takeIn();
    await s.stablecoin.write.mint([s.implementer.account.address, 1_000n * CARBON]);
    await s.stablecoin.write.approve([s.pool.address, NO_BOUND], { account: s.implementer.account });
    await s.carbon.write.approve([s.pool.address, NO_BOUND], { account: s.supplier.account });
    return s;
  }

  let s: S.Scheme;
  beforeEach(async () => {
    s = await networkHelpers.loadFixture(funded);
  });
  const as = (who: S.Scheme["operator"]) => ({ account: who.account });
  const at = (who: S.Scheme["operator"]) => getAddress(who.account.address);
  const buy = (
    amount: bigint,
    change: { min?: bigint; deadline?: bigint; implementer?: number; by?: S.Scheme["operator"] } = {},
  ) =>
    s.pool.write.buyCarbon(
      [change.implementer ?? 1, amount, change.min ?? 0n, change.deadline ?? NO_BOUND],
      as(change.by ?? s.implementer),
    );
  const sell = (amount: bigint) => s.pool.write.sellCarbon([1, amount, 0n, NO_BOUND], as(s.supplier));
  const setCaps = async (change: Record<string, bigint>) =>
    s.pool.write.setCaps([{ ...(await s.pool.read.caps()), ...change }], as(s.council));
  const missing = (call: Promise<unknown>, who: S.Scheme["operator"], role: bigint) =>
    reverts(call, s.participants, "MissingRole", [at(who), role]);
  /** Stablecoin for CARBON at the first price. */
  const worth = (carbon: bigint) => (carbon * 20_000n) / CARBON;

  describe("buyCarbon", () => {
    it("takes the stablecoin, pays out the quoted amount and emits it", async () => {
      const quoted = await s.pool.read.quoteBuy([24_691n]);
      expect(quoted).to.equal(1_234_550n);
      const reserves = [await s.pool.read.carbonReserve(), await s.pool.read.stablecoinReserve()];
      const call = buy(24_691n, { min: quoted });
      await emits(call, s.pool, "CarbonBought", [1, at(s.implementer), quoted, 24_691n, 20_000n]);
      expect(await s.carbon.read.balanceOf([at(s.implementer)])).to.equal(quoted);
      expect(await s.pool.read.carbonReserve()).to.equal(reserves[0]! - quoted);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserves[1]! + 24_691n);
    });

    it("quotes the smallest payment that buys an amount", async () => {
      for (const wanted of [1n, 49n, 50n, 51n, CARBON, 1_234_567n]) {
        const cost = await s.pool.read.quoteBuyFor([wanted]);
        expect(await s.pool.read.quoteBuy([cost]), `${wanted}`).to.satisfy((got: bigint) => got >= wanted);
        expect(await s.pool.read.quoteBuy([cost - 1n]), `${wanted}`).to.satisfy((got: bigint) => got < wanted);
      }
    });

    it("requires the implementer's own account, the deadline and the least output", async () => {
      await reverts(buy(20_000n, { by: s.stranger }), s.pool, "NotImplementer", [at(s.stranger), 1]);
      await reverts(buy(20_000n, { implementer: 2 }), s.pool, "NotImplementer", [at(s.implementer), 2]);
      const { time } = await S.now();
      await reverts(buy(20_000n, { deadline: time }), s.pool, "DeadlinePassed", [time]);
      await reverts(buy(20_000n, { min: CARBON + 1n }), s.pool, "OutputBelowMinimum", [CARBON, CARBON + 1n]);
      await reverts(buy(0n), s.pool, "AmountTooSmall", [0n]);
      await networkHelpers.time.setNextBlockTimestamp(time + 50n);
      await buy(20_000n, { min: CARBON, deadline: time + 50n });
    });

    it("is refused while the pool is paused", async () => {
      await s.pool.write.pause(as(s.guardian));
      await reverts(buy(20_000n), s.pool, "PoolPaused", []);
      expect(await s.pool.read.buyableNow()).to.equal(0n);
    });

    it("is limited to the counted reserve", async () => {
      const ledger = { account: s.vouchers.address };
      await s.carbon.write.mint([CARBON], ledger);
      await s.carbon.write.transfer([s.pool.address, CARBON], ledger);
      const most = await s.pool.read.buyableNow();
      expect(most).to.equal(5_000n * CARBON);
      await reverts(buy(worth(most) + 1n), s.pool, "PoolDry", [most, most + 50n]);
      await buy(worth(most));
      expect(await s.pool.read.carbonReserve()).to.equal(0n);
    });

    it("credits what arrived of a token that charges a fee", async () => {
      await s.stablecoin.write.setMode([1]);
      const reserve = await s.pool.read.stablecoinReserve();
      await reverts(buy(20_000n, { min: CARBON }), s.pool, "OutputBelowMinimum", [970_000n, CARBON]);
      await emits(buy(20_000n), s.pool, "CarbonBought", [1, at(s.implementer), 970_000n, 19_400n, 20_000n]);
      expect(await s.pool.read.stablecoinReserve()).to.equal(reserve + 19_400n);
    });

    it("handles a token that re-enters, lies or refuses", async () => {
      await s.stablecoin.write.setReentry([s.pool.address, toFunctionSelector("function takeIn()")]);
      await buy(20_000n);
      expect(await s.stablecoin.read.reentered()).to.equal(false);
      await s.stablecoin.write.setMode([2]);
      await viem.assertions.revertWithCustomError(buy(20_000n), s.pool, "SafeERC20FailedOperation");
      await s.stablecoin.write.setMode([3]);
      await viem.assertions.revertWithCustomError(buy(20_000n), s.stablecoin, "TransferRefused");
    });
  });

  describe("caps", () => {
    it("one purchase", async () => {
      await setCaps({ perTransaction: 10n * CARBON });
      const call = buy(worth(10n * CARBON) + 1n);
      await reverts(call, s.pool, "TransactionCapExceeded", [10n * CARBON + 50n, 10n * CARBON]);
      expect(await s.pool.read.buyableNow()).to.equal(10n * CARBON);
      await buy(worth(10n * CARBON));
    });

    it("net of a window, a day and a lifetime, in either direction", async () => {
      for (const [cap, error] of [
        ["perWindow", "WindowCapExceeded"],
        ["perDay", "DayCapExceeded"],
        ["lifetime", "LifetimeCapExceeded"],
      ] as const) {
        const snapshot = await networkHelpers.takeSnapshot();
        await networkHelpers.time.increaseTo(BigInt((await S.now()).day + 1) * S.DAY);
        await setCaps({ [cap]: 100n * CARBON });
        await buy(worth(60n * CARBON));
        await reverts(buy(worth(41n * CARBON)), s.pool, error, [41n * CARBON, 40n * CARBON]);
        expect(await s.pool.read.buyableNow(), cap).to.equal(40n * CARBON);
        // 60 went out, so 160 may come in for ever; in a window no more than the cap together.
        await (cap === "lifetime" ? sell(160n * CARBON) : sell(100n * CARBON));
        const left = cap === "lifetime" ? 0n : 60n;
        await reverts(sell(61n * CARBON), s.pool, error, [61n * CARBON, left * CARBON]);
        await snapshot.restore();
      }
    });

    it("return what each leaves in either direction; the largest number means no limit", async () => {
      await networkHelpers.time.increaseTo(BigInt((await S.now()).day + 1) * S.DAY);
      await setCaps({
        perWindow: 100n * CARBON,
        perDay: 200n * CARBON,
        lifetime: NO_BOUND,
        perSupplierDay: 50n * CARBON,
      });
      await buy(worth(60n * CARBON));
      await sell(20n * CARBON);
      await s.pool.write.pause(as(s.guardian));
      const [sale, purchase] = await s.pool.read.capsLeft();
      expect(sale).to.deep.equal({ window: 100n * CARBON, day: 200n * CARBON, lifetime: NO_BOUND });
      expect(purchase).to.deep.equal({ window: 60n * CARBON, day: 160n * CARBON, lifetime: NO_BOUND });
      expect([await s.pool.read.supplierDayLeft([1]), await s.pool.read.supplierDayLeft([2])]).to.deep.equal([
        30n * CARBON,
        50n * CARBON,
      ]);
      await networkHelpers.time.increase(S.DAY + S.DAY / 2n);
      const [, tomorrow] = await s.pool.read.capsLeft();
      expect(tomorrow).to.deep.equal({ window: 100n * CARBON, day: 200n * CARBON, lifetime: NO_BOUND });
    });

    it("allow no more now because of flows of an earlier half hour", async () => {
      await setCaps({ perWindow: 100n * CARBON });
      const start = ((await S.now()).time / HOUR + 2n) * HOUR;
      await networkHelpers.time.setNextBlockTimestamp(start);
      await buy(worth(90n * CARBON));
      await networkHelpers.time.setNextBlockTimestamp(start + HOUR / 2n);
      await sell(100n * CARBON);
      await reverts(sell(CARBON), s.pool, "WindowCapExceeded", [CARBON, 0n]);
      expect(await s.pool.read.sellableNow([1])).to.equal(0n);
      expect(await s.pool.read.buyableNow()).to.equal(100n * CARBON);
      await networkHelpers.time.increaseTo(start + 2n * HOUR);
      expect(await s.pool.read.sellableNow([1])).to.equal(100n * CARBON);
    });
  });

  describe("fee", () => {
    const setFee = (fee: number, by = s.council) => s.pool.write.setFee([fee], as(by));

    it("can be set only by the council, within its limit", async () => {
      await missing(setFee(1, s.guardian), s.guardian, S.Role.council);
      await reverts(setFee(1_001), s.pool, "FeeTooLarge", [1_001, 1_000]);
      await emits(setFee(1_000), s.pool, "FeeChanged", [1_000]);
      expect(await s.pool.read.fee()).to.equal(1_000);
      await s.pool.write.setPrice([21_000n], as(s.council));
      expect(await s.pool.read.fee()).to.equal(1_000);
    });

    it("is paid by seller and buyer, rounded in the pool's favour", async () => {
      await setFee(250);
      expect(await s.pool.read.quoteSell([CARBON])).to.equal(19_500n);
      expect(await s.pool.read.quoteSell([CARBON - 1n])).to.equal(19_499n);
      expect(await s.pool.read.quoteBuy([20_500n])).to.equal(CARBON);
      expect(await s.pool.read.quoteBuyFor([CARBON])).to.equal(20_500n);
      expect(await s.pool.read.quoteBuyFor([CARBON + 1n])).to.equal(20_501n);
      await sell(CARBON);
      expect(await s.stablecoin.read.balanceOf([at(s.supplier)])).to.equal(19_500n);
      await buy(20_500n, { min: CARBON });
      expect(await s.carbon.read.balanceOf([at(s.implementer)])).to.equal(CARBON);
    });

    it("keeps sellableNow exact", async () => {
      await setFee(250);
      await setCaps({ perTransaction: NO_BOUND });
      const reserve = await s.pool.read.stablecoinReserve();
      await s.pool.write.withdraw([s.stablecoin.address, at(s.council), reserve - 19_500n], as(s.council));
      const most = await s.pool.read.sellableNow([1]);
      expect(most).to.equal(1_000_051n);
      await reverts(sell(most + 1n), s.pool, "PoolDry", [19_500n, 19_501n]);
      await sell(most);
    });
  });

  describe("orders", () => {
    const orderOf = (change: Partial<SwapOrder> = {}): SwapOrder => ({
      party: 1,
      amountIn: 20_000n,
      minOut: CARBON,
      nonce: 5n,
      deadline: NO_BOUND,
      ...change,
    });
    const sign = (side: "sell" | "buy", order: SwapOrder, signer: S.Scheme["operator"]) =>
      signer.signTypedData(swapOrder({ chainId: 31337, verifyingContract: s.pool.address }, side, order));
    const buyFor = async (order = orderOf(), signed = order, signer = s.implementer) =>
      s.pool.write.buyCarbonFor([order, await sign("buy", signed, signer), noPermit], as(s.operator));

    it("buy with the implementer's signature, from any relayer, once for each nonce", async () => {
      const call = buyFor();
      await emits(call, s.pool, "OrderSettled", [at(s.implementer), 5n]);
      await emits(call, s.pool, "CarbonBought", [1, at(s.implementer), CARBON, 20_000n, 20_000n]);
      expect(await s.pool.read.isNonceUsed([Side.Purchase, 1, 5n])).to.equal(true);
      await reverts(buyFor(), s.pool, "NonceUsed", [at(s.implementer), 5n]);
      await buyFor(orderOf({ nonce: 0n }));
    });

    it("are refused when another account signed, or other content was signed", async () => {
      const refused = [at(s.implementer)];
      await reverts(buyFor(orderOf(), orderOf(), s.stranger), s.pool, "SignatureInvalid", refused);
      for (const change of [{ amountIn: 40_000n }, { minOut: 0n }, { nonce: 6n }, { deadline: NO_BOUND - 1n }])
        await reverts(buyFor(orderOf(change), orderOf()), s.pool, "SignatureInvalid", refused);
      const asSale = await sign("sell", orderOf(), s.implementer);
      const call = s.pool.write.buyCarbonFor([orderOf(), asSale, noPermit], as(s.operator));
      await reverts(call, s.pool, "SignatureInvalid", refused);
      const nobody = buyFor(orderOf({ party: 2 }));
      await reverts(nobody, s.pool, "NotImplementer", [`0x${"00".repeat(20)}`, 2]);
    });

    it("enforce deadline, least output and pause like any swap", async () => {
      const { time } = await S.now();
      await reverts(buyFor(orderOf({ deadline: time })), s.pool, "DeadlinePassed", [time]);
      const wanted = buyFor(orderOf({ minOut: CARBON + 1n }));
      await reverts(wanted, s.pool, "OutputBelowMinimum", [CARBON, CARBON + 1n]);
      await s.pool.write.pause(as(s.guardian));
      await reverts(buyFor(), s.pool, "PoolPaused", []);
    });

    it("sell with the supplier's signature and a permit of CARBON, also one that was sent before", async () => {
      await s.carbon.write.approve([s.pool.address, 0n], as(s.supplier));
      const order = orderOf({ amountIn: CARBON, minOut: 20_000n });
      const signature = await sign("sell", order, s.supplier);
      const owner = at(s.supplier);
      const terms = { owner, spender: s.pool.address, value: CARBON, nonce: 0n, deadline: NO_BOUND };
      const permit = await signPermit(s.supplier, { carbon: s.carbon.address, ...terms });
      const send = () => s.pool.write.sellCarbonFor([order, signature, permit], as(s.operator));
      const snapshot = await networkHelpers.takeSnapshot();
      await emits(send(), s.pool, "CarbonSold", [1, owner, CARBON, 20_000n, 20_000n]);
      await snapshot.restore();
      await s.carbon.write.permit(
        [owner, s.pool.address, CARBON, NO_BOUND, permit.v, permit.r, permit.s],
        as(s.stranger),
      );
      await send();
      await reverts(send(), s.pool, "NonceUsed", [owner, 5n]);
    });

    it("sell for authorised suppliers only", async () => {
      const order = orderOf({ amountIn: CARBON, minOut: 0n });
      const send = async () =>
        s.pool.write.sellCarbonFor([order, await sign("sell", order, s.supplier), noPermit], as(s.operator));
      await s.participants.write.setSupplierStatus([1, false, ""], as(s.registrar));
      await reverts(send(), s.pool, "NotSupplier", [at(s.supplier), 1]);
      await s.participants.write.setSupplierStatus([1, true, ""], as(s.registrar));
      await send();
    });

    it("accept a contract wallet's signature", async () => {
      const wallet = await viem.deployContract("WalletMock", [at(s.household)]);
      await s.participants.write.registerImplementer(["did:wallet", wallet.address, "W"], as(s.registrar));
      await s.stablecoin.write.mint([wallet.address, 20_000n]);
      await networkHelpers.impersonateAccount(wallet.address);
      await networkHelpers.setBalance(wallet.address, 10n ** 18n);
      await s.stablecoin.write.approve([s.pool.address, 20_000n], { account: wallet.address });
      const order = orderOf({ party: 2 });
      await wallet.write.setMode([1]);
      const refused = [getAddress(wallet.address)];
      await reverts(buyFor(order, order, s.household), s.pool, "SignatureInvalid", refused);
      await wallet.write.setMode([0]);
      await buyFor(order, order, s.household);
      expect(await s.carbon.read.balanceOf([wallet.address])).to.equal(CARBON);
    });

    it("settle once, even if the supplier moves to another wallet of the same signer", async () => {
      const wallets = [];
      for (let i = 0; i < 2; ++i) {
        const wallet = await viem.deployContract("WalletMock", [at(s.household)]);
        await networkHelpers.impersonateAccount(wallet.address);
        await networkHelpers.setBalance(wallet.address, 10n ** 18n);
        await s.carbon.write.transfer([wallet.address, CARBON], as(s.supplier));
        await s.carbon.write.approve([s.pool.address, CARBON], { account: wallet.address });
        wallets.push(wallet);
      }
      const [first, second] = wallets.map(({ address }) => getAddress(address));
      const order = orderOf({ amountIn: CARBON, minOut: 0n });
      const signature = await sign("sell", order, s.household);
      const send = () => s.pool.write.sellCarbonFor([order, signature, noPermit], as(s.operator));
      await S.moveSupplier(s, first!, as(s.supplier));
      await send();
      await S.moveSupplier(s, second!, { account: first! });
      await reverts(send(), s.pool, "NonceUsed", [second, 5n]);
    });

    it("can be cancelled only by the party's account, also while paused, and not after settlement", async () => {
      const cancel = (side: number, by: S.Scheme["operator"]) => s.pool.write.cancelOrder([side, 1, 5n], as(by));
      await s.pool.write.pause(as(s.guardian));
      await reverts(cancel(Side.Purchase, s.stranger), s.pool, "NotImplementer", [at(s.stranger), 1]);
      await reverts(cancel(Side.Sale, s.implementer), s.pool, "NotSupplier", [at(s.implementer), 1]);
      await emits(cancel(Side.Purchase, s.implementer), s.pool, "OrderCancelled", [Side.Purchase, 1, 5n]);
      await s.pool.write.unpause(as(s.council));
      await reverts(buyFor(), s.pool, "NonceUsed", [at(s.implementer), 5n]);
      await reverts(cancel(Side.Purchase, s.implementer), s.pool, "NonceUsed", [at(s.implementer), 5n]);
      await emits(cancel(Side.Sale, s.supplier), s.pool, "OrderCancelled", [Side.Sale, 1, 5n]);
    });
  });
});
