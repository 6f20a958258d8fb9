import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Hex, pad } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { readRoleTable } from "../../../scripts/deploy/role-table.ts";
import { passTime } from "../../../test/support/council-chain.ts";
import { type CouncilTest, openCouncilTest, type Refusal, signatures } from "../../../test/support/governance.ts";
import { safeTypedData } from "../../../wire/src/typed-data.ts";
import type { PreparedTransaction } from "../../platform/transactions/schemas.ts";
import type { ContextJson } from "./context-json.ts";
import { encodeSchedule, newOperation, operationId } from "./operations.ts";
import { encodeExecTransaction, packSignatures, safeTxOf } from "./safe-tx.ts";
import type { ProposalResponse, ToSign } from "./schemas.ts";

const DAY = 86_400;

describe("Proposals to the council", () => {
  let test: CouncilTest;
  before(async () => {
    test = await openCouncilTest();
  });
  after(() => test.close());

  const errorOf = (reply: { body: unknown }) => reply.body as Refusal;
  const read = async (id: string) => (await test.call("GET", `/proposals/${id}`)).body;
  const safeNonce = async () => BigInt((await test.call<ContextJson>("GET", "/council")).body.state.nonce as string);
  const price = () => test.deps.chain.read("pool", "price", []);

  it("describes in words what a member signs, and stores nothing until it is signed", async () => {
    const { address } = test.member(1);
    const body = { action: "price", price: 0.021, proposer: address };
    const asked = await test.call<ToSign>("POST", "/proposals", body);
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    assert.deepEqual(asked.body.words.changes, [
      "Set the pool's price from 0.020000 to 0.021000 tUSD per CARBON (+5.00 %).",
    ]);
    assert.match(asked.body.words.notBefore, /^No earlier than 1 day after enough approvals are on chain\./);
    assert.equal(asked.body.words.summary, "Decision 0 of the council on chain 31337: schedule 1 change.");
    assert.deepEqual(asked.body.statement.message.changes, asked.body.words.changes);
    assert.equal((await test.call<{ items: unknown[] }>("GET", "/proposals")).body.items.length, 0);
  });

  it("carries out a change of price with approvals, delay and execution", async () => {
    const proposed = await test.propose(1, { action: "price", price: 0.021 });
    assert.equal(proposed.status, 201, JSON.stringify(proposed.body));
    assert.equal(proposed.body.status, "collecting");
    assert.equal(proposed.body.approvalsMissing, 1);
    const { id } = proposed.body;
    const approved = await test.approve(2, id);
    assert.equal(approved.status, 201, JSON.stringify(approved.body));
    assert.equal(approved.body.status, "scheduled", JSON.stringify(approved.body));
    const early = await test.call("POST", `/proposals/${id}/execute`);
    assert.equal(early.status, 409);
    assert.equal(errorOf(early).details[0]?.rule, "operation-ready");
    assert.equal(await price(), 20_000n);
    await passTime(test, DAY + 1);
    assert.equal((await read(id)).status, "ready");
    const done = await test.call("POST", `/proposals/${id}/execute`);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.equal(done.body.status, "executed");
    assert.equal(await price(), 21_000n);
    const again = await test.call("POST", `/proposals/${id}/execute`);
    assert.deepEqual(again.body.executed, done.body.executed);
  });

  it("requires both signatures, each by the member itself", async () => {
    const account = test.member(1);
    const body = { action: "fee", fee: 50, proposer: account.address };
    const asked = await test.call<ToSign>("POST", "/proposals", body);
    const own = await signatures(account, asked.body);
    const foreign = await signatures(test.member(2), asked.body);
    const rules = async (more: object) =>
      errorOf(await test.call("POST", "/proposals", { ...body, ...more })).details.map(({ rule }) => rule);
    assert.deepEqual(await rules({ signature: own.signature }), ["statement-signed"]);
    assert.deepEqual(await rules({ statementSignature: own.statementSignature }), ["transaction-signed"]);
    assert.deepEqual(await rules(foreign), ["transaction-signed", "statement-signed"]);
    // A signature of the same call as a delegatecall belongs to another transaction.
    const delegated = {
      ...asked.body,
      typedData: { ...asked.body.typedData, message: { ...asked.body.typedData.message, operation: 1 } },
    };
    assert.deepEqual(await rules(await signatures(account, delegated)), ["transaction-signed"]);
    const outsider = privateKeyToAccount(test.keys.operator);
    const refused = await test.signed(outsider, "/proposals", { action: "fee", fee: 50, proposer: outsider.address });
    assert.equal(refused.status, 403);
    assert.equal(errorOf(refused).details[0]?.rule, "council-member");
  });

  it("processes several proposals in turn, and lets one overtake by new approvals", async () => {
    const first = (await test.propose(1, { action: "fee", fee: 50 })).body;
    const second = (await test.propose(1, { action: "operator-cap", amount: 5_000_000 })).body;
    const base = BigInt(first.queue?.nonce ?? "0");
    assert.equal(second.queue?.nonce, `${base + 1n}`);
    assert.deepEqual(second.queue?.ahead, [first.id]);
    const waiting = (await test.approve(2, second.id)).body;
    assert.equal(waiting.status, "collecting");
    assert.equal(waiting.approvalsMissing, 0);
    assert.match(waiting.queue?.note ?? "", /1 other decision comes first\. To overtake/);
    // All three members decide that the second comes first.
    await test.approve(3, second.id, { nonce: `${base}` });
    const overtaken = (await test.approve(2, second.id, { nonce: `${base}` })).body;
    assert.equal(overtaken.status, "scheduled", JSON.stringify(overtaken));
    const void_ = await read(first.id);
    assert.equal(void_.approvalsMissing, 2);
    assert.match(void_.approvals[0]?.whyNot ?? "", /another proposal now has: it must be given again/);
    const asked = await test.call<ToSign>("POST", `/proposals/${first.id}/approvals`, {
      signer: test.member(1).address,
    });
    assert.match(asked.body.again ?? "", /approvals of this proposal must be given again, for number 2/);
    await test.approve(1, first.id);
    assert.equal((await test.approve(3, first.id)).body.status, "scheduled");
  });

  it("sends a waiting proposal automatically as soon as its turn comes", async () => {
    const first = (await test.propose(1, { action: "dispute-stake", amount: 20 })).body;
    const second = (await test.propose(2, { action: "itmo-daily-cap", tonnes: 500 })).body;
    await test.approve(3, second.id);
    assert.equal((await read(second.id)).status, "collecting");
    await test.approve(3, first.id);
    assert.equal((await read(first.id)).status, "scheduled");
    assert.equal((await read(second.id)).status, "scheduled");
  });

  it("is cancelled by the guardian's own transaction, and by the council", async () => {
    const guardian = privateKeyToAccount(test.keys.guardian);
    const scheduled = (await test.call<{ items: ProposalResponse[] }>("GET", "/proposals?status=scheduled")).body.items;
    const [one, other] = scheduled;
    assert.ok(one && other);
    const path = `/proposals/${one.id}/cancel`;
    const asked = await test.call<PreparedTransaction>("POST", path, { by: guardian.address });
    const signedTransaction = await signTransaction(guardian, asked.body);
    const cancelled = await test.call("POST", path, { by: guardian.address, signedTransaction });
    assert.equal(cancelled.body.status, "cancelled", JSON.stringify(cancelled.body));
    const by = (number: 1 | 2 | 3) =>
      test.signed(test.member(number), `/proposals/${other.id}/cancel`, { by: test.member(number).address });
    const begun = await by(1);
    assert.equal(begun.body.status, "collecting", JSON.stringify(begun.body));
    assert.match(
      begun.body.words.changes[0] ?? "",
      /^Cancel, so that it never happens, of the operation 0x[0-9a-f]{64}: Set /,
    );
    const agreed = await by(3);
    assert.equal(agreed.body.status, "executed", JSON.stringify(agreed.body));
    assert.equal((await read(other.id)).status, "cancelled");
  });

  it("pauses immediately by the guardian, and unpauses by a proposal", async () => {
    const guardian = privateKeyToAccount(test.keys.guardian);
    const asked = await test.call<PreparedTransaction>("POST", "/pause", { from: guardian.address });
    const signedTransaction = await signTransaction(guardian, asked.body);
    const paused = await test.call<{ paused: boolean }>("POST", "/pause", { signedTransaction });
    assert.equal(paused.body.paused, true, JSON.stringify(paused.body));
    assert.equal(await test.deps.chain.read("pool", "paused", []), true);
    const open = (await test.propose(2, { action: "unpause" })).body;
    assert.equal((await test.approve(1, open.id)).body.status, "scheduled");
    await passTime(test, DAY + 1);
    await test.call("POST", `/proposals/${open.id}/execute`);
    assert.equal(await test.deps.chain.read("pool", "paused", []), false);
  });

  it("shows what was scheduled on chain without it, and warns of calls that it cannot decode", async () => {
    const { contracts } = test.deployment;
    const call = { target: test.member(1).address, value: 0n, data: "0x12345678" as const };
    const operation = { ...newOperation([call], { salt: pad("0x7"), delay: 86_400n }), batch: true };
    const tx = safeTxOf({ target: contracts.timelock, value: 0n, data: encodeSchedule(operation) }, await safeNonce());
    const typedData = safeTypedData({ chainId: 31337, council: contracts.council }, tx);
    const signed = [test.member(1), test.member(3)].map(async (account) => {
      return { signer: account.address, signature: await account.signTypedData(typedData), isContract: false };
    });
    const data = encodeExecTransaction(tx, packSignatures(await Promise.all(signed)));
    const hash = await test.sendAs("deployer", contracts.council, data);
    await test.deps.chain.client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const shown = await read(operationId(operation));
    assert.deepEqual([shown.status, shown.action, shown.proposer, shown.queue], ["scheduled", null, null, null]);
    assert.match(shown.words.changes[0] ?? "", /^UNKNOWN CALL of 0x/);
    assert.deepEqual(shown.alarms, ["It makes a call that cannot be read."]);
    const approving = await test.approve(2, shown.id);
    assert.equal(errorOf(approving).details[0]?.rule, "proposal-collecting");
  });

  it("replaces the guardian by one batch that the old one cannot stop; the new one may then cancel", async () => {
    const guardian = privateKeyToAccount(test.keys.guardian);
    const next = privateKeyToAccount(test.keys.registrar).address;
    const actions = [
      { action: "grant-role", role: "guardian", account: next },
      { action: "revoke-role", role: "guardian", account: test.address("guardian") },
    ];
    const { id } = (await test.propose(1, { action: "batch", actions })).body;
    const cancel = `/proposals/${id}/cancel`;
    const early = await test.call("POST", cancel, { by: guardian.address });
    assert.deepEqual([early.status, errorOf(early).details[0]?.rule], [403, "may-cancel"]);
    const { body } = await test.approve(2, id);
    const late = await test.call("POST", cancel, { by: guardian.address });
    assert.deepEqual([late.status, errorOf(late).details[0]?.rule], [403, "guardian-change"]);
    assert.deepEqual([body.status, body.words.changes.length], ["scheduled", 4]);
    await passTime(test, DAY + 1);
    assert.equal((await test.call("POST", `/proposals/${id}/execute`)).body.status, "executed");
    const table = await readRoleTable(test.deps.chain.client, test.deployment);
    assert.deepEqual(
      [table.participants.guardian, table.timelock.CANCELLER],
      [[next], [test.deployment.contracts.council, next]],
    );
  });

  it("names every rule that a proposal breaks, and refuses a council of one", async () => {
    const proposer = test.member(1).address;
    const stranger = privateKeyToAccount(test.keys.evaluator).address;
    const body = { action: "remove-member", account: stranger, threshold: 3, proposer };
    const refused = await test.call("POST", "/proposals", body);
    assert.deepEqual(
      errorOf(refused).details.map(({ rule }) => rule),
      ["quorum", "member"],
    );
    const single = await test.call("POST", "/proposals", { action: "threshold", threshold: 1, proposer });
    assert.equal(single.status, 400);
  });

  it("changes the council, after which a former member's approval does not count", async () => {
    const outgoing = test.member(3).address;
    const newcomer = privateKeyToAccount(test.keys.evaluator).address;
    const pending = (await test.propose(3, { action: "fee", fee: 70 })).body;
    const change = (await test.propose(1, { action: "replace-member", account: outgoing, by: newcomer })).body;
    const nonce = pending.queue?.nonce;
    await test.approve(1, change.id, { nonce });
    assert.equal((await test.approve(2, change.id, { nonce })).body.status, "executed");
    const { approvals } = await read(pending.id);
    assert.equal(approvals[0]?.whyNot, "The signer is no longer a member.");
    assert.equal((await test.approve(3, pending.id)).status, 403);
    await test.approve(1, pending.id);
    assert.equal((await test.approve(2, pending.id)).body.status, "scheduled");
  });
});

/** Sign as a wallet does. */
function signTransaction(account: PrivateKeyAccount, { transaction }: PreparedTransaction): Promise<Hex> {
  const { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
  return account.signTransaction({ chainId, nonce, to: to as Hex, data: data as Hex, gas: BigInt(gas), ...fees });
}
