import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { privateKeyToAccount } from "viem/accounts";
import { IndexerClient } from "../../../api/platform/indexer/client.ts";
import { codeKey } from "../../../api/scheme/codes/secrets.ts";
import { type Indexer, startIndexerOn } from "../../../test/indexer/ponder-process.ts";
import { type Answer, type Caller, requireStatus } from "../../../test/support/registry.ts";
import { untilFound } from "../../../test/support/until.ts";
import {
  attributes,
  implementerDid,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import type { CreatedGateway } from "../gateways/schemas.ts";

type Body = Record<string, unknown>;
const number = "+260971234567";

let t: VoucherTest;
let indexer: Indexer;
let folder: string;
let gateway: CreatedGateway;
let codeSetId: string;
let voucherId: string;
let householdDid: string;

before(async () => {
  t = await openVoucherTest();
  folder = await mkdtemp(join(tmpdir(), "hearth-phone-codes-"));
  await t.world.anvil.resumeMining(0.2);
  indexer = await startIndexerOn(t.world as never, folder);
  const { chain, log } = t.deps;
  const lastWritten = () => chain.outbox.lastBlock;
  t.deps.indexer = new IndexerClient({ url: indexer.url, token: undefined, log, lastWritten });
  const implementer = await t.as("implementer", { implementerDid });
  const order = {
    emissionCertificateId: await t.certify([40]),
    attributes: { ...attributes, batchId: "CODES-BY-PHONE" },
    codes: { perVoucher: 2, language: "en" },
  };
  const started = requireStatus(await implementer("POST", "/vouchers/issue-batch", order), 202).body as Body;
  codeSetId = String(started.operationId);
  const voucher = await untilFound(async () => {
    const { body } = await t.admin("GET", "/vouchers?batchId=CODES-BY-PHONE");
    return (body as { items?: { id: string; recipientDid: string }[] }).items?.[0];
  });
  [voucherId, householdDid] = [voucher.id, voucher.recipientDid];
  const made = await t.admin("POST", "/phones/gateways", { name: "Test", sms: { kind: "simulator" } });
  gateway = requireStatus(made, 201).body as CreatedGateway;
  requireStatus(await t.admin("POST", "/phones", { householdDid, number, language: "en" }), 201);
});
after(async () => {
  await indexer?.stop("SIGKILL");
  await t?.close();
  await rm(folder, { recursive: true, force: true });
});

/** With a key that has not asked yet: a key may ask ten households a minute. */
const till = () => t.as("supplier", { supplierDid });
const ask = async (by?: Caller) => (by ?? (await till()))("POST", "/phones/codes", { voucherId, supplierDid });
const codeIn = (text: string) => /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/.exec(text)?.[0];

async function messages(): Promise<string[]> {
  const { body } = await t.admin("GET", `/phones/gateways/${gateway.id}/messages`);
  return (body as { items: { text: string }[] }).items.map(({ text }) => text);
}
/** The code of the newest SMS, once there are so many with a code. */
const newestOf = (count: number) =>
  untilFound(async () => {
    const codes = (await messages()).map(codeIn).filter((code) => code !== undefined);
    return codes.length === count ? codes[0] : undefined;
  });

let sessions = 0;
async function dial(text: string, phoneNumber = number): Promise<string> {
  const body = new URLSearchParams({ sessionId: `codes-${++sessions}`, phoneNumber, text });
  return await (await t.app.request(new URL(gateway.ussdUrl).pathname, { method: "POST", body })).text();
}

/** What a till sends for a code: the order, signed with the code's key. */
async function redeem(code: string, amount: number): Promise<Answer> {
  const key = privateKeyToAccount(codeKey(code));
  const nonce = BigInt(key.address).toString();
  const asked = { action: "household-authorization", voucherId, supplierDid, productId, amount, nonce };
  const prepared = requireStatus(await t.admin("POST", "/transactions/prepare", asked), 200).body as Body;
  const typedData = prepared.typedData as Body;
  const signature = await key.signTypedData(typedData as never);
  const deadline = Number((typedData.message as Body).deadline);
  return t.redeem({ voucherId, amount, consent: { type: "code", signature, nonce, deadline } });
}

describe("a one-time code by SMS", () => {
  it("goes to the household's phone when the till asks, pays once, and the next one is another", async () => {
    const answer = requireStatus(await ask(), 201);
    assert.deepEqual(Object.keys(answer.body as Body).sort(), ["sentAt", "voucherId"]);
    const first = await newestOf(1);
    assert.match(
      (await messages())[0] ?? "",
      /^Shop asks for your code: .+\. Tell it only for a purchase that you want\.$/,
    );
    assert.equal(codeIn(JSON.stringify(answer.body)), undefined);
    const paid = requireStatus(await redeem(first, 5), 201).body as Body;
    assert.equal(paid.consent, "code");
    assert.equal((await redeem(first, 5)).status, 409);
    assert.equal(await dial("6"), "END An SMS with your code follows.");
    const second = await newestOf(2);
    assert.notEqual(second, first);
    assert.match((await messages())[0] ?? "", /^Your one-time code: /);
  });

  it("is in no audit, step or message of the database, and in no answer to a till", async () => {
    const codes = (await messages()).map(codeIn).filter((code) => code !== undefined);
    for (const table of ["audit_entries", "ussd_steps", "phone_messages", "idempotency_records"]) {
      const { rows } = await t.deps.db.execute(
        sql`select to_jsonb(each)::text as row from ${sql.identifier(table)} each`,
      );
      for (const code of codes) assert.ok(!JSON.stringify(rows).includes(code), table);
    }
    const { rows } = await t.deps.db.execute(sql`select to_jsonb(each)::text as row from audit_entries each`);
    assert.ok(JSON.stringify(rows).includes("/phones/codes"), "the till's request is in the audit");
    const sell = await till();
    assert.equal((await sell("POST", `/vouchers/${voucherId}/next-code`, {})).status, 403);
    const integrator = await t.as("integrator", { scopes: ["vouchers:redeem", "vouchers:read"] });
    assert.equal((await integrator("POST", `/vouchers/${voucherId}/next-code`, {})).status, 403);
  });

  it("is sent twice a minute to one supplier at most, and six times an hour to all; only what is sent counts", async () => {
    const uncoded = await t.issue({ recipientDid: householdDid, emissionCertificateId: await t.certify(), value: 100 });
    const { id: withoutCodes } = requireStatus(uncoded, 201).body as { id: string };
    const suppliers = [1, 2, 3, 4].map((n) => `did:ixo:supplier/codes-${n}`);
    for (const [i, did] of suppliers.entries()) {
      const account = `0x${String(i + 1).padStart(40, "c")}`;
      requireStatus(await t.admin("POST", "/suppliers", { did, account, name: `Shop ${i}`, region: "north" }), 201);
    }
    const askAs = async (did: string, voucher = voucherId) =>
      (await t.as("supplier", { supplierDid: did }))("POST", "/phones/codes", { voucherId: voucher, supplierDid: did });
    const statusesOf = async (did: string, times: number) => {
      const answers: number[] = [];
      for (let asked = 0; asked < times; asked++) answers.push((await askAs(did)).status);
      return answers;
    };
    const [first = "", second = "", third = "", fourth = ""] = suppliers;
    for (let asked = 0; asked < 3; asked++)
      assert.deepEqual(rulesOf(await askAs(first, withoutCodes)), ["voucher-has-codes"]);
    assert.deepEqual(await statusesOf(first, 5), [201, 201, 429, 429, 429]);
    assert.deepEqual(await statusesOf(second, 2), [201, 201]);
    // The till of the first test has had one.
    const before = (await messages()).length;
    assert.deepEqual(await statusesOf(third, 2), [201, 429]);
    const refused = await askAs(fourth);
    assert.deepEqual(
      [refused.status, (refused.body as Body).message],
      [429, "A household gets at most 6 codes an hour at the request of all suppliers."],
    );
    assert.equal((await messages()).length, before + 1);
  });

  it("is sent to a household that asks three times an hour at most, from all its phones, and it reads why not", async () => {
    const second = "+260971234568";
    requireStatus(await t.admin("POST", "/phones", { householdDid, number: second, language: "sw" }), 201);
    const before = (await messages()).filter((text) => text.startsWith("Your one-time code:")).length;
    assert.equal(before, 1);
    assert.equal(await dial("6"), "END An SMS with your code follows.");
    assert.notEqual(await dial("6", second), "END Umeomba misimbo mingi. Jaribu tena baadaye, au tumia karatasi yako.");
    assert.equal(await dial("6"), "END You have asked for many codes. Try again later, or use your paper.");
    assert.equal(await dial("6", second), "END Umeomba misimbo mingi. Jaribu tena baadaye, au tumia karatasi yako.");
    requireStatus(await t.admin("POST", "/phones/removals", { householdDid, number: second }), 200);
  });

  it("is not sent to a phone that sent STOP, for another supplier, or without a phone", async () => {
    const sms = (text: string) =>
      t.app.request(new URL(gateway.smsUrl).pathname, {
        method: "POST",
        body: new URLSearchParams({ id: `${text}-codes`, from: number, to: "384", text }),
      });
    await sms("STOP");
    assert.deepEqual(rulesOf(await ask()), ["phone-takes-sms"]);
    assert.equal(await dial("6"), "END You get no SMS. Send START first.");
    await sms("START");
    const sell = await till();
    const other = { voucherId, supplierDid: "did:ixo:supplier/none" };
    assert.equal((await sell("POST", "/phones/codes", other)).status, 403);
    requireStatus(await t.admin("POST", "/phones/removals", { householdDid, number }), 200);
    assert.deepEqual(rulesOf(await ask()), ["household-has-phone"]);
    requireStatus(await t.admin("POST", "/phones", { householdDid, number, language: "en" }), 201);
  });

  it("is no longer there once the service has deleted the codes, and the household reads that its paper has them", async () => {
    requireStatus(await t.admin("POST", `/code-sets/${codeSetId}/forget`, {}), 200);
    const refused = await t.admin("POST", `/vouchers/${voucherId}/next-code`, {});
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["codes-kept"]]);
    assert.match(await dial("6"), /^END You have no code that can be sent\. See your paper/);
  });
});
