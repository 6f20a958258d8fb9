import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { expect } from "chai";
import { encodeFunctionData, getAddress, type Hex, keccak256, maxUint96, toHex, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import {
  authorize,
  CARBON,
  Consent,
  connection,
  DAY,
  emits,
  evenLeaves,
  issueOne,
  loadScheme,
  now,
  orderOf,
  pinOf,
  proofOf,
  Redeemed,
  Rule,
  redeemOne,
  registerAllocated,
  registerWhole,
  reverts,
  type Scheme,
} from "../scheme.ts";
import { planOf } from "../support/participants.ts";

const { networkHelpers } = connection;

/** One-time keys of households, and the tree that is committed for them. */
function makeCodes(households: readonly number[]) {
  const codes = households.map((household) => ({ household, key: privateKeyToAccount(generatePrivateKey()) }));
  const tree = StandardMerkleTree.of(
    codes.map(({ household, key }) => [household, key.address]),
    ["uint32", "address"],
  );
  const sign = (s: Scheme, order: ReturnType<typeof orderOf>, place = 0, options: { nonce?: bigint } = {}) => {
    const signer = codes[place]!.key;
    const proof = tree.getProof(place) as Hex[];
    return authorize(s, order, { consent: Consent.Code, nonce: BigInt(signer.address), signer, proof, ...options });
  };
  return { root: tree.root as Hex, codes, sign };
}

describe("Vouchers: consent", () => {
  let s: Scheme;
  let voucher: bigint;
  beforeEach(async () => {
    s = await loadScheme();
    voucher = await issueOne(s);
  });
  const as = (who: Scheme["operator"]) => ({ account: who.account });
  const breaks = (call: Promise<unknown>, rules: number, id = voucher) =>
    reverts(call, s.vouchers, "RedemptionRuleBroken", [id, rules]);
  const use = (order: ReturnType<typeof orderOf>, consent: Awaited<ReturnType<typeof authorize>>, by = s.stranger) =>
    s.vouchers.write.redeemAuthorized([order, consent], as(by));
  const consentOf = async (redemption: bigint) => (await s.vouchers.read.redemptionOf([redemption])).consent;
  const first = () => (voucher << 32n) | 1n;
  const callOf = (functionName: "issue" | "issueChunks" | "reissue" | "commitCodes", args: readonly unknown[]) =>
    encodeFunctionData({ abi: s.vouchers.abi, functionName, args } as never);
  const commitCall = (root: Hex) => callOf("commitCodes", [root]);
  /** Plans with these caps, from number 1 on. */
  const registerPlans = async (...caps: number[]) => {
    for (const [i, unconsentedCap] of caps.entries()) {
      const plan = planOf({ planId: `own ${i}`, unconsentedCap, products: [] });
      await s.participants.write.registerPlan([plan], as(s.operator));
    }
  };
  const allow = (cap: number, plan = 0) => s.participants.write.setUnconsentedCap([plan, cap], as(s.council));

  describe("none", () => {
    it("is refused by a plan that allows none, and immediately after the guardian lowers the cap", async () => {
      await s.participants.write.setUnconsentedCap([0, 0], as(s.guardian));
      await breaks(s.vouchers.write.redeem([orderOf(voucher)], as(s.supplier)), Rule.unconsentedWithinCap);
      await breaks(s.vouchers.write.redeem([orderOf(voucher)], as(s.operator)), Rule.unconsentedWithinCap);
    });

    it("is capped for each supplier and plan, and the cap refills within a day", async () => {
      await allow(50);
      const start = (await now()).time + 100n;
      await networkHelpers.time.setNextBlockTimestamp(start);
      await s.vouchers.write.redeem([orderOf(voucher)], as(s.supplier));
      expect(await consentOf(first())).to.equal(Consent.None);
      expect(await s.vouchers.read.unconsentedLeft([0, 1])).to.equal(10n * CARBON);
      await breaks(s.vouchers.write.redeem([orderOf(voucher)], as(s.operator)), Rule.unconsentedWithinCap);
      await s.vouchers.write.redeem([orderOf(voucher, { supplier: 2 })], as(s.operator));
      await networkHelpers.time.setNextBlockTimestamp(start + DAY / 5n);
      await s.vouchers.write.redeem([orderOf(voucher, { amount: 20n * CARBON })], as(s.supplier));
      expect(await s.vouchers.read.unconsentedLeft([0, 1])).to.equal(0n);
    });

    it("is allowed up to the cap, to the last micro-CARBON", async () => {
      await allow(50);
      const all = (amount: bigint) => s.vouchers.write.redeem([orderOf(voucher, { amount })], as(s.supplier));
      await breaks(all(50n * CARBON + 1n), Rule.unconsentedWithinCap);
      await all(50n * CARBON);
    });

    it("is counted to the last micro-CARBON, also in parts", async () => {
      await allow(50);
      const amounts = [30n * CARBON + 1n, 20n * CARBON, 20n * CARBON - 1n];
      const orders = amounts.map((amount) => orderOf(voucher, { amount }));
      const { result } = await s.vouchers.simulate.redeemMany([[], orders, []], {
        account: s.operator.account.address,
      });
      expect(result).to.deep.equal([0, Rule.unconsentedWithinCap, 0]);
    });

    it("is capped by the voucher's own plan", async () => {
      await registerPlans(60);
      await allow(0);
      const planned = await issueOne(s, { registration: { plan: 1 } });
      await redeemOne(s, planned);
      await breaks(s.vouchers.write.redeem([orderOf(planned)], as(s.supplier)), Rule.unconsentedWithinCap, planned);
      expect(await s.vouchers.read.unconsentedLeft([1, 1])).to.equal(20n * CARBON);
    });

    it("is capped over all plans, however many an operator registers", async () => {
      await allow(60);
      await registerPlans(60, 60);
      const one = await issueOne(s, { registration: { plan: 1 } });
      const two = await issueOne(s, { registration: { plan: 2 } });
      await s.vouchers.write.redeem([orderOf(one)], as(s.supplier));
      await breaks(s.vouchers.write.redeem([orderOf(two)], as(s.supplier)), Rule.unconsentedWithinCap, two);
      await breaks(s.vouchers.write.redeem([orderOf(voucher)], as(s.supplier)), Rule.unconsentedWithinCap);
      expect(await s.vouchers.read.unconsentedLeft([2, 1])).to.equal(20n * CARBON);
      expect(await s.vouchers.read.unconsentedLeft([2, 2])).to.equal(60n * CARBON);
    });

    it("uses the same share of the day under all plans", async () => {
      await allow(400);
      await registerPlans(400, 80);
      const lax = await issueOne(s, { registration: { plan: 1 } });
      const strict = await issueOne(s, { registration: { plan: 2 } });
      const start = (await now()).time + 100n;
      await networkHelpers.time.setNextBlockTimestamp(start);
      await s.vouchers.write.redeem([orderOf(lax, { amount: 100n * CARBON })], as(s.supplier));
      expect(await s.vouchers.read.unconsentedLeft([2, 1])).to.equal(60n * CARBON);
      await networkHelpers.time.setNextBlockTimestamp(start + DAY / 8n);
      await s.vouchers.write.redeem([orderOf(strict, { amount: 70n * CARBON })], as(s.supplier));
      expect(await s.vouchers.read.unconsentedLeft([2, 1])).to.equal(0n);
      expect(await s.vouchers.read.unconsentedLeft([1, 1])).to.equal(0n);
    });

    it("is capped over a whole batch, so that no supplier can empty all expiring vouchers", async () => {
      await allow(250);
      const orders = [];
      for (let i = 0; i < 30; i++) orders.push(orderOf(await issueOne(s), { amount: 100n * CARBON }));
      await s.vouchers.write.redeemMany([[], orders, []], as(s.supplier));
      const left = await Promise.all(orders.map(({ voucher: id }) => s.vouchers.read.voucherOf([id])));
      expect(left.filter(({ remaining }) => remaining === 0n).length).to.equal(2);
      const again = await s.vouchers.simulate.redeemMany([[], orders.slice(2), []], {
        account: s.supplier.account.address,
      });
      expect(new Set(again.result)).to.deep.equal(new Set([Rule.unconsentedWithinCap]));
    });

    it("is counted order by order in a batch, also in the simulated verdicts", async () => {
      await allow(100);
      await s.vouchers.write.setPinCap([50n * CARBON], as(s.council));
      const orders = [60n, 60n, 40n, 50n, 1n].map((amount) => orderOf(voucher, { amount: amount * CARBON }));
      orders[1] = orderOf(await issueOne(s), { amount: 60n * CARBON });
      orders[3] = orderOf(orders[1].voucher, { amount: 50n * CARBON });
      orders[4] = orderOf(orders[1].voucher, { amount: CARBON });
      const args = [[], orders, [pinOf(3), pinOf(4)]] as const;
      const { result } = await s.vouchers.simulate.redeemMany([...args], { account: s.operator.account.address });
      expect(result).to.deep.equal([0, Rule.unconsentedWithinCap, 0, 0, Rule.pinWithinCap]);
      await s.vouchers.write.redeemMany([...args], as(s.operator));
      expect(await s.vouchers.read.unconsentedLeft([0, 1])).to.equal(0n);
      expect(await s.vouchers.read.pinLeft([s.operator.account.address])).to.equal(0n);
    });
  });

  describe("pin", () => {
    it("may be stated by an operator, with a cap for each", async () => {
      await allow(0);
      await s.vouchers.write.setPinCap([50n * CARBON], as(s.council));
      await use(orderOf(voucher), pinOf(), s.operator);
      expect(await consentOf(first())).to.equal(Consent.Pin);
      expect(await s.vouchers.read.pinLeft([s.operator.account.address])).to.equal(10n * CARBON);
      await breaks(use(orderOf(voucher), pinOf(), s.operator), Rule.pinWithinCap);
      await s.participants.write.grantRole([3n, s.stranger.account.address, 0], as(s.council));
      await use(orderOf(voucher), pinOf(), s.stranger);
      await networkHelpers.time.increase(DAY);
      await s.vouchers.write.redeemMany([[], [orderOf(voucher, { amount: CARBON })], [pinOf()]], as(s.operator));
      expect(await consentOf((voucher << 32n) | 3n)).to.equal(Consent.Pin);
    });

    it("may be stated by nobody else, and does not meet the scheme's requirement", async () => {
      await breaks(use(orderOf(voucher), pinOf(), s.supplier), Rule.householdAuthorised);
      await breaks(use(orderOf(voucher), pinOf()), Rule.householdAuthorised | Rule.callerAuthorised);
      await s.vouchers.write.setHouseholdAuthorizationRequired([true], as(s.registrar));
      await breaks(use(orderOf(voucher), pinOf(), s.operator), Rule.householdAuthorised);
    });

    it("is capped by the council and lowered by the guardian", async () => {
      const set = (cap: bigint, by = s.council) => s.vouchers.write.setPinCap([cap], as(by));
      const lower = (cap: bigint, by = s.guardian) => s.vouchers.write.lowerPinCap([cap], as(by));
      const at = (who: Scheme["operator"]) => getAddress(who.account.address);
      await reverts(set(1n, s.guardian), s.participants, "MissingRole", [at(s.guardian), 0n]);
      await reverts(lower(1n, s.operator), s.participants, "MissingRole", [at(s.operator), 1n]);
      await emits(set(9n), s.vouchers, "PinCapChanged", [9n]);
      await reverts(lower(9n), s.vouchers, "CapNotLowered", [9n, 9n]);
      await emits(lower(0n), s.vouchers, "PinCapChanged", [0n]);
      expect(await s.vouchers.read.pinCap()).to.equal(0n);
      await breaks(use(orderOf(voucher), pinOf(), s.operator), Rule.pinWithinCap);
    });
  });

  describe("code", () => {
    const leaves = evenLeaves(3);
    const id = (position: number) => (1n << 32n) | BigInt(position);
    let codes: ReturnType<typeof makeCodes>;

    /** A batch of three households with keys: two of household 1, one of each other. */
    beforeEach(async () => {
      codes = makeCodes([1, 1, 2, 3]);
      await allow(0);
      const certificate = await registerAllocated(s, leaves);
      const { day } = await now();
      const calls = [callOf("issueChunks", [certificate, 0, 1, day, day + 9, "B"]), commitCall(codes.root)];
      const call = s.vouchers.write.multicall([calls], as(s.operator));
      await emits(call, s.vouchers, "CodesCommitted", [1n << 32n, codes.root]);
      for (const [i] of leaves.entries()) {
        const opening = { voucher: id(i), household: i + 1, value: 100n * CARBON, proof: proofOf(leaves, i) };
        await s.vouchers.write.open([opening]);
      }
    });

    it("of the household redeems for anyone, once, also where the scheme requires authorisation", async () => {
      await s.vouchers.write.setHouseholdAuthorizationRequired([true], as(s.registrar));
      const order = orderOf(id(0));
      const consent = await codes.sign(s, order);
      await use(order, consent);
      const redemption = (id(0) << 32n) | 1n;
      expect(await consentOf(redemption)).to.equal(Consent.Code);
      await reverts(use(order, consent), s.vouchers, "AuthorizationUsed", [1, consent.nonce, redemption]);
      const again = await s.vouchers.simulate.redeemMany([[], [order], [consent]], {
        account: s.operator.account.address,
      });
      expect(again.result).to.deep.equal([Rule.householdAuthorised]);
      await use(order, await codes.sign(s, order, 1));
    });

    it("is refused for another supplier, product, amount, or voucher than it signed", async () => {
      const order = orderOf(id(0));
      const consent = await codes.sign(s, order);
      const refused = Rule.householdAuthorised;
      for (const change of [{ supplier: 2 }, { product: 2 }, { amount: CARBON }]) {
        await breaks(use({ ...order, ...change }, consent, s.operator), refused, id(0));
      }
      const other = await codes.sign(s, orderOf(id(1)));
      await breaks(use(orderOf(id(1)), other, s.operator), refused, id(1));
      expect(await s.vouchers.read.authorizationUsed([1, consent.nonce])).to.equal(0n);
    });

    it("needs its key, nonce and proof, and a committed root", async () => {
      const order = orderOf(id(0));
      const refused = Rule.householdAuthorised | Rule.callerAuthorised;
      const strange = makeCodes([1, 2]);
      await breaks(use(order, await strange.sign(s, order)), refused, id(0));
      await breaks(use(order, await codes.sign(s, order, 0, { nonce: 5n })), refused, id(0));
      const high = BigInt(codes.codes[0]!.key.address) | (1n << 160n);
      await breaks(use(order, await codes.sign(s, order, 0, { nonce: high })), refused, id(0));
      await breaks(use(order, { ...(await codes.sign(s, order)), proof: [] }), refused, id(0));
      await breaks(use(order, { ...(await codes.sign(s, order)), signature: "0x1234" }), refused, id(0));
      await breaks(use(order, { ...(await codes.sign(s, order)), consent: Consent.None }), refused, id(0));
      const uncoded = orderOf(voucher);
      await breaks(use(uncoded, await codes.sign(s, uncoded)), refused);
    });

    it("is committed with a voucher issued alone, and passes to its replacement", async () => {
      const lone = makeCodes([2, 2]);
      const { day } = await now();
      const certificate = await registerWhole(s);
      const issued = { certificate, leaf: 0, household: 2, value: 100n * CARBON, startDay: day, expiryDay: day + 9 };
      const calls = [callOf("issue", [{ ...issued, batchId: "B", proof: [] }]), commitCall(lone.root)];
      const write = s.vouchers.write.multicall([calls], as(s.operator));
      await emits(write, s.vouchers, "CodesCommitted", [2n, lone.root]);
      expect(await s.vouchers.read.codeRootOf([2n])).to.equal(lone.root);
      await use(orderOf(2n), await lone.sign(s, orderOf(2n)));
      await s.vouchers.write.cancel([2n, ""], as(s.operator));
      const reissue = s.vouchers.write.reissue([2n, day, day + 20, "B"], as(s.operator));
      await emits(reissue, s.vouchers, "CodesCommitted", [3n, lone.root]);
      // A used code stays used; an unused one consents to the replacement, but only with a new signature.
      const used = await lone.sign(s, orderOf(3n));
      const args = [2, used.nonce, (2n << 32n) | 1n];
      await reverts(use(orderOf(3n), used), s.vouchers, "AuthorizationUsed", args);
      await breaks(use(orderOf(3n), await lone.sign(s, orderOf(2n), 1), s.operator), Rule.householdAuthorised, 3n);
      await use(orderOf(3n), await lone.sign(s, orderOf(3n), 1));
    });

    /** More households than the others need, 100 CARBON each. */
    const manyLeaves = async (count: number) => {
      const hashes = Array.from({ length: count - 300 }, (_, i) => keccak256(toHex(`another household ${i}`)));
      await s.participants.write.registerHouseholds([hashes, []], as(s.operator));
      return evenLeaves(count);
    };

    it("is committed to all batches that a transaction issues, and to no earlier one", async () => {
      const many = await manyLeaves(515);
      const certificate = await registerAllocated(s, many);
      const { day } = await now();
      const chunksCall = (first: number, count: number) =>
        callOf("issueChunks", [certificate, first, count, day, day + 9, "B"]);
      await s.vouchers.write.multicall([[chunksCall(1, 1)]], as(s.operator));
      // Chunk 1 is skipped; chunks 0 and 2 are batches 3 and 4, and household 515 is in the last one.
      const shared = makeCodes([1, 515]);
      const calls = [chunksCall(0, 2), chunksCall(2, 1), commitCall(shared.root)];
      const write = s.vouchers.write.multicall([calls], as(s.operator));
      await emits(write, s.vouchers, "CodesCommitted", [3n << 32n, shared.root]);
      const { args } = (await s.vouchers.getEvents.CodesCommitted())[1]!;
      expect(args).to.deep.equal({ voucher: 4n << 32n, root: shared.root });
      const rootsOf = (batches: readonly bigint[]) =>
        Promise.all(batches.map((batch) => s.vouchers.read.codeRootOf([(batch << 32n) | 2n])));
      expect(await rootsOf([1n, 2n, 3n, 4n])).to.deep.equal([codes.root, zeroHash, shared.root, shared.root]);
      const last = (4n << 32n) | 2n;
      const proof = proofOf(many.slice(512), 2);
      await s.vouchers.write.open([{ voucher: last, household: 515, value: 100n * CARBON, proof }]);
      const order = orderOf(last);
      await breaks(use(order, await shared.sign(s, order, 0), s.operator), Rule.householdAuthorised, last);
      await use(order, await shared.sign(s, order, 1));
      expect(await consentOf((last << 32n) | 1n)).to.equal(Consent.Code);
    });

    it("is committed to no batch before a voucher issued alone, or after the commitment", async () => {
      const certificate = await registerAllocated(s, await manyLeaves(1025));
      const lone = await registerWhole(s);
      const { day } = await now();
      const chunkCall = (chunk: number) => callOf("issueChunks", [certificate, chunk, 1, day, day + 9, "B"]);
      const dates = { startDay: day, expiryDay: day + 9 };
      const order = { certificate: lone, leaf: 0, household: 2, value: 100n * CARBON, ...dates };
      const issue = callOf("issue", [{ ...order, batchId: "B", proof: [] }]);
      const commit = commitCall(codes.root);
      const calls = [chunkCall(0), issue, chunkCall(1), chunkCall(2), commit, chunkCall(3), chunkCall(4)];
      await s.vouchers.write.multicall([calls], as(s.operator));
      const ids = [2n << 32n, 2n, 3n << 32n, 4n << 32n, 5n << 32n, 6n << 32n];
      const roots = await Promise.all(ids.map((each) => s.vouchers.read.codeRootOf([each])));
      expect(roots).to.deep.equal([zeroHash, zeroHash, codes.root, codes.root, zeroHash, zeroHash]);
    });

    it("of a batch passes to a voucher's replacement, only for that voucher's household", async () => {
      const { day } = await now();
      await s.vouchers.write.cancel([id(1), ""], as(s.operator));
      const reissue = () => s.vouchers.write.reissue([id(1), day, day + 400, "B"], as(s.operator));
      await emits(reissue(), s.vouchers, "CodesCommitted", [2n, codes.root]);
      const order = orderOf(2n, { amount: 10n * CARBON });
      await breaks(use(order, await codes.sign(s, order, 0), s.operator), Rule.householdAuthorised, 2n);
      await use(order, await codes.sign(s, order, 2));
      // It passes to the replacement of the replacement.
      await s.vouchers.write.cancel([2n, ""], as(s.operator));
      await s.vouchers.write.reissue([2n, day, day + 401, "B"], as(s.operator));
      expect(await s.vouchers.read.codeRootOf([3n])).to.equal(codes.root);
    });

    it("is not added to a reissued voucher that had none", async () => {
      const { day } = await now();
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      await s.vouchers.write.reissue([voucher, day, day + 400, "B"], as(s.operator));
      expect(await s.vouchers.getEvents.CodesCommitted()).to.deep.equal([]);
      expect(await s.vouchers.read.codeRootOf([2n])).to.equal(zeroHash);
    });

    it("is committed only by an operator, and only in the transaction that issued", async () => {
      const commit = (by: Scheme["operator"]) => s.vouchers.write.commitCodes([codes.root], as(by));
      await reverts(commit(s.registrar), s.participants, "MissingRole", [getAddress(s.registrar.account.address), 3n]);
      await reverts(commit(s.operator), s.vouchers, "NothingToCommitTo", []);
    });

    it("is committed once, to the vouchers issued last, and never to a reissued voucher", async () => {
      const { day } = await now();
      const nothing = (calls: Hex[]) =>
        reverts(s.vouchers.write.multicall([calls], as(s.operator)), s.vouchers, "NothingToCommitTo", []);
      const issued = { leaf: 0, household: 2, value: 100n * CARBON, startDay: day, expiryDay: day + 9 };
      const issue = async () =>
        callOf("issue", [{ ...issued, certificate: await registerWhole(s), batchId: "B", proof: [] }]);
      await nothing([await issue(), commitCall(codes.root), commitCall(codes.root)]);
      const calls = [await issue(), await issue(), commitCall(codes.root)];
      await s.vouchers.write.multicall([calls], as(s.operator));
      expect(await s.vouchers.read.codeRootOf([2n])).to.equal(zeroHash);
      expect(await s.vouchers.read.codeRootOf([3n])).to.equal(codes.root);
      await s.vouchers.write.cancel([voucher, ""], as(s.operator));
      await nothing([callOf("reissue", [voucher, day, day + 400, "B"]), commitCall(codes.root)]);
      // Chunks that were issued before keep the root that they have.
      await nothing([callOf("issueChunks", [2, 0, 1, day, day + 9, "B"]), commitCall(zeroHash)]);
    });
  });

  describe("signature", () => {
    it("counts against no cap", async () => {
      await allow(0);
      await use(orderOf(voucher), await authorize(s, orderOf(voucher)));
      const { consent, status } = await s.vouchers.read.redemptionOf([first()]);
      expect([consent, status]).to.deep.equal([Consent.Signature, Redeemed.Open]);
    });

    it("of level none is refused", async () => {
      const consent = { ...(await authorize(s, orderOf(voucher))), consent: Consent.None };
      await breaks(use(orderOf(voucher), consent, s.operator), Rule.householdAuthorised);
    });

    it("cancelled by its household no longer redeems", async () => {
      const order = orderOf(voucher, { amount: CARBON });
      const consent = await authorize(s, order, { nonce: 5n });
      const cancel = (nonce: bigint, by = s.household) => s.vouchers.write.cancelAuthorization([1, nonce], as(by));
      await reverts(cancel(5n, s.operator), s.vouchers, "NotPermitted", [getAddress(s.operator.account.address)]);
      await emits(cancel(5n), s.vouchers, "AuthorizationCancelled", [1, 5n]);
      expect(await s.vouchers.read.authorizationUsed([1, 5n])).to.equal(maxUint96);
      await reverts(use(order, consent), s.vouchers, "AuthorizationUsed", [1, 5n, maxUint96]);
      const batch = await s.vouchers.simulate.redeemMany([[], [order], [consent]], {
        account: s.operator.account.address,
      });
      expect(batch.result).to.deep.equal([Rule.householdAuthorised]);
      await use(order, await authorize(s, order, { nonce: 6n }));
      await reverts(cancel(6n), s.vouchers, "AuthorizationUsed", [1, 6n, first()]);
    });
  });
});
