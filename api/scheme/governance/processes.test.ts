import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { createWalletClient, hashTypedData, http, type TypedDataDefinition } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type CouncilTest, openCouncilApi, openCouncilTest, signatures } from "../../../test/support/governance.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { chainTransactions } from "../../platform/chain/tables.ts";
import type { ToSign } from "./schemas.ts";

describe("Proposals of two API processes over one PostgreSQL", () => {
  let postgres: TestPostgres;
  let test: CouncilTest;
  let second: Awaited<ReturnType<typeof openCouncilApi>>;
  let env: Record<string, string>;
  before(async () => {
    postgres = await startPostgres();
    env = { DATABASE_URL: await postgres.createDatabase() };
    test = await openCouncilTest(env);
    second = await openCouncilApi(test, env);
  });
  after(async () => {
    await second?.close();
    await test?.close();
    await postgres?.stop();
  });

  const statusIn = async (api: Pick<CouncilTest, "call">, id: string) =>
    (await api.call("GET", `/proposals/${id}`)).body.status;
  const sent = () => test.deps.chain.outbox.options.db.select().from(chainTransactions);

  it("send a decision to the chain once, though its last approvals reach both together", async () => {
    const { id } = (await test.propose(1, { action: "fee", fee: 30 })).body;
    const before = (await sent()).length;
    const [one, other] = await Promise.all([test.approve(2, id), second.approve(3, id)]);
    assert.ok(
      [one.status, other.status].every((status) => status === 201 || status === 409),
      JSON.stringify([one, other]),
    );
    assert.equal(await statusIn(test, id), "scheduled");
    assert.equal(await statusIn(second, id), "scheduled");
    const rows = (await sent()).slice(before);
    assert.deepEqual(
      rows.map(({ functionName, status }) => [functionName, status]),
      [["execTransaction", "mined"]],
    );
  });

  it("create one proposal for the same request at both", async () => {
    const [one, other] = await Promise.all([
      test.propose(1, { action: "price", price: 0.0205 }),
      second.propose(1, { action: "price", price: 0.0205 }),
    ]);
    assert.equal(one.body.id, other.body.id);
    assert.equal((await test.call("GET", `/proposals/${one.body.id}`)).body.approvals.length, 1);
    assert.equal((await second.approve(2, one.body.id)).body.status, "scheduled");
  });

  it("send what a killed process had stored, when the next one starts", async () => {
    const { id } = (await test.propose(1, { action: "itmo-daily-cap", tonnes: 7 })).body;
    const member = test.member(2);
    const asked = (await test.call<ToSign>("POST", `/proposals/${id}/approvals`, { signer: member.address })).body;
    const row = await test.deps.governance.store.byId(id as `0x${string}`);
    // The state that a process leaves when it is killed between its database and the chain.
    await test.deps.governance.store.approve(
      {
        proposalId: id,
        signer: member.address,
        nonce: BigInt(asked.nonce),
        signedAt: row?.createdAt ?? new Date(),
        safeTxHash: hashTypedData(asked.typedData as unknown as TypedDataDefinition),
        ...(await signatures(member, asked)),
        statement: asked.statement.message,
      },
      { moves: false },
    );
    assert.equal(await statusIn(test, id), "collecting");
    const third = await openCouncilApi(test, env);
    for (let i = 0; i < 100 && (await statusIn(third, id)) !== "scheduled"; i++)
      await new Promise((r) => setTimeout(r, 50));
    assert.equal(await statusIn(third, id), "scheduled");
    await third.close();
  });

  it("accept the signature of a member that is a contract (ERC-1271)", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const { abi, bytecode } = JSON.parse(
      readFileSync("artifacts/contracts/mocks/WalletMock.sol/WalletMock.json", "utf8"),
    );
    const deployer = createWalletClient({
      account: privateKeyToAccount(test.keys.deployer),
      transport: http(test.anvil.url),
    });
    const hash = await deployer.deployContract({ abi, bytecode, args: [owner.address], chain: null });
    const { contractAddress: wallet } = await test.deps.chain.client.waitForTransactionReceipt({
      hash,
      pollingInterval: 50,
    });
    const change = (await test.propose(1, { action: "replace-member", account: test.member(3).address, by: wallet }))
      .body;
    const executed = (await test.approve(2, change.id)).body;
    assert.equal(executed.status, "executed", JSON.stringify(executed));
    const { id } = (await test.propose(1, { action: "dispute-stake", amount: 3 })).body;
    const path = `/proposals/${id}/approvals`;
    const body = { signer: wallet };
    const asked = (await test.call<ToSign>("POST", path, body)).body;
    const foreign = await test.call("POST", path, { ...body, ...(await signatures(test.member(2), asked)) });
    assert.equal(foreign.status, 400);
    const approved = await test.call("POST", path, { ...body, ...(await signatures(owner, asked)) });
    assert.equal(approved.body.status, "scheduled", JSON.stringify(approved.body));
  });
});
