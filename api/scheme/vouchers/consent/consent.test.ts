import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { sql } from "drizzle-orm";
import { encodeFunctionData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Caller } from "../../../../test/support/registry.ts";
import { createCouncil, createWriter } from "../../../../test/support/scheme.ts";
import {
  implementerDid,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../../../test/support/vouchers.ts";
import { cardCode, cardQrText, readCardCode } from "../../../../wire/src/card-code.ts";
import { abis } from "../../../platform/chain/contracts.ts";
import type { ErrorBody } from "../../../platform/http/error-response.ts";
import type { Actor, RequestContext } from "../../../platform/http/request-context.ts";
import { sealingKeysOf } from "../../../platform/secret-box.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { Pins } from "../../cards/index.ts";
import { redeemVoucher } from "../redemptions/redeem.ts";

type Body = Record<string, unknown>;

let t: VoucherTest;
let allow: (cap: number) => Promise<void>;
let voucherId: string;
before(async () => {
  t = await openVoucherTest();
  const council = createCouncil(t.world);
  allow = (cap) => council("participants", "setUnconsentedCap", [0, cap]);
  voucherId = await issue();
});
after(() => t.close());

const operator = async (contract: "vouchers", functionName: string, args: unknown[]) =>
  (await createWriter(t.deps, t.world))("operator", contract, functionName, args);

const wordsOf = ({ body }: { body: unknown }) => (body as ErrorBody).details.map(({ message }) => message).join("\n");

async function issue(): Promise<string> {
  const emissionCertificateId = await t.certify();
  const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return (answer.body as { id: string }).id;
}

describe("redemptions without a consent that the chain checks", () => {
  it("are of level none, which the redemption's record says, and its list", async () => {
    const answer = await t.redeem({ voucherId, amount: 1 });
    const { redemptionId, consent } = answer.body as Body;
    assert.equal(consent, "none");
    assert.equal(((await t.admin("GET", `/redemptions/${redemptionId}`)).body as Body).consent, "none");
  });

  it("are capped for each supplier and plan, also when they come together", async () => {
    await allow(10);
    const refused = await t.redeem({ voucherId, amount: 11 });
    assert.deepEqual([refused.status, ...rulesOf(refused)], [400, "unconsented-within-cap"]);
    assert.match(wordsOf(refused), /It never has room for 11 CARBON: the whole limit is 10 CARBON\.$/);
    await allow(17);
    const answers = await Promise.all([1, 2, 3].map(() => t.redeem({ voucherId, amount: 8 })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 400]);
    const late = answers.find(({ status }) => status === 400);
    assert.deepEqual(late && rulesOf(late), ["unconsented-within-cap"]);
    const again = await t.redeem({ voucherId, amount: 8 });
    const from = Date.parse(/It has room for 8 CARBON from (\S+) on\.$/.exec(wordsOf(again))?.[1] ?? "");
    const waited = from - Number(await t.deps.chain.now()) * 1000;
    // At least 7 of the 17 per day are missing; they refill in ten hours.
    assert.ok(waited > 9.5 * 3_600_000 && waited < 10.5 * 3_600_000, String(waited));
    await allow(0);
    const none = await t.redeem({ voucherId, amount: 1 });
    assert.deepEqual(rulesOf(none), ["unconsented-within-cap"]);
  });
});

describe("the terms of a household's consent", () => {
  type Level = { level: string; isAllowed: boolean; rule?: string; message?: string; left?: number; limit?: number };
  const query = (more = "") => `supplierDid=${encodeURIComponent(supplierDid)}${more}`;
  const terms = (id: string, more = "", by: Caller = t.admin) => by("GET", `/vouchers/${id}/consents?${query(more)}`);
  const levelsOf = async (id: string, more = "") => {
    const { levels } = (await terms(id, more)).body as { levels: Level[] };
    assert.deepEqual(
      levels.map(({ level }) => level),
      ["signature", "code", "pin", "none"],
    );
    return Object.fromEntries(levels.map(({ level, ...rest }) => [level, rest]));
  };

  it("say which levels a voucher has, and why not the others, in one sentence each", async () => {
    await allow(40);
    const id = await issue();
    const { signature, code, pin, none } = await levelsOf(id);
    assert.deepEqual([signature?.isAllowed, signature?.rule], [false, "household-has-account"]);
    assert.deepEqual([code?.isAllowed, code?.rule], [false, "voucher-has-codes"]);
    assert.equal(pin?.isAllowed, true);
    assert.deepEqual([none?.isAllowed, none?.limit], [true, 40]);
  });

  it("allow no more than what is left of the plan's cap, and nothing where the plan has none", async () => {
    await allow(40);
    const id = await issue();
    const before = (await levelsOf(id)).none?.left ?? 0;
    assert.ok(before > 2 && before <= 40, String(before));
    assert.equal((await levelsOf(id, "&amount=2")).none?.isAllowed, true);
    const { none } = await levelsOf(id, "&amount=40.5");
    assert.deepEqual([none?.isAllowed, none?.rule], [false, "unconsented-within-cap"]);
    assert.match(none?.message ?? "", /CARBON may be redeemed without the household's consent now\. It never has room/);
    await allow(0);
    const zero = (await levelsOf(id)).none;
    assert.deepEqual(
      [zero?.isAllowed, zero?.message],
      [false, "Nothing may be redeemed without the household's consent."],
    );
    const refused = await t.redeem({ voucherId: id, amount: 1 });
    assert.deepEqual(rulesOf(refused), [zero?.rule]);
  });

  it("are for the supplier itself, and for an amount in plain digits", async () => {
    const id = await issue();
    const own = await t.as("supplier", { supplierDid });
    assert.equal((await terms(id, "", own)).status, 200);
    const account = `0x${"5".repeat(40)}`;
    await t.admin("POST", "/suppliers", { did: "did:ixo:supplier/other", account, name: "Other" });
    const other = await t.as("supplier", { supplierDid: "did:ixo:supplier/other" });
    assert.equal((await terms(id, "", other)).status, 403);
    assert.equal((await terms("VCHR-00000000000000", "", own)).status, 404);
    for (const amount of ["1e3", "-1", "0.0000001", "x"])
      assert.equal((await terms(id, `&amount=${amount}`, own)).status, 400, amount);
  });
});

describe("the limit of a day on the lifecycle", () => {
  it("says when enough of it is free again", async () => {
    const id = await issue();
    const council = createCouncil(t.world);
    const before = await t.deps.chain.read("vouchers", "lifecycleCap", []);
    const cancel = () => t.admin("POST", `/vouchers/${id}/cancel`, { reason: "moved away" });
    await council("vouchers", "setLifecycleCap", [99_000_000n]);
    const refused = await cancel();
    assert.deepEqual([refused.status, ...rulesOf(refused)], [503, "lifecycle-cap"]);
    assert.match(
      wordsOf(refused),
      /has 99 CARBON left now, not 100\. .* It never has room for 100 CARBON: .* 99 CARBON\.$/,
    );
    await council("vouchers", "setLifecycleCap", [150_000_000n]);
    assert.equal((await cancel()).status, 200);
    const next = await issue();
    const late = await t.admin("POST", `/vouchers/${next}/cancel`, { reason: "moved away" });
    const from = Date.parse(/It has room for 100 CARBON from (\S+) on\.$/.exec(wordsOf(late))?.[1] ?? "");
    const waited = from - Number(await t.deps.chain.now()) * 1000;
    // 50 of the 150 per day are missing; they refill in eight hours.
    assert.ok(waited > 7.5 * 3_600_000 && waited < 8.5 * 3_600_000, String(waited));
    await council("vouchers", "setLifecycleCap", [before]);
  });
});

describe("PINs", () => {
  it("may be stated only by those who check them: admin, or a key with the scope", async () => {
    await allow(0);
    const consent = { type: "pin" };
    const answer = await t.redeem({ voucherId, amount: 1, consent });
    assert.deepEqual([answer.status, (answer.body as Body).consent], [201, "pin"], JSON.stringify(answer.body));
    const redeem = (actor: Partial<Actor>) => {
      const ctx: RequestContext = {
        actor: { keyId: "k", role: "integrator", scopes: [], dids: null, ...actor },
      };
      const input = { voucherId, supplierDid, productId, amount: 1_000_000n, consent: { type: "pin" as const } };
      return redeemVoucher(t.deps, ctx, { ...input, householdAuthorization: undefined });
    };
    const refused = { code: "FORBIDDEN" };
    await assert.rejects(redeem({ role: "supplier", supplierDid }), refused);
    await assert.rejects(redeem({ scopes: ["vouchers:redeem"] }), refused);
    assert.equal((await redeem({ scopes: ["vouchers:redeem", "vouchers:attest-pin"] })).consent, "pin");
  });

  it("are not tried by a request that only asks how an earlier one ended", async () => {
    const headers = { "idempotency-key": "asks-again" };
    const order = { voucherId, supplierDid, productId, amount: 1 };
    const redeem = (more: Body) =>
      t.admin("POST", "/vouchers/redeem", { ...order, consent: { type: "pin", ...more } }, headers);
    const nothing = await redeem({ repeat: true });
    assert.deepEqual([nothing.status, rulesOf(nothing)], [400, ["sent-before"]]);
    const made = await redeem({});
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const again = await redeem({ repeat: true });
    assert.deepEqual([again.status, again.body], [201, made.body]);
  });
});

describe("a household's card and PIN", () => {
  const pin = "735914";
  const did = encodeURIComponent("did:ixo:household/1");
  let code: string;
  let otherCode: string;
  let sell: Caller;

  before(async () => {
    await allow(0);
    sell = await t.as("supplier", { supplierDid });
    const order = { implementerDid, count: 2, language: "en" };
    const { batchId } = (await t.admin("POST", "/card-batches", order)).body as Body;
    const cards = (await t.admin("GET", `/cards?batchId=${batchId}`)).body as { items: { cardId: string }[] };
    const [mine, other] = cards.items.map(({ cardId }) => cardId) as [string, string];
    for (const [cardId, household] of [
      [mine, 1],
      [other, 2],
    ] as const) {
      await t.admin("POST", `/cards/${cardId}/link`, { householdDid: t.household(household) });
      const active = await t.admin("POST", `/cards/${cardId}/activate`);
      assert.equal(active.status, 200, JSON.stringify(active.body));
    }
    code = cardQrText(mine);
    otherCode = cardCode(other);
  });

  const redeem = (consent: Body, more: Body = {}, headers: Record<string, string> = {}) =>
    sell("POST", "/vouchers/redeem", { voucherId, supplierDid, productId, amount: 1, ...more, consent }, headers);
  const setPin = (body: Body) => t.admin("PUT", `/households/${did}/pin`, body);
  const pinState = async () => (await t.admin("GET", `/households/${did}/pin`)).body as Body;

  it("does not count as consent before the household has a PIN; an easy one is refused", async () => {
    const early = await redeem({ type: "pin", card: code, pin });
    assert.deepEqual([early.status, rulesOf(early)], [400, ["pin-set"]]);
    for (const easy of ["1111", "123456", "4321"]) {
      assert.deepEqual(rulesOf(await setPin({ pin: easy })), ["pin-not-obvious"], easy);
    }
    for (const malformed of ["123", "1234567", "12a4"]) assert.equal((await setPin({ pin: malformed })).status, 400);
    assert.equal((await setPin({ pin })).status, 200);
    const without = await setPin({ pin: "2222" });
    assert.deepEqual([without.status, rulesOf(without)], [400, ["pin-not-obvious", "reason-given"]]);
  });

  it("lets a supplier redeem on level pin, once for an Idempotency-Key, and leaves no PIN behind", async () => {
    const once = { "idempotency-key": "with-pin" };
    const first = await redeem({ type: "pin", card: code, pin }, {}, once);
    assert.deepEqual([first.status, (first.body as Body).consent], [201, "pin"], JSON.stringify(first.body));
    const again = await redeem({ type: "pin", card: code, pin }, {}, once);
    assert.equal((again.body as Body).redemptionId, (first.body as Body).redemptionId);
    const { rows } = await t.deps.db.execute<{ request_hash: string }>(
      sql`select request_hash from idempotency_records where idempotency_key = 'with-pin'`,
    );
    const body = { voucherId, supplierDid, productId, amount: 1, consent: { type: "pin", card: code, pin } };
    const guessed = createHash("sha256")
      .update(`/v1/vouchers/redeem\n\n${canonicalJson(body)}`)
      .digest("hex");
    assert.notEqual(rows[0]?.request_hash, guessed);
    const { consent: _, ...rest } = body;
    const withoutPin = canonicalJson({ ...rest, consent: { type: "pin", card: code } });
    const kept = createHash("sha256").update(`/v1/vouchers/redeem\n\n${withoutPin}`).digest("hex");
    assert.equal(rows[0]?.request_hash, kept);
  });

  it("names every broken rule, and no card of another household counts a try", async () => {
    const wrong = await redeem({ type: "pin", card: code, pin: "735915" }, { amount: 1_000 });
    assert.deepEqual([wrong.status, rulesOf(wrong)], [400, ["amount-within-balance", "pin-correct"]]);
    assert.match(wordsOf(wrong), /4 tries are left/);
    for (const card of [otherCode, "0000 0000 0000", "HC1:1:1"]) {
      const foreign = await redeem({ type: "pin", card, pin });
      assert.deepEqual([foreign.status, rulesOf(foreign)], [400, ["card-active"]], card);
      assert.match(wordsOf(foreign), /^This is not an active card of the voucher's household\.$/);
    }
    assert.equal((await pinState()).triesLeft, 4);
    assert.equal((await redeem({ type: "pin", card: code })).status, 400);
    assert.equal((await redeem({ type: "pin", pin })).status, 403);
    const attested = await t.redeem({ voucherId, amount: 1, consent: { type: "pin", pin } });
    assert.deepEqual([attested.status, (attested.body as Body).consent], [201, "pin"]);
    assert.equal((await pinState()).triesLeft, 5);
  });

  it("is locked by five wrong tries, also when they come together, until a day later or a new PIN", async () => {
    const guesses = ["90100", "90200", "90300", "90400", "90500", "90600", "90700", "90800"];
    const answers = await Promise.all(guesses.map((guess) => redeem({ type: "pin", card: code, pin: guess })));
    const rules = answers.map((answer) => rulesOf(answer).join());
    assert.equal(rules.filter((rule) => rule === "pin-correct").length, 5, rules.join(" "));
    assert.equal(rules.filter((rule) => rule === "pin-not-locked").length, 3, rules.join(" "));
    const right = await redeem({ type: "pin", card: code, pin });
    assert.deepEqual([right.status, rulesOf(right)], [400, ["pin-not-locked"]]);
    const { lockedUntil } = await pinState();
    const hours = (Date.parse(String(lockedUntil)) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24, String(lockedUntil));
    const reset = await setPin({ pin: "806152", reason: "She forgot it; seen in person." });
    assert.deepEqual([reset.status, (reset.body as Body).lockedUntil], [200, null]);
    const { changes } = await pinState();
    assert.deepEqual(
      (changes as Body[]).map(({ reason }) => reason),
      [null, "She forgot it; seen in person."],
    );
    assert.equal((await redeem({ type: "pin", card: code, pin: "806152" })).status, 201);
    const household = (await t.deps.registry.households.byDid(t.household(1)))?.household ?? 0;
    const late = new Pins({
      db: t.deps.db,
      clock: { now: () => new Date(Date.now() + 25 * 3_600_000) },
      sealingKeys: sealingKeysOf("00".repeat(32)),
    });
    for (const guess of guesses.slice(0, 5)) await t.deps.pins.check(household, guess, supplierDid);
    assert.deepEqual((await t.deps.pins.check(household, "806152", supplierDid))[0]?.rule, "pin-not-locked");
    // A day later there are five tries again. With another pepper even the right PIN is wrong.
    assert.match((await late.check(household, "806152", supplierDid))[0]?.message ?? "", /4 tries are left/);
  });

  describe("that one supplier guesses", () => {
    const other = "did:ixo:supplier/honest";
    const right = "806152";
    let honest: Caller;
    const buy = (caller: Caller, did: string, given: string) =>
      caller("POST", "/vouchers/redeem", {
        voucherId,
        supplierDid: did,
        productId,
        amount: 1,
        consent: { type: "pin", card: code, pin: given },
      });
    before(async () => {
      await t.admin("POST", "/suppliers", { did: other, account: `0x${"7".repeat(40)}`, name: "Honest" });
      honest = await t.as("supplier", { supplierDid: other });
    });
    beforeEach(async () => void (await setPin({ pin: right, reason: "Seen in person." })));

    it("is locked for that supplier with all its keys, and works everywhere else", async () => {
      const second = await t.as("supplier", { supplierDid });
      for (const [caller, guess] of [
        [sell, "901001"],
        [second, "901002"],
        [sell, "901003"],
        [second, "901004"],
      ] as const)
        await buy(caller, supplierDid, guess);
      const fifth = await buy(sell, supplierDid, "901005");
      assert.match(wordsOf(fifth), /locked here for 24 hours now; it works at other suppliers and by phone/);
      for (const caller of [sell, second])
        assert.deepEqual(rulesOf(await buy(caller, supplierDid, right)), ["pin-not-locked"]);
      assert.equal((await buy(honest, other, right)).status, 201);
      const byPhone = await t.redeem({ voucherId, amount: 1, consent: { type: "pin", pin: right } });
      assert.equal(byPhone.status, 201, JSON.stringify(byPhone.body));
      // The right PIN elsewhere gives the supplier that guessed no more tries.
      assert.deepEqual(rulesOf(await buy(sell, supplierDid, right)), ["pin-not-locked"]);
      const { lockedForAll, lockedFor, lockedUntil, triesLeft } = await pinState();
      assert.deepEqual([lockedForAll, triesLeft, lockedFor], [false, 5, [{ caller: supplierDid, until: lockedUntil }]]);
    });

    it("is locked for all by ten wrong tries of several callers, also when they come together", async () => {
      const guesses = Array.from({ length: 6 }, (_, n) => `90200${n}`);
      const answers = await Promise.all(
        guesses.flatMap((guess) => [buy(sell, supplierDid, guess), buy(honest, other, guess)]),
      );
      const rules = answers.map((answer) => rulesOf(answer).join());
      assert.equal(rules.filter((rule) => rule === "pin-correct").length, 10, rules.join(" "));
      const attested = await t.redeem({ voucherId, amount: 1, consent: { type: "pin", pin: right } });
      assert.deepEqual([attested.status, rulesOf(attested)], [400, ["pin-not-locked"]]);
      const { lockedForAll, triesLeft } = await pinState();
      assert.deepEqual([lockedForAll, triesLeft], [true, 0]);
      await setPin({ pin: right, reason: "Seen in person." });
      assert.equal((await buy(sell, supplierDid, right)).status, 201);
    });

    it("is not locked for all by that supplier's tries of two days", async () => {
      const household = (await t.deps.registry.households.byDid(t.household(2)))?.household ?? 0;
      const pinsOn = (day: number) =>
        new Pins({
          db: t.deps.db,
          clock: { now: () => new Date(Date.now() + day * 24.1 * 3_600_000) },
          sealingKeys: sealingKeysOf("00".repeat(32)),
        });
      const check = (day: number, given: string, caller: string) => pinsOn(day).check(household, given, caller);
      const by = { reason: null, role: "admin", caller: "test" };
      await t.deps.db.transaction(await pinsOn(0).newPin(household, right, by));
      for (const day of [0, 1, 2])
        for (let guess = 0; guess < 6; guess++) await check(day, `90300${guess}`, supplierDid);
      assert.equal((await check(2, right, supplierDid))[0]?.rule, "pin-not-locked");
      assert.deepEqual(await check(2, right, other), []);
    });
  });

  it("does not count as consent once the card is blocked", async () => {
    const cardId = readCardCode(code);
    assert.equal((await t.admin("POST", `/cards/${cardId}/block`, { reason: "Lost" })).status, 200);
    const refused = await redeem({ type: "pin", card: code, pin: "806152" });
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["card-active"]]);
  });

  it("cannot be set by another implementer, whose answer is that of an unknown household", async () => {
    const stranger = await t.as("implementer", { implementerDid: "did:ixo:implementer/other" });
    const theirs = await stranger("PUT", `/households/${did}/pin`, { pin });
    const none = await stranger("PUT", "/households/did:ixo:household%2F0/pin", { pin });
    assert.deepEqual([theirs.status, none.status], [404, 404]);
    assert.equal((await sell("PUT", `/households/${did}/pin`, { pin })).status, 403);
  });
});

describe("codes", () => {
  const keys = [1, 2, 3].map(() => privateKeyToAccount(generatePrivateKey()));
  let coded: string;
  let tree: StandardMerkleTree<[number, Hex]>;

  before(async () => {
    await allow(0);
    const { certificates } = t.deps;
    const { households } = t.deps.registry;
    const certificate = (await certificates.byId(await t.certify()))?.certificate;
    const household = (await households.byDid(t.household(2)))?.household ?? 0;
    tree = StandardMerkleTree.of(
      keys.map((key): [number, Hex] => [household, key.address]),
      ["uint32", "address"],
    );
    const encode = (functionName: string, args: unknown[]) =>
      encodeFunctionData({ abi: abis.vouchers, functionName, args } as never);
    const order = { certificate, leaf: 0, household, value: 100_000_000n, startDay: 19_000, expiryDay: 40_000 };
    const calls = [encode("issue", [{ ...order, batchId: "B", proof: [] }]), encode("commitCodes", [tree.root])];
    await operator("vouchers", "multicall", [calls]);
    const { encodeVoucherId } = await import("../../../../wire/src/ids.ts");
    const events = await t.deps.chain.past("vouchers", "CodesCommitted", {});
    coded = encodeVoucherId(events.at(-1)?.args.voucher ?? 0n);
  });

  async function sign(place: number, amount: number): Promise<Body> {
    const key = keys[place];
    assert.ok(key);
    const nonce = BigInt(key.address).toString();
    const asked = { action: "household-authorization", voucherId: coded, supplierDid, productId, amount, nonce };
    const { typedData } = (await t.admin("POST", "/transactions/prepare", asked)).body as {
      typedData: { message: Body };
    };
    const signature = await key.signTypedData(typedData as never);
    return {
      type: "code",
      signature,
      nonce,
      deadline: Number(typedData.message.deadline),
      proof: tree.getProof(place),
    };
  }

  it("redeem what was signed, once, without a cap", async () => {
    const consent = await sign(0, 5);
    const first = await t.redeem({ voucherId: coded, amount: 5, consent });
    assert.deepEqual([first.status, (first.body as Body).consent], [201, "code"], JSON.stringify(first.body));
    const again = await t.redeem({ voucherId: coded, amount: 5, consent });
    assert.deepEqual([again.status, ...rulesOf(again)], [409, "code-unused"]);
    const more = await t.redeem({ voucherId: coded, amount: 6, consent: await sign(1, 5) });
    assert.deepEqual([more.status, ...rulesOf(more)], [400, "household-authorised"]);
    const elsewhere = await t.redeem({ voucherId, amount: 5, consent: await sign(1, 5) });
    assert.deepEqual([elsewhere.status, ...rulesOf(elsewhere)], [400, "household-authorised"]);
  });

  it("go into a transaction that anyone sends", async () => {
    const terms = { voucherId: coded, supplierDid, productId, amount: 5 };
    const asked = { action: "redeem", ...terms, consent: await sign(2, 5), from: keys[0]?.address };
    const answer = await t.admin("POST", "/transactions/prepare", asked);
    assert.deepEqual([answer.status, (answer.body as Body).functionName], [200, "redeemAuthorized"]);
  });

  it("are refused together with another consent, or incomplete", async () => {
    const consent = await sign(2, 1);
    const { type: _, proof: __, ...householdAuthorization } = consent;
    const both = await t.redeem({ voucherId: coded, amount: 1, consent, householdAuthorization });
    assert.deepEqual([both.status, ...rulesOf(both)], [400, "one-consent"]);
    const half = await t.redeem({ voucherId: coded, amount: 1, consent: { type: "code" } });
    assert.equal(half.status, 400);
  });
});
