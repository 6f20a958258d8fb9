import { expect } from "chai";
import { decodeEventLog, type Hex, hashMessage } from "viem";
import {
  authorize,
  CARBON,
  connection,
  evenLeaves,
  giveHouseholdAccount,
  loadScheme,
  now,
  orderOf,
  proofOf,
  Rule,
  registerAllocated,
  reverts,
  type Scheme,
} from "../scheme.ts";
import { planOf } from "../support/participants.ts";

const { viem } = connection;

describe("Vouchers: redeemMany", () => {
  let s: Scheme;
  const leaves = evenLeaves(5);
  const id = (position: number) => (1n << 32n) | BigInt(position);
  const opening = (position: number, change = {}) => ({
    voucher: id(position),
    household: position + 1,
    value: 100n * CARBON,
    proof: proofOf(leaves, position),
    ...change,
  });
  type Opening = ReturnType<typeof opening>;
  type Order = ReturnType<typeof orderOf>;
  type Authorization = Awaited<ReturnType<typeof authorize>>;

  beforeEach(async () => {
    s = await loadScheme();
    const { day } = await now();
    const certificate = await registerAllocated(s, leaves);
    await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 9, "B"], { account: s.operator.account });
  });

  /** The verdict on each order, read from the transaction's events: 0 when it was redeemed. */
  async function settle(openings: Opening[], orders: Order[], consents: Authorization[] = [], by = s.operator) {
    const hash: Hex = await s.vouchers.write.redeemMany([openings, orders, consents], { account: by.account });
    const receipt = await (await viem.getPublicClient()).getTransactionReceipt({ hash });
    return receipt.logs.flatMap((log) => {
      const event = decodeEventLog({ abi: s.vouchers.abi, data: log.data, topics: log.topics });
      if (event.eventName === "RedemptionRefused") return [event.args.rules];
      return event.eventName === "VoucherRedeemed" ? [0] : [];
    });
  }

  /** Assert that a simulated call returns each verdict, then redeem. */
  async function reviewAndSettle(
    openings: Opening[],
    orders: Order[],
    consents: Authorization[] = [],
    by = s.operator,
  ) {
    const { result } = await s.vouchers.simulate.redeemMany([openings, orders, consents], {
      account: by.account.address,
    });
    expect(await settle(openings, orders, consents, by)).to.deep.equal([...result]);
    return [...result];
  }

  it("redeems good orders and refuses bad ones by event, in order", async () => {
    const openings = [opening(0), opening(1), opening(2), opening(3, { household: 9 }), opening(0, { voucher: id(9) })];
    const orders = [
      orderOf(id(0)),
      orderOf(id(1), { amount: 200n * CARBON }),
      orderOf(id(2), { supplier: 2 }),
      orderOf(id(3)),
      orderOf(7n, { product: 9 }),
      orderOf(id(1), { product: 2, amount: 60n * CARBON }),
    ];
    expect(await reviewAndSettle(openings, orders)).to.deep.equal([
      0,
      Rule.amountWithinBalance,
      0,
      Rule.voucherExists,
      Rule.voucherExists | Rule.productApproved,
      0,
    ]);
    expect((await s.vouchers.read.voucherOf([id(3)])).status).to.equal(0);
  });

  it("skips openings of vouchers that are open", async () => {
    expect(await settle([opening(0)], [orderOf(id(0))])).to.deep.equal([0]);
    expect(await settle([opening(0)], [orderOf(id(0))])).to.deep.equal([0]);
    expect((await s.vouchers.read.voucherOf([id(0)])).remaining).to.equal(20n * CARBON);
  });

  it("opens nothing for a refused order, nor without one", async () => {
    const orders = [orderOf(id(0), { amount: 0n }), orderOf(id(1), { amount: 0n }), orderOf(id(1))];
    const verdicts = await settle([opening(0), opening(1), opening(2)], orders);
    expect(verdicts).to.deep.equal([Rule.amountPositive, Rule.amountPositive, 0]);
    const read = (position: number) => s.vouchers.read.voucherOf([id(position)]);
    expect([(await read(0)).status, (await read(1)).status, (await read(2)).status]).to.deep.equal([0, 1, 0]);
  });

  it("separates the verdicts on parties of one batch", async () => {
    const { registrar } = s;
    for (let i = 3; i <= 40; i++) {
      const account = s.supplier.account.address;
      await s.participants.write.registerSupplier([`did:${i}`, account, "S", "R"], { account: registrar.account });
    }
    await s.participants.write.setSupplierStatus([17, false, ""], { account: registrar.account });
    // Suppliers 1, 17 and 33, products and none at all share places in the cache of verdicts.
    const parties = [1, 17, 33, 1, 0, 17, 16, 32, 1, 41].map((supplier) => [supplier, 1] as const);
    const orders = [...parties, [1, 17] as const, [17, 1] as const, [0, 0] as const, [1, 1] as const].map(
      ([supplier, product], i) => orderOf(id(i % 5), { supplier, product, amount: 1n }),
    );
    const expected = orders.map(({ supplier, product }) => {
      const unknown = supplier === 0 || supplier > 40 ? Rule.supplierExists : 0;
      const suspended = supplier === 17 ? Rule.supplierAuthorised : 0;
      return unknown | suspended | (product === 1 ? 0 : Rule.productApproved);
    });
    expect(
      await reviewAndSettle(
        [0, 1, 2, 3, 4].map((i) => opening(i)),
        orders,
      ),
    ).to.deep.equal(expected);
  });

  it("judges later orders of a voucher by what earlier ones left", async () => {
    const orders = [orderOf(id(0), { amount: 70n * CARBON }), orderOf(id(0), { amount: 70n * CARBON })];
    expect(await reviewAndSettle([opening(0)], orders)).to.deep.equal([0, Rule.amountWithinBalance]);
  });

  it("simulates openings in another sequence than the orders", async () => {
    const openings = [opening(4), opening(0, { household: 3 }), opening(0), opening(2)];
    const orders = [orderOf(id(2)), orderOf(id(0)), orderOf(id(4)), orderOf(id(3))];
    expect(await reviewAndSettle(openings, orders)).to.deep.equal([0, 0, 0, Rule.voucherExists]);
  });

  it("finds openings in the orders' own sequence with less gas than in any other", async () => {
    const many = evenLeaves(40);
    const { day } = await now();
    const certificate = await registerAllocated(s, many);
    await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 9, "C"], { account: s.operator.account });
    const openings = many.map(({ household, amount }, i) => {
      return { voucher: (2n << 32n) | BigInt(i), household, value: amount, proof: proofOf(many, i) };
    });
    const orders = openings.map(({ voucher }) => orderOf(voucher, { amount: CARBON }));
    const gasOf = (opened: typeof openings) =>
      s.vouchers.estimateGas.redeemMany([opened, orders, []], { account: s.operator.account.address });
    expect(Number(await gasOf(openings))).to.be.lessThan(Number(await gasOf(openings.toReversed())) * 0.95);
  });

  it("redeems a supplier's own orders and refuses those of others", async () => {
    const orders = [orderOf(id(0)), orderOf(id(0), { supplier: 2 })];
    expect(await reviewAndSettle([opening(0)], orders, [], s.supplier)).to.deep.equal([0, Rule.callerAuthorised]);
  });

  it("redeems authorised orders for any caller", async () => {
    const orders = [orderOf(id(1)), orderOf(id(0))];
    const consents = [await authorize(s, orders[1]!, { index: 1 })];
    const verdicts = await reviewAndSettle([opening(0), opening(1)], orders, consents, s.stranger);
    expect(verdicts).to.deep.equal([Rule.callerAuthorised, 0]);
  });

  it("refuses only the order whose authorisation is expired, used, forged or malformed", async () => {
    const orders = [0, 1, 2, 3, 4, 5].map((n) => orderOf(id(0), { amount: BigInt(n + 1) }));
    const past = (await now()).time - 1n;
    const consents = [
      await authorize(s, orders[0]!, { index: 0, deadline: past }),
      await authorize(s, orders[1]!, { index: 1, nonce: 5n }),
      await authorize(s, orders[2]!, { index: 2, nonce: 5n }),
      await authorize(s, orders[3]!, { index: 3, nonce: 6n, signer: s.stranger }),
      { ...(await authorize(s, orders[4]!, { index: 4, nonce: 7n })), signature: "0x1234" as Hex },
    ];
    const refused = Rule.householdAuthorised;
    const expected = [refused, 0, refused, refused, refused, 0];
    expect(await reviewAndSettle([opening(0)], orders, consents)).to.deep.equal(expected);
  });

  it("accepts an authorisation in its last second", async () => {
    const time = (await now()).time + 100n;
    const orders = [orderOf(id(0))];
    const consent = await authorize(s, orders[0]!, { deadline: time });
    await connection.networkHelpers.time.setNextBlockTimestamp(time);
    expect(await settle([opening(0)], orders, [consent], s.stranger)).to.deep.equal([0]);
  });

  it("redeems nothing at a suspended supplier, even with the household's authorisation", async () => {
    await s.participants.write.setSupplierStatus([1, false, ""], { account: s.registrar.account });
    const orders = [orderOf(id(0))];
    const consent = await authorize(s, orders[0]!);
    expect(await settle([opening(0)], orders, [consent], s.stranger)).to.deep.equal([Rule.supplierAuthorised]);
  });

  it("separates the verdicts on one supplier and product under two plans", async () => {
    const { day } = await now();
    // Answers have sixteen places by supplier, product and plan, so that plan 16 shares the default plan's.
    for (let plan = 1; plan <= 16; plan++) {
      const terms = planOf({ planId: `P${plan}`, startDay: 1, endDay: 30_000, products: [2], unconsentedCap: 1_000 });
      await s.participants.write.registerPlan([terms], { account: s.registrar.account });
    }
    const certificate = await registerAllocated(s, leaves, { plan: 16 });
    await s.vouchers.write.issueChunks([certificate, 0, 1, day, day + 9, "C"], { account: s.operator.account });
    const later = (2n << 32n) | 0n;
    const orders = [orderOf(id(0)), orderOf(later), orderOf(id(1))];
    const openings = [opening(0), opening(0, { voucher: later }), opening(1)];
    expect(await settle(openings, orders)).to.deep.equal([0, Rule.productApproved, 0]);
  });

  it("refuses authorisations out of order, given twice, or for no order", async () => {
    const orders = [orderOf(id(0)), orderOf(id(0))];
    const first = await authorize(s, orders[0]!, { index: 0 });
    const second = await authorize(s, orders[1]!, { index: 1, nonce: 2n });
    const stray = await authorize(s, orders[1]!, { index: 2, nonce: 3n });
    for (const [consents, order] of [
      [[second, first], 0],
      [[first, first], 0],
      [[stray], 2],
    ] as const) {
      const call = s.vouchers.write.redeemMany([[opening(0)], orders, [...consents]], { account: s.operator.account });
      await reverts(call, s.vouchers, "AuthorizationsNotAscending", [order]);
    }
  });

  describe("of a household with a contract wallet", () => {
    const operator = () => ({ account: s.operator.account });
    async function giveWallet(name: "WalletMock" | "GreedyWallet") {
      const args = name === "WalletMock" ? [s.household.account.address] : [];
      const wallet = await viem.deployContract(name as "WalletMock", args as [Hex]);
      await giveHouseholdAccount(s, 2, wallet.address);
      return wallet;
    }

    it("accepts the wallet's signature", async () => {
      await giveWallet("WalletMock");
      const order = orderOf(id(1));
      expect(await reviewAndSettle([opening(1)], [order], [await authorize(s, order)], s.stranger)).to.deep.equal([0]);
    });

    for (const [mode, name] of [
      [1, "refuses"],
      [2, "reverts"],
    ] as const) {
      it(`refuses only its order when the wallet ${name}`, async () => {
        const wallet = await giveWallet("WalletMock");
        await wallet.write.setMode([mode]);
        const orders = [orderOf(id(1)), orderOf(id(0))];
        const verdicts = await reviewAndSettle([opening(0), opening(1)], orders, [await authorize(s, orders[0]!)]);
        expect(verdicts).to.deep.equal([Rule.householdAuthorised, 0]);
      });
    }

    it("refuses only its order when the wallet burns its gas, and limits what it burns", async () => {
      await giveWallet("GreedyWallet");
      const orders = [orderOf(id(1)), orderOf(id(0))];
      const consents = [await authorize(s, orders[0]!)];
      const verdicts = await reviewAndSettle([opening(0), opening(1)], orders, consents);
      expect(verdicts).to.deep.equal([Rule.householdAuthorised, 0]);
      const args = [[], [orderOf(id(1))], consents] as const;
      const hash = await s.vouchers.write.redeemMany([...args], operator());
      const { gasUsed } = await (await viem.getPublicClient()).getTransactionReceipt({ hash });
      expect(Number(gasUsed)).to.be.lessThan(250_000);
    });

    it("refuses only its order when the signature is too long to be checked", async () => {
      await giveWallet("WalletMock");
      const orders = [orderOf(id(1)), orderOf(id(0))];
      const consent = { ...(await authorize(s, orders[0]!)), signature: `0x${"00".repeat(320_000)}` as Hex };
      const verdicts = await reviewAndSettle([opening(0), opening(1)], orders, [consent]);
      expect(verdicts).to.deep.equal([Rule.householdAuthorised, 0]);
    });

    it("reverts when the sender leaves too little gas for the wallet's check", async () => {
      await giveWallet("WalletMock");
      const order = orderOf(id(1));
      const args = [[opening(1)], [order], [await authorize(s, order)]] as const;
      const call = s.vouchers.simulate.redeemMany([...args], { account: s.operator.account.address, gas: 190_000n });
      await reverts(call, s.vouchers, "InsufficientGas", []);
    });

    it("is never refused because the sender withholds gas", async () => {
      const wallet = await giveWallet("WalletMock");
      await wallet.write.setMode([6]);
      const order = orderOf(id(1));
      const args = [[opening(1)], [order], [await authorize(s, order)]] as const;
      const outcomes = new Set<string>();
      for (let gas = 180_000n; gas < 300_000n; gas += 1_000n) {
        const call = s.vouchers.simulate.redeemMany([...args], { account: s.operator.account.address, gas });
        outcomes.add(
          await call.then(
            ({ result }) => `${result}`,
            (error: Error) => /InsufficientGas|out of gas/.exec(error.message)?.[0] ?? error.message,
          ),
        );
      }
      expect([...outcomes].sort()).to.deep.equal(["0", "InsufficientGas"]);
    });
  });

  it("reserves no gas where the household's account has no code", async () => {
    const order = orderOf(id(0));
    const args = [[opening(0)], [order], [await authorize(s, order)]] as const;
    const call = s.vouchers.simulate.redeemMany([...args], { account: s.stranger.account.address, gas: 190_000n });
    expect((await call).result).to.deep.equal([0]);
  });

  it("redeems nothing for an empty batch", async () => {
    expect(await settle([], [])).to.deep.equal([]);
  });

  it("returns whether a signature is valid", async () => {
    const digest = `0x${"11".repeat(32)}` as Hex;
    const signature = await s.household.signMessage({ message: { raw: digest } });
    const account = s.household.account.address;
    const signed = hashMessage({ raw: digest });
    const consents = await viem.getContractAt("Consents", await s.vouchers.read.CONSENTS());
    expect(await consents.read.isSignatureValid([account, signed, signature])).to.equal(true);
    expect(await consents.read.isSignatureValid([account, digest, signature])).to.equal(false);
  });
});
