import { expect } from "chai";
import { type CapsInForce, powersOf } from "../../../scripts/deploy/powers.ts";
import * as S from "../scheme.ts";
import { Status } from "../support/certificates.ts";
import * as I from "../support/itmo.ts";
import { planOf } from "../support/participants.ts";

const { networkHelpers } = S.connection;
const CARBON = S.CARBON;
const HOURS = 24;
const as = (who: S.Scheme["operator"]) => ({ account: who.account });
const attempt = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  );

/**
 * A scheme with small caps, a certificate with more than they allow, a voucher of it, and 40 redemptions of 40 CARBON
 * that are under review.
 */
async function small() {
  const s = await S.scheme();
  await s.claims.write.setOperatorCap([400n * CARBON], as(s.council));
  const value = 20_000n * CARBON;
  const voucher = await S.issueOne(s, { value, registration: { verifiedReduction: value } });
  await s.participants.write.setSupplierFlag([1, true, "late"], as(s.evaluator));
  const held: bigint[] = [];
  for (let i = 0; i < 40; i++) {
    const redemption = await S.redeemOne(s, voucher);
    await s.claims.write.claim([redemption, S.hashOf(`held ${i}`)], as(s.operator)).catch(() => undefined);
    held.push(redemption);
  }
  await s.participants.write.setSupplierFlag([1, false, ""], as(s.evaluator));
  const { itmo, authorizations } = await I.deployItmo(s, 3n);
  await s.participants.write.grantRole([S.Role.converter, itmo.address, 0], as(s.council));
  await itmo.write.registerApproach([I.approachOf()], as(s.registrar));
  await itmo.write.registerAuthorization([I.authorizationOf()], as(s.registrar));
  return { s, voucher, held, itmo, authorizations };
}

type World = Awaited<ReturnType<typeof small>>;

/** CARBON that left the ledger's escrow, and stablecoin that left the pool. */
async function outside({ s }: World) {
  const [escrow, reserve] = await Promise.all([s.vouchers.read.escrowed(), s.pool.read.stablecoinReserve()]);
  return { carbon: -escrow, stablecoin: -reserve };
}

async function lossOf(world: World, role: string): Promise<string> {
  const { s, itmo } = world;
  const caps: CapsInForce = {
    operatorCap: await s.claims.read.operatorCap(),
    poolPerDay: (await s.pool.read.caps()).perDay,
    stablecoinReserve: await s.pool.read.stablecoinReserve(),
    price: await s.pool.read.price(),
    fee: await s.pool.read.fee(),
    paused: await s.pool.read.paused(),
    itmoDailyCap: await itmo.read.dailyCap(),
    timelockDelay: S.DAY,
    unconsentedCap: BigInt((await s.participants.read.planOf([0])).unconsentedCap) * CARBON,
    pinCap: await s.vouchers.read.pinCap(),
    lifecycleCap: await s.vouchers.read.lifecycleCap(),
    oracleDeposits: 0n,
  };
  return powersOf(caps).find((power) => power.role === role)!.worstLossInADay;
}

/** What an attacker takes that repeats the attack each hour of a day. */
async function takenInADay(world: World, each: (hour: number) => Promise<unknown>) {
  const begin = (await S.now()).time;
  const before = await outside(world);
  for (let hour = 0; hour < HOURS; hour++) {
    await networkHelpers.time.increaseTo(begin + 1n + BigInt(hour) * 3_600n);
    await each(hour);
  }
  const after = await outside(world);
  return { carbon: after.carbon - before.carbon, stablecoin: after.stablecoin - before.stablecoin };
}

describe("What an attacker takes in a day with one key", () => {
  let world: World;
  beforeEach(async () => {
    world = await networkHelpers.loadFixture(small);
  });

  it("is exactly the cap with the operator's key", async () => {
    const { s, voucher } = world;
    expect(await lossOf(world, "operator")).to.match(
      /^claims for 400 CARBON, for which the pool pays 8 of stablecoin;/,
    );
    const taken = await takenInADay(world, async (hour) => {
      const redemption = await S.redeemOne(s, voucher);
      await attempt(s.claims.write.claim([redemption, S.hashOf(`forged ${hour}`)], as(s.operator)));
      await attempt(s.vouchers.write.sweep([voucher], as(s.operator)));
      await attempt(s.pool.write.withdraw([s.stablecoin.address, s.operator.account.address, 1n], as(s.operator)));
    });
    expect(taken).to.deep.equal({ carbon: 400n * CARBON, stablecoin: 8n * CARBON });
  });

  it("is exactly the same cap with an evaluator's key", async () => {
    const { s, held } = world;
    expect(await lossOf(world, "evaluator")).to.equal("claims for 400 CARBON, for which the pool pays 8 of stablecoin");
    const taken = await takenInADay(world, (hour) =>
      attempt(s.claims.write.approve([held[hour]!, "seen"], as(s.evaluator))),
    );
    expect(taken).to.deep.equal({ carbon: 400n * CARBON, stablecoin: 8n * CARBON });
  });

  it("is at most that cap of suppliers' claims, rejected or found invalid, with an evaluator's key", async () => {
    const { s, voucher, held } = world;
    // Paid claims, and `s.stranger` with a stake for each dispute.
    const paid: bigint[] = [];
    for (let i = 0; i < 8; i++) {
      paid.push(await S.redeemOne(s, voucher));
      await s.claims.write.claim([paid[i]!, S.hashOf(`paid ${i}`)], as(s.operator));
    }
    await s.claims.write.setDisputeStake([0n], as(s.council));
    const taken = { rejected: 0n, invalid: 0n };
    await takenInADay(world, async (hour) => {
      if (await attempt(s.claims.write.reject([held[hour]!, "no"], as(s.evaluator)))) taken.rejected += 40n * CARBON;
      const redemption = paid[hour % paid.length]!;
      await attempt(s.claims.write.dispute([redemption, "no"], as(s.stranger)));
      await attempt(s.claims.write.resolve([redemption, true, "no"], as(s.evaluator)));
      taken.invalid = await s.claims.read.supplierDebt([1]);
    });
    expect(taken.invalid > 0n && taken.rejected > 0n).to.equal(true);
    expect(taken.rejected + taken.invalid).to.equal(400n * CARBON);
  });

  it("is at most the documented amount of suppliers' redemptions, reversed, with the operator's key", async () => {
    const { s, voucher } = world;
    await s.vouchers.write.setLifecycleCap([100n * CARBON], as(s.council));
    expect(await lossOf(world, "operator")).to.match(/; 200 CARBON of redemptions reversed$/);
    const open: bigint[] = [];
    for (let i = 0; i < 24; i++) open.push(await S.redeemOne(s, voucher));
    let reversed = 0n;
    await takenInADay(world, async (hour) => {
      if (await attempt(s.vouchers.write.reverse([open[hour]!, ""], as(s.operator)))) reversed += 40n * CARBON;
    });
    expect(reversed > 100n * CARBON && reversed <= 200n * CARBON, `${reversed}`).to.equal(true);
  });

  it("with the registrar's key is neither a token nor an account, and at most the cap in tonnes of ITMOs", async () => {
    const { s, itmo } = world;
    expect(await lossOf(world, "registrar")).to.match(/^3 t of ITMOs recorded wrongly; claims for 400 CARBON, /);
    // Honest conversions, which the attacker finalises with its serials.
    await s.participants.write.grantRole([S.Role.operator, s.stranger.account.address, 0], as(s.council));
    const large = await S.issueOne(s, { value: 9_000n * CARBON, registration: { verifiedReduction: 9_000n * CARBON } });
    await s.claims.write.setOperatorCap([S.NO_BOUND], as(s.council));
    const redemption = await S.redeemOne(s, large, { amount: 9_000n * CARBON });
    await s.claims.write.claim([redemption, S.hashOf("honest")], as(s.operator));
    const cost = await s.pool.read.quoteBuyFor([8_000n * CARBON]);
    await s.stablecoin.write.mint([s.implementer.account.address, cost]);
    await s.stablecoin.write.approve([s.pool.address, cost], as(s.implementer));
    await s.pool.write.buyCarbon([1, cost, 0n, S.NO_BOUND], as(s.implementer));
    await s.carbon.write.approve([itmo.address, S.NO_BOUND], as(s.implementer));
    for (let i = 0; i < 8; i++)
      await itmo.write.requestConversion([I.orderOf({ amount: 1_000n * CARBON })], as(s.implementer));
    const supplier = (await s.participants.read.supplierOf([1])).account;
    const taken = await takenInADay(world, async (hour) => {
      const serial = BigInt(hour + 1);
      await attempt(itmo.write.finalise([hour + 1, I.ZMB01, serial, serial, 0], as(s.registrar)));
      await attempt(
        s.participants.write.proposeAccount([S.Party.supplier, 1, s.registrar.account.address], as(s.registrar)),
      );
      await attempt(s.participants.write.finaliseAccount([S.Party.supplier, 1], as(s.registrar)));
    });
    expect(taken).to.deep.equal({ carbon: 0n, stablecoin: 0n });
    expect(await itmo.read.movedToday()).to.equal(3n);
    expect((await s.participants.read.supplierOf([1])).account).to.equal(supplier);
  });

  it("with the registrar's key includes no household's balance: it revokes each hour, and the guardian vetoes once a day", async () => {
    const { s, voucher } = world;
    const certificate = (await s.vouchers.read.voucherOf([voucher])).certificate;
    const { remaining } = await s.vouchers.read.voucherOf([voucher]);
    const opening = { voucher, household: 0, value: 0n, proof: [] };
    const set = (status: number) =>
      attempt(s.certificates.write.setCertificateStatus([certificate, status, ""], as(s.registrar)));
    for (let day = 0; day < 2; day++) {
      const taken = await takenInADay(world, async () => {
        await set(Status.Revoked);
        await attempt(s.vouchers.write.burnRevoked([certificate, [opening]], as(s.registrar)));
      });
      expect(taken).to.deep.equal({ carbon: 0n, stablecoin: 0n });
      await s.certificates.write.vetoRevocation([certificate, "not so"], as(s.guardian));
    }
    expect(await s.certificates.read.debtOf([1])).to.equal(0n);
    await set(Status.Valid);
    expect((await s.vouchers.read.voucherOf([voucher])).remaining).to.equal(remaining);
    expect(await s.certificates.read.isSpendable([certificate])).to.equal(true);
  });

  it("with the registrar's key takes no authorization away: it revokes each hour, and the guardian vetoes once a day", async () => {
    const { s, itmo, authorizations } = world;
    for (let day = 0; day < 2; day++) {
      const taken = await takenInADay(world, () =>
        attempt(authorizations.write.revoke([1, "stolen key"], as(s.registrar))),
      );
      expect(taken).to.deep.equal({ carbon: 0n, stablecoin: 0n });
      await authorizations.write.veto([1, "not so"], as(s.guardian));
    }
    expect(await authorizations.read.reductionOf([1])).to.include({ purpose: 0, quantity: 0n, finalFrom: 0 });
    await itmo.write.setAuthorizedQuantity([1, 6_000n, "as before"], as(s.registrar));
  });

  it("is exactly what may be redeemed without consent with a supplier's key", async () => {
    const { s, voucher } = world;
    await s.participants.write.setUnconsentedCap([0, 120], as(s.council));
    expect(await lossOf(world, "supplier")).to.match(/^240 CARBON /);
    let redeemed = 0n;
    await takenInADay(world, async () => {
      const amount = 10n * CARBON;
      const order = S.orderOf(voucher, { amount, supplier: 2 });
      const isRedeemed = await attempt(s.vouchers.write.redeem([order], as(s.otherSupplier)));
      if (isRedeemed) redeemed += amount;
    });
    expect(redeemed > 120n * CARBON && redeemed <= 240n * CARBON, `${redeemed}`).to.equal(true);
  });

  it("is the same with a supplier's and an operator's key together, however many plans they register", async () => {
    const { s, voucher } = world;
    await s.participants.write.setUnconsentedCap([0, 120], as(s.council));
    const register = (i: number, unconsentedCap: number) =>
      s.participants.write.registerPlan([planOf({ planId: `P${i}`, unconsentedCap, products: [] })], as(s.operator));
    const vouchers = [voucher];
    for (const plan of [1, 2, 3]) {
      expect(await attempt(register(plan, 4_000_000_000))).to.equal(false);
      await register(plan, 120);
      vouchers.push(
        await S.issueOne(s, { value: 1_000n * CARBON, registration: { plan, verifiedReduction: 1_000n * CARBON } }),
      );
    }
    expect(await lossOf(world, "supplier")).to.match(/^240 CARBON /);
    let redeemed = 0n;
    await takenInADay(world, async (hour) => {
      const amount = 10n * CARBON;
      for (const [i, id] of vouchers.entries()) {
        const by = (hour + i) % 2 === 0 ? s.operator : s.otherSupplier;
        const isRedeemed = await attempt(s.vouchers.write.redeem([S.orderOf(id, { amount, supplier: 2 })], as(by)));
        if (isRedeemed) redeemed += amount;
      }
    });
    expect(redeemed > 120n * CARBON && redeemed <= 240n * CARBON, `${redeemed}`).to.equal(true);
  });

  it("is nothing with the guardian's key", async () => {
    const { s, voucher, itmo } = world;
    expect(await lossOf(world, "guardian")).to.equal("nothing");
    const none = { perTransaction: 0n, perWindow: 0n, perDay: 0n, lifetime: 0n, perSupplierDay: 0n };
    const taken = await takenInADay(world, async () => {
      await attempt(s.pool.write.lowerCaps([none], as(s.guardian)));
      await attempt(s.claims.write.lowerOperatorCap([0n], as(s.guardian)));
      await attempt(itmo.write.lowerDailyCap([0n], as(s.guardian)));
      await attempt(s.pool.write.pause(as(s.guardian)));
      await attempt(s.vouchers.write.sweep([voucher], as(s.guardian)));
      await attempt(s.pool.write.withdraw([s.stablecoin.address, s.guardian.account.address, 1n], as(s.guardian)));
    });
    expect(taken).to.deep.equal({ carbon: 0n, stablecoin: 0n });
    // The council undoes what it did, and the treasury was never locked.
    await s.pool.write.withdraw([s.stablecoin.address, s.council.account.address, 1n], as(s.council));
  });
});
