import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type TestTurn, turnOf } from "../../../test/support/oracle/agent.ts";
import { mintOracleToken } from "../../../test/support/oracle/oracle.ts";
import { implementerDid, openVoucherTest, supplierDid, type VoucherTest } from "../../../test/support/vouchers.ts";
import { generateKey, type Key } from "../../platform/ucan/mint.ts";
import type { TurnContext } from "../wire/turn.ts";

type Allowed = { userDid: string; role: string; expiresAt: string };

describe("the oracle's access to what a person may read", () => {
  let test: VoucherTest;
  let voucherId: string;
  before(async () => {
    test = await openVoucherTest();
    const emissionCertificateId = await test.certify([100.5]);
    const issued = await test.issue({ emissionCertificateId, recipientDid: test.household(1), value: 100.5 });
    voucherId = (issued.body as { id: string }).id;
  });
  after(() => test.close());

  const invocationOf = (issuer: Key, expiration?: number) =>
    mintOracleToken({
      issuer,
      audience: test.deps.oracle.did,
      ...(expiration === undefined ? {} : { expiration }),
    });
  const ask = async (user: string, message: string, rest: Partial<TurnContext> = {}): Promise<TestTurn> => {
    const session = { id: "$s", roomId: `room of ${user}`, loadedPlugins: ["vouchers"], state: {} };
    const turn = turnOf(message, { user, session, ...rest });
    await test.deps.oracle.agent.runTurn(turn);
    return turn;
  };
  const read = (user: string) => ask(user, `/tool get_voucher {"voucherId":"${voucherId}"}`);

  it("begins when the holder of a key connects the user's DID, and ends when the holder says so", async () => {
    const key = await generateKey();
    const regulator = await test.as("regulator");
    assert.doesNotMatch((await read(key.did())).said(), /100\.5/);
    const { status, body } = await regulator("POST", "/oracle-access", { invocation: await invocationOf(key) });
    assert.equal(status, 200, JSON.stringify(body));
    const { userDid, role, expiresAt } = body as Allowed;
    assert.deepEqual([userDid, role], [key.did(), "regulator"]);
    const minutes = (Date.parse(expiresAt) - test.deps.clock.now().getTime()) / 60_000;
    assert.ok(minutes > 59 && minutes < 61, `${minutes}`);
    assert.match((await read(key.did())).said(), /"remainingBalance":100\.5/);
    // Another key cannot end it.
    const other = await test.as("regulator");
    assert.equal((await other("POST", "/oracle-access/end", { userDid })).status, 200);
    assert.match((await read(key.did())).said(), /"remainingBalance":100\.5/);
    assert.equal((await regulator("POST", "/oracle-access/end", { userDid })).status, 200);
    assert.doesNotMatch((await read(key.did())).said(), /100\.5/);
  });

  it("never writes with the key's rights, even if the user confirms", async () => {
    const key = await generateKey();
    await test.admin("POST", "/oracle-access", { invocation: await invocationOf(key) });
    assert.match((await read(key.did())).said(), /"remainingBalance":100\.5/);
    const redeem = { voucherId, supplierDid, productId: "PROD-789", amount: 1 };
    const turn = await ask(key.did(), `/tool redeem_voucher ${JSON.stringify(redeem)}`, { confirm: async () => true });
    assert.equal(turn.events.findLast((event) => event.type === "tool")?.status, "error");
    assert.match((await read(key.did())).said(), /"remainingBalance":100\.5/);
  });

  it("ends with the key, and after an hour", async () => {
    const key = await generateKey();
    const { body } = await test.admin("POST", "/keys", { role: "implementer", name: "Asha", implementerDid });
    const { id, key: secret } = body as { id: string; key: string };
    const connected = await test.app.request("/v1/oracle-access", {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify({ invocation: await invocationOf(key) }),
    });
    assert.equal(connected.status, 200);
    assert.match((await read(key.did())).said(), /100\.5/);
    assert.equal((await test.admin("DELETE", `/keys/${id}`)).status < 300, true);
    assert.doesNotMatch((await read(key.did())).said(), /100\.5/);
    const { readAccess } = test.deps.oracle;
    const late = await generateKey();
    await test.admin("POST", "/oracle-access", { invocation: await invocationOf(late) });
    assert.equal((await readAccess.actorOf(late.did()))?.role, "admin");
    const { clock } = test.deps;
    const { now } = clock;
    try {
      clock.now = () => new Date(now().getTime() + 3_601_000);
      assert.equal(await readAccess.actorOf(late.did()), undefined);
    } finally {
      clock.now = now;
    }
  });

  it("needs a valid invocation of the user's own, and a key", async () => {
    const key = await generateKey();
    for (const invocation of ["", "bm9uZQ", await invocationOf(key, Math.floor(Date.now() / 1000) - 10)]) {
      const { status } = await test.admin("POST", "/oracle-access", { invocation });
      assert.equal(status, 400, invocation);
    }
    const keyless = { method: "POST", body: JSON.stringify({ invocation: await invocationOf(key) }) };
    assert.equal((await test.app.request("/v1/oracle-access", keyless)).status, 401);
    assert.doesNotMatch((await read(key.did())).said(), /100\.5/);
  });
});
