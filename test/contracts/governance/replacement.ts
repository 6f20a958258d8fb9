import { expect } from "chai";
import { type Address, encodeFunctionData, type Hex, padHex, stringToHex, toHex, zeroAddress, zeroHash } from "viem";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import * as S from "../scheme.ts";
import { campaignCalls } from "../support/campaigns.ts";
import * as I from "../support/itmo.ts";
import { planOf } from "../support/participants.ts";

const { networkHelpers, viem } = S.connection;
const CARBON = S.CARBON;
const as = (who: S.Scheme["operator"]) => ({ account: who.account });
const Certificate = { Valid: 2, Suspended: 3, Revoked: 4 } as const;

/** A voucher of 5 000 CARBON for household 1. */
async function issueLarge(s: S.Scheme): Promise<bigint> {
  const value = 5_000n * CARBON;
  return S.issueOne(s, { value, registration: { verifiedReduction: value } });
}

const claim = (s: S.Scheme, redemption: bigint) =>
  s.claims.write.claim([redemption, S.hashOf(`credential ${s.vouchers.address} ${redemption}`)], as(s.operator));

const redeem = (s: S.Scheme, voucher: bigint, tonnes: bigint) =>
  S.redeemOne(s, voucher, { amount: tonnes * 1_000n * CARBON });

/** CARBON that the implementer bought from the pool of a unit. */
async function buy(s: S.Scheme, tonnes: bigint): Promise<void> {
  const stablecoins = await s.pool.read.quoteBuyFor([tonnes * 1_000n * CARBON]);
  await s.stablecoin.write.mint([s.implementer.account.address, stablecoins]);
  await s.stablecoin.write.approve([s.pool.address, stablecoins], as(s.implementer));
  await s.pool.write.buyCarbon([1, stablecoins, 0n, S.NO_BOUND], as(s.implementer));
}

/** Whether the operator can redeem a voucher now, without the household's consent. */
const canRedeem = (s: S.Scheme, voucher: bigint) =>
  s.vouchers.simulate.redeem([S.orderOf(voucher)], { account: s.operator.account.address }).then(
    () => true,
    () => false,
  );

async function openItmo(s: S.Scheme, quantity: bigint) {
  const { itmo } = await I.deployItmo(s, 100n);
  await s.participants.write.grantRole([S.Role.converter, itmo.address, 0], as(s.council));
  await itmo.write.registerApproach([I.approachOf()], as(s.registrar));
  await itmo.write.registerAuthorization([I.authorizationOf({ quantity })], as(s.registrar));
  await s.carbon.write.approve([itmo.address, 2n ** 256n - 1n], as(s.implementer));
  return itmo;
}

type Itmo = Awaited<ReturnType<typeof openItmo>>;
const request = (itmo: Itmo, s: S.Scheme) =>
  itmo.write.requestConversion([I.orderOf({ amount: 1_000n * CARBON })], as(s.implementer));
const finalise = (itmo: Itmo, s: S.Scheme, conversion: number, serial: bigint) =>
  itmo.write.finalise([conversion, I.ZMB01, serial, serial, 0], as(s.registrar));

/**
 * A chain with unfinished processes: a voucher with 2 t left, an open redemption, one under review, one in
 * dispute, and two requested conversions.
 */
async function underWay() {
  const s = await S.scheme();
  const voucher = await issueLarge(s);
  const [paid, disputed] = [await redeem(s, voucher, 1n), await redeem(s, voucher, 1n)];
  await claim(s, paid);
  await claim(s, disputed);
  await buy(s, 2n);
  await s.claims.write.dispute([disputed, "no stove"], as(s.registrar));
  await s.participants.write.setSupplierFlag([1, true, "late"], as(s.evaluator));
  const held = await S.redeemOne(s, voucher);
  await claim(s, held);
  await s.participants.write.setSupplierFlag([1, false, ""], as(s.evaluator));
  const open = await S.redeemOne(s, voucher);
  const itmo = await openItmo(s, 2n);
  await request(itmo, s);
  await request(itmo, s);
  return { s, itmo, voucher, open, held, disputed, certificate: 1 };
}

const load = () => networkHelpers.loadFixture(underWay);
type World = Awaited<ReturnType<typeof underWay>>;

/** Each process can still end: by a claim, approval, resolution, finalisation, reclaim, or revocation. */
async function endAll({ s, itmo, voucher, open, held, disputed, certificate }: World) {
  const balance = () => s.stablecoin.read.balanceOf([s.supplier.account.address]);
  const before = await balance();
  await claim(s, open);
  await s.claims.write.approve([held, "seen"], as(s.evaluator));
  expect((await balance()) - before).to.equal(2n * 800_000n);
  await s.claims.write.resolve([disputed, false, "there"], as(s.evaluator));
  await finalise(itmo, s, 1, 1n);
  await networkHelpers.time.increase(90n * S.DAY);
  await itmo.write.reclaim([2], as(s.implementer));
  expect(await itmo.read.escrowed()).to.equal(0n);
  await s.certificates.write.setCertificateStatus([certificate, Certificate.Revoked, "wrong"], as(s.registrar));
  expect(await s.certificates.read.isSpendable([certificate])).to.equal(false);
  expect(await canRedeem(s, voucher)).to.equal(false);
}

/** A supplier gets CARBON of a new certificate for a redemption, because the pool is paused. */
async function giveSupplier(s: S.Scheme, amount: bigint) {
  const registration = { verifiedReduction: amount };
  const voucher = await S.issueOne(s, { registration, value: amount });
  await s.pool.write.pause(as(s.guardian));
  await claim(s, await S.redeemOne(s, voucher, { amount }));
}

/** The supplier burns CARBON for the debt. */
async function payDebt(s: S.Scheme, debt: bigint) {
  await s.carbon.write.approve([s.certificates.address, debt], as(s.supplier));
  await s.certificates.write.repayDebt([1, debt], as(s.supplier));
}

const named = (name: string): Hex => padHex(stringToHex(name), { dir: "right", size: 32 });

describe("Replacing a contract", () => {
  it("adds another Itmo; the old one finishes its requests", async () => {
    const w = await load();
    const next = await openItmo(w.s, 1n);
    await endAll(w);
    // The revocation at the end left a debt, which the new one also enforces. CARBON of another certificate pays it.
    const debt = await w.s.certificates.read.debtOf([1]);
    await giveSupplier(w.s, debt);
    await request(next, w.s);
    await S.reverts(finalise(next, w.s, 1, 2n), w.s.certificates, "ImplementerOwes", [1, debt, 0n]);
    await payDebt(w.s, debt);
    await finalise(next, w.s, 1, 2n);
    expect((await next.read.conversionOf([1])).status).to.equal(I.Answer.Finalised);
  });

  it("adds other Audits and Campaigns; the old campaign ends with its certificate", async () => {
    const w = await load();
    const { s } = w;
    const { participants, certificates } = s;
    const old = await viem.deployContract("Campaigns", [participants.address, certificates.address]);
    await participants.write.registerPlan([planOf({ startDay: 1, endDay: 30_000 })], as(s.registrar));
    const c = campaignCalls({ ...s, campaigns: old });
    await c.drawn();
    const next = await viem.deployContract("Campaigns", [participants.address, certificates.address]);
    const audits = await viem.deployContract("Audits", [participants.address]);
    const { day } = await S.now();
    await audits.write.anchorRoot([day, S.hashOf("root"), 1n, 1n], as(s.operator));
    await c.finish();
    await c.certify(await S.registerWhole(s, { plan: 1 }));
    await campaignCalls({ ...s, campaigns: next }).drawn();
    await endAll(w);
  });

  it("adds another OracleRegistry; payers withdraw their deposits from the old one", async () => {
    const w = await load();
    const { s } = w;
    const deploy = () => viem.deployContract("OracleRegistry", [s.participants.address, s.stablecoin.address]);
    const old = await deploy();
    const entry = { did: "did:web:o", apiUrl: "http://o", wsUrl: "", agentCardUri: "", price: 1n, freeMessages: 0 };
    const accounts = { allowance: 0, settler: s.stranger.account.address, payee: s.stranger.account.address };
    const register = (registry: typeof old) =>
      registry.write.register([{ ...entry, ...accounts }, s.stranger.account.address], as(s.operator));
    await register(old);
    await s.stablecoin.write.mint([s.household.account.address, 5n]);
    await s.stablecoin.write.approve([old.address, 5n], as(s.household));
    await old.write.contractOracle([S.hashOf("did:web:o"), S.hashOf("user"), 5n, 1n], as(s.household));
    await register(await deploy());
    await old.write.requestWithdrawal([S.hashOf("did:web:o"), 5n], as(s.household));
    await networkHelpers.time.increase(30n * S.DAY);
    await old.write.withdraw([S.hashOf("did:web:o")], as(s.household));
    expect(await s.stablecoin.read.balanceOf([s.household.account.address])).to.equal(5n);
  });

  it("adds another Directory, to which nothing on chain refers", async () => {
    const w = await load();
    const directory = await viem.deployContract("Directory", [w.s.participants.address]);
    await directory.write.setContracts([[named("Pool")], [w.s.pool.address]], as(w.s.council));
    await endAll(w);
  });

  it("moves the council from one timelock to another, by a decision of the old one", async () => {
    const w = await load();
    const { s } = w;
    const { council, participants } = s;
    const safe = council.account.address;
    const deploy = () =>
      viem.deployContract("CouncilTimelock", [S.DAY, [safe], [zeroAddress], zeroAddress, participants.address]);
    const [old, next] = [await deploy(), await deploy()];
    await participants.write.grantRole([S.Role.council, old.address, 0], as(council));
    await participants.write.renounceRole([S.Role.council, safe], as(council));
    const encode = (functionName: "grantRole" | "revokeRole", account: Address) =>
      functionName === "grantRole"
        ? encodeFunctionData({ abi: participantsAbi, functionName, args: [S.Role.council, account, 0] })
        : encodeFunctionData({ abi: participantsAbi, functionName, args: [S.Role.council, account] });
    const through = async (timelock: typeof old, target: Address, data: Hex) => {
      const call = [target, 0n, data, zeroHash, toHex(1, { size: 32 })] as const;
      await timelock.write.schedule([...call, S.DAY], as(council));
      await networkHelpers.time.increase(S.DAY);
      await timelock.write.execute([...call]);
    };
    await through(old, participants.address, encode("grantRole", next.address));
    await through(next, participants.address, encode("revokeRole", old.address));
    const unpause = "0x3f4ba83a";
    await S.reverts(through(old, s.pool.address, unpause), participants, "MissingRole", [old.address, S.Role.council]);
    await through(next, s.pool.address, unpause);
    await endAll(w);
  });
});

/** Deploy a second set of Certificates, Carbon, Vouchers, Claims and Pool with the same participants. */
async function replaceUnit(s: S.Scheme): Promise<S.Scheme> {
  const contracts = await S.deployUnit(s.participants, s.stablecoin);
  await s.participants.write.grantRole([S.Role.ledger, contracts.vouchers.address, 0], as(s.council));
  const rest = await s.pool.read.stablecoinReserve();
  await s.pool.write.withdraw([s.stablecoin.address, contracts.pool.address, rest - 2n * 800_000n], as(s.council));
  await contracts.pool.write.takeIn();
  return { ...s, ...contracts };
}

describe("Replacing the unit of certificates, CARBON, vouchers, claims and pool", () => {
  it("lets the old one finish while the new one runs", async () => {
    const w = await load();
    const next = await replaceUnit(w.s);
    const voucher = await issueLarge(next);
    await claim(next, await redeem(next, voucher, 1n));
    await claim(w.s, await redeem(w.s, w.voucher, 1n));
    await endAll(w);
    await buy(next, 1n);
    const itmo = await openItmo(next, 1n);
    await request(itmo, next);
    await finalise(itmo, next, 1, 2n);
    expect(await next.carbon.read.totalSupply()).to.equal(4_000n * CARBON);
  });

  it("keeps each ledger's halts and its consent requirement apart from the other's", async () => {
    const { s, voucher, certificate } = await load();
    const next = await replaceUnit(s);
    await issueLarge(next);
    const setStatus = (unit: S.Scheme, status: number) =>
      unit.certificates.write.setCertificateStatus([certificate, status, ""], as(s.registrar));
    const requireConsent = (unit: S.Scheme, required: boolean) =>
      unit.vouchers.write.setHouseholdAuthorizationRequired([required], as(required ? s.registrar : s.council));
    const open = () => canRedeem(s, voucher);
    expect(await open()).to.equal(true);
    await setStatus(s, Certificate.Suspended);
    await setStatus(next, Certificate.Suspended);
    await setStatus(next, Certificate.Valid);
    expect(await open(), "halted, though the new ledger halts nothing").to.equal(false);
    await setStatus(s, Certificate.Valid);
    expect(await open()).to.equal(true);
    await requireConsent(s, true);
    await setStatus(next, Certificate.Suspended);
    expect(await open(), "with consent, though the new ledger asks for none").to.equal(false);
    await requireConsent(s, false);
    expect(await open()).to.equal(true);
  });
});
