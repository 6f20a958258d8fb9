import { expect } from "chai";
import { encodeFunctionData, getAddress, toFunctionSelector, zeroHash } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import * as S from "../scheme.ts";
import { as, claimOf, type Oracles, openOracles, oracle, PRICE, signPermit, user } from "./world.ts";

const { networkHelpers } = S.connection;
/** HostileToken.Mode. */
const Mode = { Honest: 0, FeeOnTransfer: 1, ReturnsFalse: 2, Reverts: 3 } as const;
const INVALID_AMOUNT = toFunctionSelector("ClaimAmountInvalid(uint64,uint64)");
const TOO_SMALL = toFunctionSelector("DepositTooSmall(uint64,uint64)");

let w: Oracles;
const at = (who: Oracles["payer"]) => getAddress(who.account.address);
const deposit = (amount: bigint, { by = w.payer, maxPrice = PRICE, whom = user } = {}) =>
  w.oracles.write.contractOracle([oracle, whom, amount, maxPrice], as(by));
const settle = (claims: ReturnType<typeof claimOf>[], by = w.settler) =>
  w.oracles.write.settle([oracle, claims], as(by));
const account = (who = w.payer) => w.oracles.read.accountOf([oracle, who.account.address]);
const held = (who: { account: { address: `0x${string}` } }) => w.token.read.balanceOf([who.account.address]);

beforeEach(async () => {
  w = await networkHelpers.loadFixture(openOracles);
});

describe("OracleRegistry: deposits", () => {
  it("accepts a deposit and additions to it, each time with the accepted price", async () => {
    const call = deposit(1_000_000n);
    await S.emits(call, w.oracles, "OracleContracted", [oracle, at(w.payer), user, 1_000_000n, PRICE, 1_000_000n]);
    await deposit(500_000n, { maxPrice: 20_000n, whom: zeroHash });
    const terms = { acceptedPrice: 20_000n, user: zeroHash, withdrawing: 0n, withdrawableAt: 0n };
    expect(await account()).to.deep.equal({ balance: 1_500_000n, ...terms });
    await w.oracles.write.setTerms([oracle, 30_000n, 3, 2], as(w.owner));
    await S.reverts(deposit(1n, { maxPrice: 20_000n }), w.oracles, "PriceNotAccepted", [30_000n, 20_000n]);
    await w.token.write.setMode([Mode.Reverts]);
    await deposit(0n, { maxPrice: 30_000n });
    expect((await account()).acceptedPrice).to.equal(30_000n);
    expect(await w.token.read.balanceOf([w.oracles.address])).to.equal(1_500_000n);
    expect(await w.oracles.read.totalDeposits()).to.equal(1_500_000n);
    expect(getAddress(await w.oracles.read.stablecoin())).to.equal(getAddress(w.token.address));
  });

  it("refuses an unknown oracle, and a token that transfers less than the amount", async () => {
    const unknown = w.oracles.write.contractOracle([zeroHash, user, 1n, PRICE], as(w.payer));
    await S.reverts(unknown, w.oracles, "UnknownOracle", [zeroHash]);
    await w.token.write.setMode([Mode.FeeOnTransfer]);
    await S.reverts(deposit(1_000n), w.oracles, "DepositMissing", [1_000n, 970n]);
    await w.token.write.setMode([Mode.ReturnsFalse]);
    await S.reverts(deposit(1_000n), w.oracles, "SafeERC20FailedOperation", [getAddress(w.token.address)]);
    expect((await account()).balance).to.equal(0n);
  });

  it("accepts a deposit by permit, also by one that was sent before, and only from the owner", async () => {
    await w.token.write.approve([w.oracles.address, 0n], as(w.payer));
    const byPermit = (permit: Awaited<ReturnType<typeof signPermit>>) =>
      w.oracles.write.contractOracleWithPermit([oracle, user, 700n, PRICE, permit], as(w.payer));
    await byPermit(await signPermit(w, w.payer, 700n, 0n));
    const second = await signPermit(w, w.payer, 700n, 1n);
    const { deadline, v, r, s } = second;
    const sent = [w.payer.account.address, w.oracles.address, 700n, deadline, v, r, s] as const;
    await w.token.write.permit(sent, as(w.stranger));
    await byPermit(second);
    expect((await account()).balance).to.equal(1_400n);
    const forged = await signPermit(w, w.stranger, 700n, 2n, w.payer);
    await S.reverts(byPermit(forged), w.token, "ERC20InsufficientAllowance", [getAddress(w.oracles.address), 0n, 700n]);
  });

  it("returns unspent deposit a day after it was requested", async () => {
    await deposit(1_000_000n);
    const request = (amount: bigint) => w.oracles.write.requestWithdrawal([oracle, amount], as(w.payer));
    const withdraw = () => w.oracles.write.withdraw([oracle], as(w.payer));
    await S.reverts(request(1_000_001n), w.oracles, "WithdrawalTooLarge", [1_000_001n, 1_000_000n]);
    await S.reverts(withdraw(), w.oracles, "NoWithdrawal", [oracle, at(w.payer)]);
    const asked = BigInt(await networkHelpers.time.latest()) + 10n;
    await networkHelpers.time.setNextBlockTimestamp(asked);
    const requested = [oracle, at(w.payer), 400_000n, asked + S.DAY];
    await S.emits(request(400_000n), w.oracles, "WithdrawalRequested", requested);
    await networkHelpers.time.setNextBlockTimestamp(asked + S.DAY - 1n);
    await S.reverts(withdraw(), w.oracles, "WithdrawalTooEarly", [asked + S.DAY]);
    const before = await held(w.payer);
    await networkHelpers.time.setNextBlockTimestamp(asked + S.DAY);
    await S.emits(withdraw(), w.oracles, "DepositWithdrawn", [oracle, at(w.payer), 400_000n, 600_000n]);
    expect(await held(w.payer)).to.equal(before + 400_000n);
    await S.reverts(withdraw(), w.oracles, "NoWithdrawal", [oracle, at(w.payer)]);
    await request(1n);
    await S.emits(request(0n), w.oracles, "WithdrawalRequested", [oracle, at(w.payer), 0n, 0n]);
    await S.reverts(withdraw(), w.oracles, "NoWithdrawal", [oracle, at(w.payer)]);
  });

  it("settles from a deposit whose return is requested, and then returns the rest", async () => {
    await deposit(PRICE * 3n);
    await w.oracles.write.requestWithdrawal([oracle, PRICE * 3n], as(w.payer));
    await settle([claimOf("a", w.payer), claimOf("b", w.payer)]);
    await networkHelpers.time.increase(S.DAY);
    const call = w.oracles.write.withdraw([oracle], as(w.payer));
    await S.emits(call, w.oracles, "DepositWithdrawn", [oracle, at(w.payer), PRICE, 0n]);
    expect(await w.oracles.read.totalDeposits()).to.equal(0n);
  });
});

describe("OracleRegistry: settlement", () => {
  it("pays each claim once, from its payer's deposit to the payee", async () => {
    await deposit(PRICE * 2n);
    await deposit(PRICE * 5n, { by: w.other });
    const [first, second] = [claimOf("1", w.payer), claimOf("2", w.other, 4_000n)];
    const paid = [oracle, first.claimId, at(w.payer), at(w.payee), PRICE];
    await S.emits(settle([first, second, first]), w.oracles, "ClaimPaid", paid);
    await settle([first, second], w.owner);
    await settle([{ ...first, payer: w.other.account.address }]);
    expect(await held(w.payee)).to.equal(PRICE + 4_000n);
    expect((await account()).balance).to.equal(PRICE);
    expect((await account(w.other)).balance).to.equal(PRICE * 5n - 4_000n);
    expect(await w.oracles.read.isPaid([oracle, first.claimId])).to.equal(true);
    const asked = [first.claimId, S.hashOf("none"), second.claimId];
    expect(await w.oracles.read.isPaid([oracle, S.hashOf("none")])).to.equal(false);
    expect(await w.oracles.read.arePaid([oracle, asked])).to.deep.equal([true, false, true]);
  });

  it("skips claims that it cannot pay, with the reason, and pays the others", async () => {
    await deposit(PRICE + 5n);
    const refused = (claim: ReturnType<typeof claimOf>, reason: string) =>
      S.emits(settle([claim]), w.oracles, "ClaimRefused", [
        oracle,
        claim.claimId,
        getAddress(claim.payer),
        claim.amount,
        reason,
      ]);
    await refused(claimOf("nothing", w.payer, 0n), INVALID_AMOUNT);
    await refused(claimOf("dear", w.payer, PRICE + 1n), INVALID_AMOUNT);
    await refused(claimOf("stranger", w.stranger), INVALID_AMOUNT);
    await w.oracles.write.setTerms([oracle, PRICE * 2n, 0, 0], as(w.owner));
    await refused(claimOf("raised", w.payer, PRICE * 2n), INVALID_AMOUNT);
    await settle([claimOf("a", w.payer), claimOf("b", w.payer), claimOf("c", w.payer, 5n)]);
    await refused(claimOf("b", w.payer), TOO_SMALL);
    expect(await held(w.payee)).to.equal(PRICE + 5n);
    await deposit(PRICE, { maxPrice: PRICE * 2n });
    await settle([claimOf("b", w.payer)]);
    expect(await held(w.payee)).to.equal(PRICE * 2n + 5n);
  });

  it("is possible only for settler and owner, and limited in size", async () => {
    await deposit(PRICE);
    for (const by of [w.stranger, w.payer, w.payee, w.operator]) {
      await S.reverts(settle([claimOf("a", w.payer)], by), w.oracles, "NotSettler", [oracle, at(by)]);
    }
    const nowhere = w.oracles.write.settle([zeroHash, [claimOf("a", w.payer)]], as(w.settler));
    await S.reverts(nowhere, w.oracles, "NotSettler", [zeroHash, at(w.settler)]);
    const many = Array.from({ length: 501 }, (_, i) => claimOf(`${i}`, w.payer));
    await S.reverts(settle(many), w.oracles, "TooManyClaims", [501n, 500n]);
    await settle([]);
    expect(await held(w.payee)).to.equal(0n);
  });

  it("settles a batch of the largest allowed size", async () => {
    await deposit(PRICE * 500n);
    await settle(Array.from({ length: 500 }, (_, i) => claimOf(`${i}`, w.payer)));
    expect(await held(w.payee)).to.equal(PRICE * 500n);
  });

  it("refuses a token that pays short or takes more than the amount", async () => {
    await deposit(PRICE * 4n);
    await w.token.write.setMode([Mode.FeeOnTransfer]);
    await S.reverts(settle([claimOf("a", w.payer)]), w.oracles, "SettlementShort", [PRICE, (PRICE * 97n) / 100n]);
    const shrinking = await S.connection.viem.deployContract("ShrinkingToken");
    const oracles = await S.connection.viem.deployContract("OracleRegistry", [
      w.participants.address,
      shrinking.address,
    ]);
    const { pendingOwner: _, owner, ...registration } = await w.oracles.read.oracleOf([oracle]);
    await oracles.write.register([registration, owner], as(w.operator));
    await shrinking.write.mint([w.payer.account.address, PRICE * 2n]);
    await shrinking.write.approve([oracles.address, PRICE * 2n], as(w.payer));
    await oracles.write.contractOracle([oracle, user, PRICE * 2n, PRICE], as(w.payer));
    await shrinking.write.setSurcharge([1n]);
    const call = oracles.write.settle([oracle, [claimOf("a", w.payer)]], as(w.settler));
    await S.reverts(call, oracles, "SettlementShort", [PRICE, PRICE - 1n]);
  });

  it("cannot be re-entered by the token", async () => {
    await deposit(PRICE * 4n);
    await w.oracles.write.requestWithdrawal([oracle, PRICE], as(w.payer));
    const inner = [
      encodeFunctionData({ abi: oraclesAbi, functionName: "settle", args: [oracle, [claimOf("in", w.payer)]] }),
      encodeFunctionData({ abi: oraclesAbi, functionName: "withdraw", args: [oracle] }),
      encodeFunctionData({ abi: oraclesAbi, functionName: "contractOracle", args: [oracle, user, 0n, PRICE] }),
    ];
    const guard = toFunctionSelector("ReentrancyGuardReentrantCall()");
    for (const [i, call] of inner.entries()) {
      await w.token.write.setReentry([w.oracles.address, call]);
      await (i === 0 ? deposit(1n) : settle([claimOf(`out ${i}`, w.payer)]));
      expect([await w.token.read.reentered(), await w.token.read.result()]).to.deep.equal([false, guard]);
    }
  });
});
