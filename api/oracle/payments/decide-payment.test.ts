import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountState, decidePayment } from "./decide-payment.ts";
import { accountOfDid, userKeyOf } from "./oracle-id.ts";

const asked = { price: 10n, freeMessages: 0, allowance: 0 };
const deposit = { payer: "0xA", balance: 100n, withdrawing: 0n, acceptedPrice: 10n };
const nobody: AccountState = { messages: 0, onCredit: [], promised: new Map(), deposits: [] };

describe("a message's price", () => {
  it("is nothing for a free oracle and for the first messages", () => {
    assert.equal(decidePayment({ ...asked, price: 0n }, nobody).kind, "free");
    assert.equal(decidePayment({ ...asked, freeMessages: 3 }, { ...nobody, messages: 2 }).kind, "free");
    assert.equal(decidePayment({ ...asked, freeMessages: 3 }, { ...nobody, messages: 3 }).kind, "refused");
  });

  it("is covered by a deposit as far as nothing else is promised of it", () => {
    const promised = new Map([["0xA", 90n]]);
    const paid = { kind: "paid", payer: "0xA", amount: 10n, takesOver: [] };
    assert.deepEqual(decidePayment(asked, { ...nobody, promised, deposits: [deposit] }), paid);
    const more = new Map([["0xA", 91n]]);
    assert.equal(decidePayment(asked, { ...nobody, promised: more, deposits: [deposit] }).kind, "refused");
    assert.equal(
      decidePayment(asked, { ...nobody, promised, deposits: [{ ...deposit, withdrawing: 1n }] }).kind,
      "refused",
    );
    const second = { ...deposit, payer: "0xB", balance: 10n };
    assert.deepEqual(decidePayment(asked, { ...nobody, promised: more, deposits: [deposit, second] }), {
      ...paid,
      payer: "0xB",
    });
  });

  it("is what was accepted where the oracle asks more by now, and the oracle's where it asks less", () => {
    const amountAt = (price: bigint) => {
      const decision = decidePayment({ ...asked, price }, { ...nobody, deposits: [deposit] });
      return decision.kind === "paid" ? decision.amount : undefined;
    };
    assert.deepEqual([amountAt(15n), amountAt(4n)], [10n, 4n]);
  });

  it("is on credit up to the allowance, and a deposit takes that over first", () => {
    const lenient = { ...asked, allowance: 2 };
    const onCredit = ["1", "2"].map((id) => ({ id, amount: 10n }));
    assert.deepEqual(decidePayment(lenient, { ...nobody, onCredit: onCredit.slice(1) }), {
      kind: "credit",
      amount: 10n,
    });
    assert.equal(decidePayment(lenient, { ...nobody, onCredit }).kind, "refused");
    const both = decidePayment(lenient, { ...nobody, onCredit, deposits: [{ ...deposit, balance: 30n }] });
    assert.deepEqual(both, { kind: "paid", payer: "0xA", amount: 10n, takesOver: ["1", "2"] });
    assert.equal(
      decidePayment(lenient, { ...nobody, onCredit, deposits: [{ ...deposit, balance: 29n }] }).kind,
      "refused",
    );
  });
});

describe("who a user is on chain", () => {
  const account = `0x${"aB".repeat(20)}`;

  it("is the account of a did:pkh, and of a did:ethr of this chain alone", () => {
    for (const did of [`did:pkh:eip155:1:${account}`, `did:ethr:0x7a69:${account}`, `did:ethr:31337:${account}`]) {
      assert.equal(accountOfDid(did, 31_337)?.toLowerCase(), account.toLowerCase(), did);
    }
    for (const did of [
      `did:ethr:${account}`,
      `did:ethr:0x1:${account}`,
      "did:key:z6Mk",
      `did:pkh:solana:1:${account}`,
    ]) {
      assert.equal(accountOfDid(did, 31_337), undefined, did);
    }
  });

  it("is else a hash that differs for each oracle and key", () => {
    const [one, other] = ["1".repeat(64), "2".repeat(64)];
    const keys = [
      userKeyOf(one, "did:o", "did:u"),
      userKeyOf(one, "did:p", "did:u"),
      userKeyOf(other, "did:o", "did:u"),
    ];
    assert.equal(new Set(keys).size, 3);
    assert.match(keys[0] ?? "", /^0x[0-9a-f]{64}$/);
  });
});
