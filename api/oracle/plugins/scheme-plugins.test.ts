import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type TestTurn, turnOf } from "../../../test/support/oracle/agent.ts";
import {
  implementerDid,
  openVoucherTest,
  productId,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import type { TurnContext } from "../wire/turn.ts";

describe("the plugins over the scheme, as the one who asks", () => {
  let test: VoucherTest;
  let voucherId: string;
  before(async () => {
    test = await openVoucherTest();
    const emissionCertificateId = await test.certify([100.5, 50]);
    const issued = await test.issue({ emissionCertificateId, recipientDid: test.household(1), value: 100.5 });
    voucherId = (issued.body as { id: string }).id;
  });
  after(() => test.close());

  const loadedPlugins = ["vouchers", "claims", "kpt"];
  const as = async (user: string, message: string, rest: Partial<TurnContext> = {}): Promise<TestTurn> => {
    const session = { id: "$s", roomId: `room of ${user}`, loadedPlugins, state: {} };
    const turn = turnOf(message, { user, session, ...rest });
    await test.deps.oracle.agent.runTurn(turn);
    return turn;
  };
  const outcome = (turn: TestTurn) => turn.events.findLast((event) => event.type === "tool");
  const redeem = () => `/tool redeem_voucher ${JSON.stringify({ voucherId, supplierDid, productId, amount: 20.25 })}`;

  it("show a voucher with every digit to those who may see it, and to nobody else", async () => {
    const own = await as(implementerDid, `/tool get_voucher {"voucherId":"${voucherId}"}`);
    assert.match(own.said(), /"remainingBalance":100\.5[,}]/);
    const strangers = await as("did:key:zNobody", `/tool get_voucher {"voucherId":"${voucherId}"}`);
    assert.equal(outcome(strangers)?.status, "error");
    assert.doesNotMatch(strangers.said(), /100\.5/);
  });

  it("redeem only when the supplier confirms the very arguments, and once", async () => {
    const refused = await as(supplierDid, redeem());
    assert.equal(outcome(refused)?.status, "error");
    const asked: unknown[] = [];
    const confirm: TurnContext["confirm"] = async ({ args }) => asked.push(args) > 0;
    const done = await as(supplierDid, redeem(), { confirm });
    assert.equal(outcome(done)?.status, "done", done.said());
    assert.deepEqual(asked, [{ voucherId, supplierDid, productId, amount: 20.25 }]);
    const left = await as(supplierDid, `/tool get_voucher {"voucherId":"${voucherId}"}`);
    assert.match(left.said(), /"remainingBalance":80\.25[,}]/);
  });

  it("say every broken rule of a refusal, and let nobody act for another", async () => {
    const confirm: TurnContext["confirm"] = async () => true;
    const foreign = await as("did:key:zNobody", redeem(), { confirm });
    assert.equal(outcome(foreign)?.status, "error");
    const tooMuch = await as(supplierDid, redeem().replace("20.25", "1000000"), { confirm });
    assert.match(outcome(tooMuch)?.output ?? "", /amount-within-balance/);
  });

  it("plan a campaign's sample", async () => {
    const turn = await as(implementerDid, '/tool kpt_sample_size {"coefficientOfVariation":0.5,"population":10000}');
    assert.match(turn.said(), /68/, turn.said());
  });
});
