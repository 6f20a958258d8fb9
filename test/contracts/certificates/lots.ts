import { expect } from "chai";
import { getAddress } from "viem";
import * as S from "../scheme.ts";
import * as C from "../support/certificates.ts";
import * as I from "../support/itmo.ts";
import { TONNE, withVoucher } from "../support/revocation.ts";

const { networkHelpers } = S.connection;
const { CARBON } = S;

/** The scheme, the voucher ledger's account as a caller, and an account without another role as the converter. */
async function withConverter() {
  const { s, ledger } = await C.withLedger();
  await s.participants.write.grantRole([S.Role.converter, s.stranger.account.address, 0], {
    account: s.council.account,
  });
  return { s, ledger, converter: { account: s.stranger.account } };
}

describe("Lots of CARBON", () => {
  let s: S.Scheme;
  let ledger: Awaited<ReturnType<typeof withConverter>>["ledger"];
  let converter: Awaited<ReturnType<typeof withConverter>>["converter"];
  beforeEach(async () => {
    ({ s, ledger, converter } = await networkHelpers.loadFixture(withConverter));
  });
  const release = (certificate: number, amount: bigint) =>
    s.certificates.write.releaseLot([certificate, amount * CARBON], ledger);
  /** A certificate of 100 CARBON, of which an amount is released. */
  const lot = async (amount: bigint, change: C.Change = {}) => {
    const certificate = await C.register(s, change);
    if (amount > 0n) await release(certificate, amount);
    return certificate;
  };
  const take = (conversion: number, amount: bigint, vintage = 2024) =>
    s.certificates.write.takeLots([conversion, vintage, amount * CARBON], converter);
  const giveBack = (conversion: number, by = converter) => s.certificates.write.returnLots([conversion], by);
  const ofConversion = async (conversion: number) =>
    (await s.certificates.read.lotsOf([converter.account.address, conversion])).map(pairOf);
  const queue = async (vintage = 2024) => (await s.certificates.read.queueOf([vintage])).map(pairOf);
  const pairOf = (each: { certificate: number; amount: bigint }) => [each.certificate, each.amount / CARBON];
  const state = async (certificate: number) => {
    const [vintage, released, taken] = await s.certificates.read.lotOf([certificate]);
    return [vintage, released / CARBON, taken / CARBON];
  };
  const makeFinal = async (certificate: number) => {
    await C.setStatus(s, certificate, C.Status.Revoked);
    const day = BigInt(await s.vouchers.read.revocationFinalFrom([certificate]));
    await networkHelpers.time.increaseTo(day * S.DAY);
  };

  describe("releaseLot", () => {
    it("is for the voucher ledger only", async () => {
      const certificate = await C.register(s);
      const call = s.certificates.write.releaseLot([certificate, 1n], { account: s.registrar.account });
      await S.reverts(call, s.certificates, "OnlyVouchers", [getAddress(s.registrar.account.address)]);
    });

    it("queues a vintage's lots in the order in which they were filled", async () => {
      const [first, second, other] = [await lot(0n), await lot(5n), await lot(7n, { vintage: 2023 })];
      await release(first, 1n);
      await release(second, 2n);
      expect(await queue()).to.deep.equal([
        [second, 7n],
        [first, 1n],
      ]);
      expect(await queue(2023)).to.deep.equal([[other, 7n]]);
      expect(await state(second)).to.deep.equal([2024, 7n, 0n]);
    });
  });

  describe("takeLots", () => {
    it("is for a converter only", async () => {
      const call = s.certificates.write.takeLots([1, 2024, 1n], { account: s.operator.account });
      await S.reverts(call, s.participants, "MissingRole", [getAddress(s.operator.account.address), S.Role.converter]);
    });

    it("takes the lots of the vintage, first in first out", async () => {
      const [first, second, third] = [await lot(10n), await lot(20n), await lot(30n)];
      await lot(100n, { vintage: 2023 });
      const lots = [
        { certificate: first, amount: 10n * CARBON },
        { certificate: second, amount: 5n * CARBON },
      ];
      const args = [getAddress(converter.account.address), 1, 2024, lots];
      await S.emits(take(1, 15n), s.certificates, "LotsTaken", args);
      expect(await state(first)).to.deep.equal([2024, 10n, 10n]);
      expect(await state(second)).to.deep.equal([2024, 20n, 5n]);
      expect(await queue()).to.deep.equal([
        [second, 15n],
        [third, 30n],
      ]);
      await take(2, 45n);
      expect(await ofConversion(2)).to.deep.equal([
        [second, 15n],
        [third, 30n],
      ]);
      expect(await queue()).to.deep.equal([]);
      await release(second, 1n);
      await release(first, 1n);
      expect(await queue()).to.deep.equal([
        [second, 1n],
        [first, 1n],
      ]);
    });

    it("refuses more than the vintage has, whatever other vintages have", async () => {
      await lot(10n);
      await lot(20n, { vintage: 2023 });
      const args = [2024, 11n * CARBON, 10n * CARBON];
      await S.reverts(take(1, 11n), s.certificates, "LotsTooSmall", args);
      await S.reverts(take(1, 1n, 2022), s.certificates, "LotsTooSmall", [2022, CARBON, 0n]);
      await take(1, 10n);
    });

    it("skips certificates that are not valid, which keep their place", async () => {
      const [suspended, revoked, valid, last] = [await lot(1n), await lot(2n), await lot(4n), await lot(8n)];
      await C.setStatus(s, suspended, C.Status.Suspended);
      await C.setStatus(s, revoked, C.Status.Revoked);
      expect(await queue()).to.deep.equal([
        [suspended, 0n],
        [revoked, 0n],
        [valid, 4n],
        [last, 8n],
      ]);
      await S.reverts(take(1, 13n), s.certificates, "LotsTooSmall", [2024, 13n * CARBON, 12n * CARBON]);
      await take(1, 5n);
      expect(await ofConversion(1)).to.deep.equal([
        [valid, 4n],
        [last, 1n],
      ]);
      await C.setStatus(s, suspended, C.Status.Valid);
      await s.certificates.write.vetoRevocation([revoked, ""], { account: s.guardian.account });
      await C.setStatus(s, revoked, C.Status.Valid);
      await take(2, 10n);
      expect(await ofConversion(2)).to.deep.equal([
        [suspended, 1n],
        [revoked, 2n],
        [last, 7n],
      ]);
    });

    it("takes a lot out of the queue when its certificate's revocation is final", async () => {
      const [first, revoked, last] = [await lot(1n), await lot(2n), await lot(4n)];
      await C.setStatus(s, first, C.Status.Suspended);
      await makeFinal(revoked);
      await take(1, 1n);
      expect(await queue()).to.deep.equal([
        [first, 0n],
        [last, 3n],
      ]);
      await makeFinal(last);
      await S.reverts(take(2, 1n), s.certificates, "LotsTooSmall", [2024, CARBON, 0n]);
      await C.setStatus(s, first, C.Status.Valid);
      await take(2, 1n);
      expect(await queue(), "the one behind it was not met").to.deep.equal([[last, 0n]]);
      const next = await lot(5n);
      await take(3, 5n);
      expect(await ofConversion(3)).to.deep.equal([[next, 5n]]);
      expect(await queue()).to.deep.equal([]);
    });

    it("reads 128 lots and reports how much one conversion can take", async () => {
      const most = Number(await s.certificates.read.MAX_LOTS());
      expect(most).to.equal(128);
      for (let i = 0, predecessor = 0; i <= most; i += 1) predecessor = await lot(1n, { predecessor });
      await S.reverts(take(1, 129n), s.certificates, "TooManyLots", [2024, 129n * CARBON, 128n * CARBON]);
      await take(1, 128n);
      expect(await ofConversion(1)).to.have.length(128);
      expect((await queue()).map(([, amount]) => amount)).to.deep.equal([1n]);
    });
  });

  describe("returnLots", () => {
    it("returns exactly what was taken", async () => {
      const [first, second] = [await lot(10n), await lot(20n)];
      await take(1, 12n);
      await take(2, 3n);
      const lots = [
        { certificate: first, amount: 10n * CARBON },
        { certificate: second, amount: 2n * CARBON },
      ];
      await S.emits(giveBack(1), s.certificates, "LotsReturned", [getAddress(converter.account.address), 1, lots]);
      expect([await state(first), await state(second)]).to.deep.equal([
        [2024, 10n, 0n],
        [2024, 20n, 3n],
      ]);
      expect(await queue()).to.deep.equal([
        [second, 17n],
        [first, 10n],
      ]);
      expect(await ofConversion(1)).to.deep.equal([]);
      await giveBack(1);
      expect(await state(first)).to.deep.equal([2024, 10n, 0n]);
    });

    it("returns nothing of another contract's conversion", async () => {
      const first = await lot(10n);
      await take(1, 10n);
      await giveBack(1, { account: s.household.account } as typeof converter);
      expect(await state(first)).to.deep.equal([2024, 10n, 10n]);
    });
  });

  describe("requireConvertible", () => {
    it("refuses lots of certificates that are suspended or revoked", async () => {
      const [first, second] = [await lot(10n), await lot(20n)];
      await take(1, 12n);
      const check = () => s.certificates.read.requireConvertible([1, 2], { account: converter.account.address });
      await check();
      for (const certificate of [first, second]) {
        await C.setStatus(s, certificate, C.Status.Suspended);
        await S.reverts(check(), s.certificates, "LotNotValid", [certificate, C.Status.Suspended]);
        await C.setStatus(s, certificate, C.Status.Valid);
      }
      await C.setStatus(s, second, C.Status.Revoked);
      await S.reverts(check(), s.certificates, "LotNotValid", [second, C.Status.Revoked]);
    });
  });
});

describe("Lots of CARBON that leaves the voucher ledger", () => {
  let s: Awaited<ReturnType<typeof withVoucher>>;
  beforeEach(async () => {
    s = await networkHelpers.loadFixture(withVoucher);
  });
  const as = (who: typeof s.operator) => ({ account: who.account });
  const released = async () => (await s.certificates.read.lotOf([s.certificate]))[1];
  const redeem = (tonnes: bigint) => S.redeemOne(s, s.voucher, { amount: tonnes * TONNE });
  const claim = (redemption: bigint) =>
    s.claims.write.claim([redemption, S.hashOf(`credential ${redemption}`)], as(s.operator));
  const revokeForGood = async () => {
    await C.setStatus(s, s.certificate, C.Status.Revoked);
    const day = BigInt(await s.vouchers.read.revocationFinalFrom([s.certificate]));
    await networkHelpers.time.increaseTo(day * S.DAY);
  };

  it("counts paid claims, set-offs and swept rests", async () => {
    const first = await redeem(10n);
    expect(await released()).to.equal(0n);
    await claim(first);
    expect(await released()).to.equal(10n * TONNE);
    await s.claims.write.dispute([first, ""], as(s.registrar));
    await s.claims.write.resolve([first, true, ""], as(s.evaluator));
    await claim(await redeem(15n));
    expect(await released()).to.equal(25n * TONNE);
    await s.pool.write.pause(as(s.guardian));
    await claim(await redeem(5n));
    expect(await released()).to.equal(30n * TONNE);
    await s.pool.write.unpause(as(s.council));
    await networkHelpers.time.increaseTo(BigInt(await s.vouchers.read.sweepableFrom([s.voucher])) * S.DAY);
    await s.vouchers.write.sweep([s.voucher], as(s.stranger));
    expect(await released()).to.equal(100n * TONNE);
    expect(await s.vouchers.read.escrowed()).to.equal(0n);
  });

  it("counts what a supplier gets of a finally revoked certificate, and nothing that is burned", async () => {
    const [first, second] = [await redeem(10n), await redeem(15n)];
    await revokeForGood();
    await claim(first);
    expect(await released()).to.equal(0n);
    await s.pool.write.pause(as(s.guardian));
    await claim(second);
    expect(await released()).to.equal(15n * TONNE);
    expect(await s.carbon.read.totalSupply()).to.equal(90n * TONNE);
  });

  it("lets a conversion become final only while the certificates of its lots are valid", async () => {
    await s.pool.write.pause(as(s.guardian));
    await claim(await redeem(10n));
    await s.carbon.write.transfer([s.implementer.account.address, 10n * TONNE], as(s.supplier));
    const request = (vintage: number) =>
      s.itmo.write.requestConversion([I.orderOf({ amount: 10n * TONNE, vintage })], as(s.implementer));
    await S.reverts(request(2021), s.certificates, "LotsTooSmall", [2021, 10n * TONNE, 0n]);
    await request(2024);
    const finalise = () => s.itmo.write.finalise([1, I.ZMB01, 1n, 10n, 0], as(s.registrar));
    await C.setStatus(s, s.certificate, C.Status.Suspended);
    await S.reverts(finalise(), s.certificates, "LotNotValid", [s.certificate, C.Status.Suspended]);
    await C.setStatus(s, s.certificate, C.Status.Valid);
    const taken = async () => (await s.certificates.read.lotOf([s.certificate]))[2];
    const snapshot = await networkHelpers.takeSnapshot();
    await s.itmo.write.revertConversion([1, ""], as(s.registrar));
    expect(await taken()).to.equal(0n);
    await snapshot.restore();
    await finalise();
    expect(await taken()).to.equal(10n * TONNE);
  });
});
