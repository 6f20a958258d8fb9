import { expect } from "chai";
import { getAddress, type Hex, maxUint256 } from "viem";
import * as S from "../scheme.ts";
import * as I from "../support/itmo.ts";

const { networkHelpers, viem } = S.connection;
const THOUSAND = 1_000n * I.TONNE;

describe("Itmo: conversions", () => {
  let s: I.ItmoScheme;
  beforeEach(async () => {
    s = await I.loadAuthorized();
  });
  const committed = async (authorization = 1) => (await s.itmo.read.authorizationOf([authorization])).committed;
  const statusOf = async (conversion: number) => (await s.itmo.read.conversionOf([conversion])).status;
  const carbonOf = (who: I.ItmoScheme["operator"]) => s.carbon.read.balanceOf([I.at(who)]);

  describe("request by the implementer's account", () => {
    it("puts the CARBON into escrow and reserves the quantity", async () => {
      const args = [1, 1, 1, I.at(s.implementer), THOUSAND, 1_000n, 2024, 0n];
      await S.emits(I.request(s), s.itmo, "ConversionRequested", args);
      const { time } = await S.now();
      expect(await s.itmo.read.conversionOf([1])).to.deep.equal({
        implementer: 1,
        authorization: 1,
        vintage: 2024,
        status: I.Answer.Requested,
        requestedAt: Number(time),
        quantity: 1_000n,
        account: I.at(s.implementer),
        registryId: "0x0000000000",
      });
      expect(await s.itmo.read.escrowed()).to.equal(THOUSAND);
      expect(await s.carbon.read.balanceOf([s.itmo.address])).to.equal(THOUSAND);
      expect(await committed()).to.equal(1_000n);
    });

    it("is possible only for the implementer's account", async () => {
      await S.reverts(I.request(s, {}, s.stranger), s.itmo, "NotImplementer", [I.at(s.stranger), 1]);
      const nobody = I.request(s, { implementer: 2 });
      await S.reverts(nobody, s.itmo, "NotImplementer", [I.at(s.implementer), 2]);
    });

    it("accepts only whole tonnes", async () => {
      for (const amount of [0n, I.TONNE - 1n, I.TONNE + 1n, 1n])
        await S.reverts(I.request(s, { amount }), s.itmo, "AmountNotWholeTonnes", [amount]);
      await I.request(s, { amount: I.TONNE });
    });

    it("enforces the authorization's quantity, open requests included", async () => {
      await S.reverts(I.request(s, { authorization: 2 }), s.itmo, "UnknownAuthorization", [2]);
      await I.request(s, { amount: 3n * THOUSAND });
      const call = I.request(s, { amount: 2_001n * I.TONNE });
      await S.reverts(call, s.itmo, "QuantityNotAuthorized", [1, 2_001n, 2_000n]);
      await I.request(s, { amount: 2n * THOUSAND });
    });

    it("is possible only for the implementers that the authorization names, if it names any", async () => {
      const entity = (implementer: number) => ({ name: "E", country: I.ascii("CHE"), entityId: "E", implementer });
      const register = (authorizationId: string, ...entities: unknown[]) =>
        s.itmo.write.registerAuthorization([I.authorizationOf({ authorizationId, entities })], I.as(s.registrar));
      await register("Foreign", entity(0), entity(2));
      await register("Own", entity(2), entity(1));
      await register("Open", entity(0));
      const refused = [2, 1];
      await S.reverts(I.request(s, { authorization: 2 }), s.itmo, "ImplementerNotAuthorized", refused);
      const deadline = (await S.now()).time + 100n;
      const order = I.orderOf({ authorization: 2 });
      const signature = await I.signOrder(s, order, { nonce: 1n, deadline });
      const relayed = s.itmo.write.requestConversionFor([order, 1n, deadline, signature, I.noPermit], I.as(s.stranger));
      await S.reverts(relayed, s.itmo, "ImplementerNotAuthorized", refused);
      expect(await committed(2)).to.equal(0n);
      for (const authorization of [3, 4]) await I.request(s, { authorization });
      const may = (authorization: number, implementer: number) =>
        s.authorizations.read.mayConvert([authorization, implementer]);
      expect(await Promise.all([may(2, 1), may(2, 2), may(3, 1), may(3, 3), may(4, 3)])).to.deep.equal([
        false,
        true,
        true,
        false,
        true,
      ]);
    });

    it("enforces the timeframe and the current year", async () => {
      const year = new Date(Number((await S.now()).time) * 1_000).getUTCFullYear();
      for (const vintage of [2020, 2031])
        await S.reverts(I.request(s, { vintage }), s.itmo, "VintageNotAuthorized", [vintage, 2021, 2030]);
      await s.itmo.write.registerAuthorization(
        [I.authorizationOf({ authorizationId: "Any", firstYear: 0, lastYear: 0 })],
        I.as(s.registrar),
      );
      const later = I.request(s, { authorization: 2, vintage: year + 1 });
      await S.reverts(later, s.itmo, "VintageInFuture", [year + 1, year]);
      for (const vintage of [year, year + 1]) await I.release(s, vintage, 1_000n);
      await I.request(s, { authorization: 2, vintage: year });
      await networkHelpers.time.increaseTo(BigInt(Date.UTC(year + 1, 0, 1) / 1_000) - 2n);
      const eve = I.request(s, { authorization: 2, vintage: year + 1 });
      await S.reverts(eve, s.itmo, "VintageInFuture", [year + 1, year]);
      await networkHelpers.time.increaseTo(BigInt(Date.UTC(year + 1, 0, 1) / 1_000));
      await I.request(s, { authorization: 2, vintage: year + 1 });
    });

    it("converts CARBON of its vintage only", async () => {
      const ten = 10n * I.TONNE;
      await S.reverts(I.request(s, { vintage: 2021, amount: ten }), s.certificates, "LotsTooSmall", [2021, ten, 0n]);
      const older = await I.release(s, 2021, 4n);
      await S.reverts(I.request(s, { vintage: 2021, amount: ten }), s.certificates, "LotsTooSmall", [
        2021,
        ten,
        4n * I.TONNE,
      ]);
      const lots = [{ certificate: older, amount: 4n * I.TONNE }];
      const args = [getAddress(s.itmo.address), 1, 2021, lots];
      await S.emits(I.request(s, { vintage: 2021, amount: 4n * I.TONNE }), s.certificates, "LotsTaken", args);
      expect(await s.certificates.read.lotsOf([s.itmo.address, 1])).to.deep.equal(lots);
    });

    it("calculates the current year by the calendar, leap years and centuries included", async () => {
      const authorization = I.authorizationOf({ authorizationId: "Any", firstYear: 0, lastYear: 0 });
      await s.itmo.write.registerAuthorization([authorization], I.as(s.registrar));
      const at = I.at(s.implementer);
      const asked = (vintage: number) => {
        const order = I.orderOf({ authorization: 2, vintage, amount: I.TONNE });
        return s.itmo.simulate.requestConversion([order], { account: at });
      };
      for (const [year, month, day] of [
        [2028, 2, 29],
        [2028, 3, 1],
        [2028, 12, 31],
        [2029, 1, 1],
        [2100, 2, 28],
        [2100, 3, 1],
        [2399, 12, 31],
        [2400, 1, 1],
        [2400, 2, 29],
      ] as const) {
        await networkHelpers.time.increaseTo(BigInt(Date.UTC(year, month - 1, day) / 1_000));
        await I.release(s, year, 1n);
        await asked(year);
        await S.reverts(asked(year + 1), s.itmo, "VintageInFuture", [year + 1, year]);
      }
    });

    it("reverts with CARBON's errors", async () => {
      await s.carbon.write.approve([s.itmo.address, THOUSAND - 1n], I.as(s.implementer));
      const refused = [getAddress(s.itmo.address), THOUSAND - 1n, THOUSAND];
      await S.reverts(I.request(s), s.carbon, "ERC20InsufficientAllowance", refused);
      expect(await committed()).to.equal(0n);
    });
  });

  describe("request by a signed order", () => {
    const relay = async (
      options: { nonce?: bigint; deadline?: bigint; signer?: I.ItmoScheme["operator"] } = {},
      permit: Awaited<ReturnType<typeof I.signPermit>> | typeof I.noPermit = I.noPermit,
      order = I.orderOf(),
    ) => {
      const { nonce = 7n, deadline = S.NO_BOUND } = options;
      const signature = await I.signOrder(s, I.orderOf(), { nonce, deadline, ...options });
      return s.itmo.write.requestConversionFor([order, nonce, deadline, signature, permit], I.as(s.operator));
    };
    const disapprove = () => s.carbon.write.approve([s.itmo.address, 0n], I.as(s.implementer));

    it("accepts order and permit from any relayer", async () => {
      await disapprove();
      const call = relay({}, await I.signPermit(s, THOUSAND));
      const args = [1, 1, 1, I.at(s.implementer), THOUSAND, 1_000n, 2024, 7n];
      await S.emits(call, s.itmo, "ConversionRequested", args);
      expect(await s.itmo.read.orderUsed([1, 7n])).to.equal(1);
      expect(await carbonOf(s.implementer)).to.equal(5n * THOUSAND);
    });

    it("continues when the permit was sent before, and reverts without a permit", async () => {
      await disapprove();
      const permit = await I.signPermit(s, THOUSAND);
      const { v, r, s: rest } = permit;
      const args = [I.at(s.implementer), s.itmo.address, THOUSAND, S.NO_BOUND, v, r, rest] as const;
      await s.carbon.write.permit([...args], I.as(s.stranger));
      await relay({}, permit);
      const again = relay({ nonce: 8n }, permit);
      await S.reverts(again, s.carbon, "ERC20InsufficientAllowance", [s.itmo.address, 0n, THOUSAND]);
    });

    it("settles a nonce once; nonces need no order", async () => {
      await relay({ nonce: maxUint256 });
      await relay({ nonce: 0n });
      await S.reverts(relay({ nonce: 0n }), s.itmo, "OrderUsed", [I.at(s.implementer), 0n, 2]);
      await s.itmo.write.revertConversion([2, ""], I.as(s.registrar));
      await S.reverts(relay({ nonce: 0n }), s.itmo, "OrderUsed", [I.at(s.implementer), 0n, 2]);
    });

    it("uses nonces of the implementer, not of its current account", async () => {
      const order = I.orderOf();
      await relay({ nonce: 7n });
      expect(await s.itmo.read.orderUsed([order.implementer, 7n])).to.equal(1);
      expect(await s.itmo.read.orderUsed([2, 7n])).to.equal(0);
    });

    it("can be cancelled only by the implementer's account, until it has settled", async () => {
      const cancel = (nonce: bigint, by = s.implementer) => s.itmo.write.cancelOrder([1, nonce], I.as(by));
      await S.reverts(cancel(7n, s.stranger), s.itmo, "NotImplementer", [I.at(s.stranger), 1]);
      await S.emits(cancel(7n), s.itmo, "OrderCancelled", [1, 7n]);
      await S.reverts(relay({ nonce: 7n }), s.itmo, "OrderUsed", [I.at(s.implementer), 7n, 2 ** 32 - 1]);
      await relay({ nonce: 8n });
      await S.reverts(cancel(8n), s.itmo, "OrderUsed", [I.at(s.implementer), 8n, 1]);
    });

    it("enforces the deadline", async () => {
      const deadline = (await S.now()).time;
      await S.reverts(relay({ deadline }), s.itmo, "OrderExpired", [deadline]);
      await networkHelpers.time.setNextBlockTimestamp(deadline + 90n);
      await relay({ deadline: deadline + 90n });
    });

    it("refuses a signature by another account or for another content", async () => {
      const refused = [I.at(s.implementer)];
      await S.reverts(relay({ signer: s.stranger }), s.itmo, "SignatureInvalid", refused);
      for (const change of [{ amount: 2n * THOUSAND }, { vintage: 2023 }])
        await S.reverts(relay({}, I.noPermit, I.orderOf(change)), s.itmo, "SignatureInvalid", refused);
      const none = relay({}, I.noPermit, I.orderOf({ implementer: 9 }));
      await S.reverts(none, s.itmo, "NotImplementer", [`0x${"00".repeat(20)}`, 9]);
    });

    it("accepts a contract wallet's signature", async () => {
      const wallet = await viem.deployContract("WalletMock", [I.at(s.household)]);
      await s.participants.write.registerImplementer(["did:wallet", wallet.address, "W"], I.as(s.registrar));
      await s.carbon.write.transfer([wallet.address, THOUSAND], I.as(s.implementer));
      await networkHelpers.impersonateAccount(wallet.address);
      await networkHelpers.setBalance(wallet.address, 10n ** 18n);
      await s.carbon.write.approve([s.itmo.address, THOUSAND], { account: wallet.address });
      const order = I.orderOf({ implementer: 2 });
      const signature = await I.signOrder(s, order, { signer: s.household });
      const send = () =>
        s.itmo.write.requestConversionFor([order, 7n, S.NO_BOUND, signature, I.noPermit], I.as(s.operator));
      await wallet.write.setMode([1]);
      await viem.assertions.revertWithCustomError(send(), s.itmo, "SignatureInvalid");
      await wallet.write.setMode([0]);
      await send();
      expect((await s.itmo.read.conversionOf([1])).account.toLowerCase()).to.equal(wallet.address.toLowerCase());
    });
  });

  describe("finalise", () => {
    beforeEach(() => I.request(s));

    it("burns the CARBON and mints the registry's block", async () => {
      const supply = await s.carbon.read.totalSupply();
      const call = I.finalise(s, 1, 501n, 1_500n);
      const units = {
        approachId: I.ascii("CA0001"),
        authorizationId: "ZMB-AUTH 1",
        firstTransferringParty: I.ascii("ZMB"),
        registryId: I.ZMB01,
        firstId: 501n,
        lastId: 1_500n,
        vintage: 2024,
      };
      const block = I.blockId(1, 501n);
      await S.emits(call, s.itmo, "BlockMinted", [block, 1, 1, units]);
      await S.emits(call, s.itmo, "ConversionFinalised", [1, THOUSAND]);
      expect(await s.carbon.read.totalSupply()).to.equal(supply - THOUSAND);
      expect(await s.itmo.read.escrowed()).to.equal(0n);
      expect(await statusOf(1)).to.equal(I.Answer.Finalised);
      expect((await s.itmo.read.authorizationOf([1])).issued).to.equal(1_000n);
      expect(await s.itmo.read.blockOf([block])).to.deep.equal({
        conversion: 1,
        authorization: 1,
        registryId: I.ZMB01,
        firstId: 501n,
        lastId: 1_500n,
        vintage: 2024,
        party: I.ascii("ZMB"),
        status: I.BlockStatus.Held,
        firstTransfer: I.Subtype.None,
      });
    });

    it("is possible only for the registrar, and for an open request", async () => {
      const role = [I.at(s.operator), S.Role.registrar];
      await S.reverts(I.finalise(s, 1, 1n, 1_000n, { by: s.operator }), s.participants, "MissingRole", role);
      await S.reverts(I.finalise(s, 2, 1n, 1_000n), s.itmo, "UnknownConversion", [2]);
      await I.finalise(s, 1, 1n, 1_000n);
      const again = I.finalise(s, 1, 2_001n, 3_000n);
      await S.reverts(again, s.itmo, "ConversionStatusNotAllowed", [1, I.Answer.Finalised]);
      await I.request(s);
      await s.itmo.write.revertConversion([2, ""], I.as(s.registrar));
      const reverted = I.finalise(s, 2, 2_001n, 3_000n);
      await S.reverts(reverted, s.itmo, "ConversionStatusNotAllowed", [2, I.Answer.Reverted]);
    });

    it("refuses serials that are not a range, or not of the quantity", async () => {
      for (const [first, last] of [
        [0n, 999n],
        [1_000n, 1n],
      ] as const)
        await S.reverts(I.finalise(s, 1, first, last), s.itmo, "SerialsInvalid", [first, last]);
      for (const [first, last] of [
        [1n, 999n],
        [1n, 1_001n],
        [1n, S.NO_BOUND],
      ] as const)
        await S.reverts(I.finalise(s, 1, first, last), s.itmo, "SerialsNotQuantity", [first, last, 1_000n]);
      for (const registry of ["ZMB0A", "zmb01", "ZMB1\0"]) {
        const code = `${I.ascii(registry)}${"00".repeat(27)}`;
        const call = I.finalise(s, 1, 1n, 1_000n, { registry: I.ascii(registry) });
        await S.reverts(call, s.itmo, "CodeInvalid", [code]);
      }
      await I.finalise(s, 1, S.NO_BOUND - 999n, S.NO_BOUND);
    });

    it("refuses serials that overlap another block of the registry, used or not, and accepts them in another", async () => {
      await I.finalise(s, 1, 1_001n, 2_000n);
      await s.itmo.write.cancel([I.part(I.blockId(1, 1_001n), 1_001n, 2_000n), 0, "", ""], I.as(s.registrar));
      await I.request(s);
      for (const first of [2_000n, 1_001n, 1_500n, 2n])
        for (const predecessor of [0, 1, 9]) {
          const call = I.finalise(s, 2, first, first + 999n, { predecessor });
          await S.reverts(call, s.itmo, "SerialsTaken", [I.ZMB01, first, first + 999n, 1]);
        }
      const snapshot = await networkHelpers.takeSnapshot();
      for (const [first, registry] of [
        [2_001n, "ZMB01"],
        [1n, "ZMB01"],
        [1_500n, "ZMB02"],
      ] as const) {
        await I.finalise(s, 2, first, first + 999n, { registry: I.ascii(registry) });
        await snapshot.restore();
      }
    });

    it("keeps a registry's blocks in order, with a hint or without", async () => {
      await s.itmo.write.setAuthorizedQuantity([1, 10_000n, ""], I.as(s.registrar));
      const firsts = [900n, 100n, 500n];
      for (const [i, first] of firsts.entries()) {
        await I.request(s, { amount: 10n * I.TONNE });
        await I.finalise(s, i + 2, first, first + 9n, { predecessor: i === 2 ? 3 : 0 });
      }
      const before = (serial: bigint) => s.itmo.read.serialPredecessor([I.ZMB01, serial]);
      expect(await Promise.all([99n, 100n, 499n, 500n, 899n, 5_000n].map(before))).to.deep.equal([0, 3, 3, 4, 4, 2]);
    });
  });

  describe("giving back", () => {
    beforeEach(() => I.request(s));
    const revert = (conversion: number, by = s.registrar) =>
      s.itmo.write.revertConversion([conversion, "declined"], I.as(by));
    const reclaim = (conversion = 1, by = s.implementer) => s.itmo.write.reclaim([conversion], I.as(by));

    it("returns the CARBON and the quantity when the registrar reverts the request", async () => {
      const args = [1, I.at(s.registrar), THOUSAND, "declined"];
      await S.emits(revert(1), s.itmo, "ConversionReverted", args);
      expect(await carbonOf(s.implementer)).to.equal(6n * THOUSAND);
      expect([await s.itmo.read.escrowed(), await committed()]).to.deep.equal([0n, 0n]);
      await S.reverts(revert(1), s.itmo, "ConversionStatusNotAllowed", [1, I.Answer.Reverted]);
      await S.reverts(revert(2), s.itmo, "UnknownConversion", [2]);
      await S.reverts(reclaim(), s.itmo, "ConversionStatusNotAllowed", [1, I.Answer.Reverted]);
    });

    it("is possible only for the registrar", async () => {
      const role = [I.at(s.operator), S.Role.registrar];
      await S.reverts(revert(1, s.operator), s.participants, "MissingRole", role);
    });

    it("pays the implementer's current account, not the one that requested", async () => {
      await I.request(s);
      const replacement = s.household;
      await I.replaceAccount(s, replacement);
      const stolen = await carbonOf(s.implementer);
      await revert(1);
      expect(await carbonOf(replacement)).to.equal(THOUSAND);
      await networkHelpers.time.increaseTo(await s.itmo.read.reclaimableFrom([2]));
      await S.reverts(reclaim(2), s.itmo, "NotImplementer", [I.at(s.implementer), 1]);
      await S.emits(reclaim(2, replacement), s.itmo, "ConversionReverted", [2, I.at(replacement), THOUSAND, ""]);
      expect([await carbonOf(replacement), await carbonOf(s.implementer)]).to.deep.equal([2n * THOUSAND, stolen]);
    });

    it("waits while the implementer is suspended, for its account may have been stolen", async () => {
      const setStatus = (authorised: boolean) =>
        s.participants.write.setImplementerStatus([1, authorised, ""], I.as(s.registrar));
      await setStatus(false);
      await S.reverts(revert(1), s.itmo, "ImplementerSuspended", [1]);
      await networkHelpers.time.increaseTo(await s.itmo.read.reclaimableFrom([1]));
      await S.reverts(reclaim(), s.itmo, "NotImplementer", [I.at(s.implementer), 1]);
      expect([await statusOf(1), await s.itmo.read.escrowed()]).to.deep.equal([I.Answer.Requested, THOUSAND]);
      await setStatus(true);
      await revert(1);
      expect(await carbonOf(s.implementer)).to.equal(6n * THOUSAND);
    });

    it("is possible for the requester after 90 days without an answer", async () => {
      const from = (await S.now()).time + 90n * S.DAY;
      expect(await s.itmo.read.reclaimableFrom([1])).to.equal(from);
      await networkHelpers.time.setNextBlockTimestamp(from - 1n);
      await S.reverts(reclaim(), s.itmo, "TooEarlyToReclaim", [1, from]);
      await networkHelpers.time.setNextBlockTimestamp(from);
      await S.reverts(reclaim(1, s.stranger), s.itmo, "NotImplementer", [I.at(s.stranger), 1]);
      await S.emits(reclaim(), s.itmo, "ConversionReverted", [1, I.at(s.implementer), THOUSAND, ""]);
      expect(await carbonOf(s.implementer)).to.equal(6n * THOUSAND);
      expect(await committed()).to.equal(0n);
    });

    it("waits longer by the time in which a cap of 0 made an answer impossible, also before the next raise", async () => {
      const requested = (await S.now()).time;
      const capAt = async (time: bigint, cap: bigint, lowered: boolean) => {
        await networkHelpers.time.setNextBlockTimestamp(time);
        if (lowered) await s.itmo.write.lowerDailyCap([cap], I.as(s.guardian));
        else await s.itmo.write.setDailyCap([cap], I.as(s.council));
      };
      await capAt(requested + 10n * S.DAY, 0n, true);
      await capAt(requested + 15n * S.DAY, 0n, false);
      await capAt(requested + 30n * S.DAY, 50n, false);
      await capAt(requested + 31n * S.DAY, 40n, true);
      expect(await s.itmo.read.reclaimableFrom([1])).to.equal(requested + 110n * S.DAY);
      // What was stopped before a request does not delay it.
      await I.request(s);
      const second = (await S.now()).time;
      expect(await s.itmo.read.reclaimableFrom([2])).to.equal(second + 90n * S.DAY);
      await capAt(requested + 100n * S.DAY, 0n, true);
      // One second of the second stoppage has passed, and the date moves with the time.
      await networkHelpers.time.increaseTo(requested + 109n * S.DAY);
      expect(await s.itmo.read.reclaimableFrom([1])).to.equal(requested + 119n * S.DAY);
      await networkHelpers.time.setNextBlockTimestamp(requested + 200n * S.DAY);
      await S.reverts(reclaim(), s.itmo, "TooEarlyToReclaim", [1, requested + 210n * S.DAY]);
      await capAt(requested + 201n * S.DAY, 1n, false);
      expect(await s.itmo.read.reclaimableFrom([2])).to.equal(second + 191n * S.DAY);
      await networkHelpers.time.setNextBlockTimestamp(requested + 211n * S.DAY - 1n);
      await S.reverts(reclaim(), s.itmo, "TooEarlyToReclaim", [1, requested + 211n * S.DAY]);
      await networkHelpers.time.setNextBlockTimestamp(requested + 211n * S.DAY);
      await S.emits(reclaim(), s.itmo, "ConversionReverted", [1, I.at(s.implementer), THOUSAND, ""]);
    });

    it("does not start at the deployment if the first cap is 0", async () => {
      const contracts = [s.participants, s.carbon, s.certificates, s.authorizations, s.buffer];
      const addresses = contracts.map(({ address }) => address);
      const itmo = await viem.deployContract("Itmo", [...(addresses as [Hex, Hex, Hex, Hex, Hex]), 0n]);
      const deployed = (await S.now()).time;
      await networkHelpers.time.increaseTo(deployed + S.DAY);
      expect(await itmo.read.reclaimableFrom([1])).to.equal(91n * S.DAY);
    });

    it("is impossible after a block was minted", async () => {
      await I.finalise(s, 1, 1n, 1_000n);
      await networkHelpers.time.increase(100n * S.DAY);
      await S.reverts(reclaim(), s.itmo, "ConversionStatusNotAllowed", [1, I.Answer.Finalised]);
      await S.reverts(revert(1), s.itmo, "ConversionStatusNotAllowed", [1, I.Answer.Finalised]);
    });
  });
});
