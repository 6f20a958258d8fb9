import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Hex, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import {
  attributes,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";

type Body = Record<string, unknown>;
type Prepared = { transaction: Record<string, string | number>; unsignedTransaction: Hex };

const keyOf = (seed: number) => privateKeyToAccount(`0x${seed.toString(16).padStart(64, "0")}`);
/** The accounts that openVoucherTest registers them with. */
const supplier = keyOf(2);
const household = keyOf(77);

let t: VoucherTest;
let voucherId: string;
before(async () => {
  t = await openVoucherTest();
  for (const account of [supplier, household, keyOf(1)]) {
    await t.world.anvil.rpc("anvil_setBalance", [account.address, toHex(10n ** 21n)]);
  }
  await t.admin("POST", "/households", { did: "did:ixo:household/signs", account: household.address });
  const confirmed = { account: household.address };
  await t.admin("POST", "/households/did%3Aixo%3Ahousehold%2Fsigns/account/confirm", confirmed);
  voucherId = await issueTo("did:ixo:household/signs");
});
after(() => t.close());

async function issueTo(recipientDid: string): Promise<string> {
  const emissionCertificateId = await t.certify();
  const answer = await t.issue({ recipientDid, emissionCertificateId, value: 100 });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return (answer.body as { id: string }).id;
}

async function signed(account: PrivateKeyAccount, prepared: Prepared, changes: Body = {}): Promise<Hex> {
  const { gas, maxFeePerGas, maxPriorityFeePerGas, to, data, nonce, chainId } = prepared.transaction;
  return await account.signTransaction({
    type: "eip1559",
    chainId: Number(chainId),
    to: to as Hex,
    data: data as Hex,
    nonce: Number(nonce),
    gas: BigInt(String(gas)),
    maxFeePerGas: BigInt(String(maxFeePerGas)),
    maxPriorityFeePerGas: BigInt(String(maxPriorityFeePerGas)),
    ...changes,
  });
}

async function prepare(body: Body): Promise<Prepared> {
  const answer = await t.admin("POST", "/transactions/prepare", body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Prepared;
}

const submit = (signedTransaction: string) => t.admin("POST", "/transactions", { signedTransaction });

async function authorize(amount: number, terms: Body = {}): Promise<Body> {
  const asked = { action: "household-authorization", voucherId, supplierDid, productId, amount, ...terms };
  const answer = await t.admin("POST", "/transactions/prepare", asked);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { typedData, signer } = answer.body as { typedData: { message: Body }; signer: string };
  assert.equal(signer, household.address);
  const signature = await household.signTypedData(typedData as never);
  const { nonce, deadline } = typedData.message;
  return { signature, nonce, deadline: Number(deadline) };
}

describe("transactions that callers sign themselves", () => {
  it("redeems by the supplier's own transaction, and answers the same for the same bytes", async () => {
    const prepared = await prepare({ action: "redeem", voucherId, supplierDid, productId, amount: 10 });
    assert.equal(prepared.transaction.from, supplier.address);
    const raw = await signed(supplier, prepared);
    const answer = await submit(raw);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const body = answer.body as Body;
    assert.deepEqual([body.status, body.voucherId, body.functionName], ["mined", voucherId, "redeem"]);
    const redemption = await t.admin("GET", `/redemptions/${body.redemptionId}`);
    assert.equal((redemption.body as Body).amount, 10);
    assert.deepEqual((await submit(raw)).body, answer.body);
  });

  it("opens a voucher of a batch within the supplier's transaction", async () => {
    const emissionCertificateId = await t.certify([5, 6, 7]);
    const started = await t.admin("POST", "/vouchers/issue-batch", { emissionCertificateId, attributes });
    const { operationId } = started.body as { operationId: string };
    for (let i = 0; i < 100; i++) {
      const { body } = await t.admin("GET", `/operations/${operationId}`);
      if ((body as Body).status === "succeeded") break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { encodeVoucherId, voucherIdOf } = await import("../../../wire/src/ids.ts");
    const id = encodeVoucherId(voucherIdOf(await t.deps.chain.read("vouchers", "batchCount", []), 2));
    const prepared = await prepare({ action: "redeem", voucherId: id, supplierDid, productId, amount: 7 });
    const answer = await submit(await signed(supplier, prepared));
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal((answer.body as Body).functionName, "redeemOpening");
    assert.equal(((await t.admin("GET", `/vouchers/${id}`)).body as Body).status, "exhausted");
  });

  it("refuses to prepare what the ledger would refuse, with its rules", async () => {
    const asked = { action: "redeem", voucherId, supplierDid, productId: "PROD-none", amount: 1000 };
    const answer = await t.admin("POST", "/transactions/prepare", asked);
    assert.equal(answer.status, 400);
    assert.deepEqual(rulesOf(answer), ["amount-within-balance", "product-approved"]);
  });

  it("reverses by the supplier's own transaction", async () => {
    const { redemptionId } = (await t.redeem({ voucherId, amount: 3 })).body as Body;
    const prepared = await prepare({ action: "reverse", redemptionId, reason: "broken" });
    const answer = await submit(await signed(supplier, prepared));
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal(((await t.admin("GET", `/redemptions/${redemptionId}`)).body as Body).status, "reversed");
  });

  it("relays only calls of our contracts, signed for this chain, in turn", async () => {
    const prepared = await prepare({ action: "redeem", voucherId, supplierDid, productId, amount: 1 });
    const elsewhere = await submit(await signed(supplier, prepared, { to: household.address }));
    assert.deepEqual([elsewhere.status, ...rulesOf(elsewhere)], [400, "transaction-allowed"]);
    const otherChain = await submit(await signed(supplier, prepared, { chainId: 1 }));
    assert.deepEqual([otherChain.status, ...rulesOf(otherChain)], [400, "chain"]);
    const early = await submit(await signed(supplier, prepared, { nonce: Number(prepared.transaction.nonce) + 5 }));
    assert.deepEqual([early.status, ...rulesOf(early)], [400, "nonce-next"]);
    const used = await submit(await signed(supplier, prepared, { nonce: 0, gas: 500_000n }));
    assert.deepEqual([used.status, ...rulesOf(used)], [409, "nonce-unused"]);
    const withValue = await submit(await signed(supplier, prepared, { value: 1n }));
    assert.equal(withValue.status, 400);
    assert.equal((await submit("0x02c0")).status, 400);
  });

  it("names the rule that a signed transaction breaks, without sending it", async () => {
    const prepared = await prepare({ action: "redeem", voucherId, supplierDid, productId, amount: 1 });
    const stranger = keyOf(99);
    const answer = await submit(await signed(stranger, prepared, { nonce: 0 }));
    assert.equal(answer.status, 403, JSON.stringify(answer.body));
    assert.deepEqual(rulesOf(answer), ["caller-authorised"]);
  });
});

const nonceOf = ({ address }: PrivateKeyAccount) => t.deps.chain.client.getTransactionCount({ address });

describe("attestations", () => {
  it("are cancelled by the account that signed them", async () => {
    const attestation = `0x${"ab".repeat(32)}`;
    const asked = { action: "cancel-attestation", from: supplier.address, attestation };
    const answer = await submit(await signed(supplier, await prepare(asked)));
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const [{ event, args }] = (answer.body as { events: [{ event: string; args: Body }] }).events;
    assert.deepEqual([event, args.operator, args.attestation], ["AttestationCancelled", supplier.address, attestation]);
    const short = await t.admin("POST", "/transactions/prepare", { ...asked, attestation: "0xab" });
    assert.equal(short.status, 400);
  });
});

describe("household authorisations", () => {
  it("settle once: a second use names the first redemption", async () => {
    const householdAuthorization = await authorize(2);
    const first = await t.redeem({ voucherId, amount: 2, householdAuthorization });
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const second = await t.redeem({ voucherId, amount: 2, householdAuthorization });
    assert.equal(second.status, 409);
    const { redemptionId } = first.body as { redemptionId: string };
    assert.ok((second.body as { message: string }).message.includes(redemptionId));
  });

  it("settle once when two copies race", async () => {
    const householdAuthorization = await authorize(2);
    const body = { voucherId, amount: 2, householdAuthorization };
    const answers = await Promise.all([t.redeem(body), t.redeem(body), t.redeem(body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  it("hold for exactly what was signed, until their deadline", async () => {
    const householdAuthorization = await authorize(2);
    const other = await t.redeem({ voucherId, amount: 3, householdAuthorization });
    assert.deepEqual([other.status, ...rulesOf(other)], [400, "household-authorised"]);
    const late = await authorize(2, { deadline: 1_700_000_000 });
    const expired = await t.redeem({ voucherId, amount: 2, householdAuthorization: late });
    assert.deepEqual([expired.status, ...rulesOf(expired)], [400, "household-authorised"]);
  });

  it("let anyone bring the redemption to the ledger", async () => {
    const householdAuthorization = await authorize(4);
    const asked = { action: "redeem", voucherId, supplierDid, productId, amount: 4, householdAuthorization };
    const prepared = await prepare({ ...asked, from: household.address });
    const answer = await submit(await signed(household, prepared));
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal((answer.body as Body).functionName, "redeemAuthorized");
    const again = await t.admin("POST", "/transactions/prepare", { ...asked, from: household.address });
    assert.equal(again.status, 409, JSON.stringify(again.body));
    const { redemptionId } = answer.body as { redemptionId: string };
    assert.ok((again.body as { message: string }).message.includes(redemptionId));
  });

  it("are cancelled by the household's account, and then settle nothing", async () => {
    const householdAuthorization = await authorize(1);
    const asked = { action: "cancel-authorization", voucherId, nonce: String(householdAuthorization.nonce) };
    const prepared = await prepare(asked);
    assert.equal(prepared.transaction.from, household.address);
    const stranger = await submit(await signed(supplier, prepared, { nonce: await nonceOf(supplier) }));
    assert.equal(stranger.status, 403, JSON.stringify(stranger.body));
    const answer = await submit(await signed(household, prepared));
    assert.deepEqual([answer.status, (answer.body as Body).functionName], [201, "cancelAuthorization"]);
    const late = await t.redeem({ voucherId, amount: 1, householdAuthorization });
    assert.equal(late.status, 409, JSON.stringify(late.body));
    assert.equal((await t.admin("POST", "/transactions/prepare", asked)).status, 409);
    const without = { ...asked, voucherId: await issueTo(t.household(1)) };
    const refused = await t.admin("POST", "/transactions/prepare", without);
    assert.deepEqual([refused.status, ...rulesOf(refused)], [409, "household-account"]);
  });

  it("are required where the scheme says so", async () => {
    const regulator = await t.as("regulator");
    const require = (call: typeof regulator, consentRequired: unknown) =>
      call("PATCH", "/redemption-terms", { consentRequired });
    const terms = (await t.admin("GET", "/redemption-terms")).body;
    assert.deepEqual(terms, { consentRequired: false, offlineLimits: { perCard: 100, perDevice: 1000 } });
    assert.equal((await require(await t.as("evaluator"), true)).status, 403);
    assert.equal((await require(regulator, "yes")).status, 400);
    const required = await require(regulator, true);
    assert.partialDeepStrictEqual(required, { status: 200, body: { consentRequired: true } });
    assert.deepEqual([(await require(regulator, true)).status, (await require(regulator, false)).status], [409, 403]);
    const without = await t.redeem({ voucherId, amount: 1 });
    assert.deepEqual([without.status, ...rulesOf(without)], [400, "household-authorised"]);
    const householdAuthorization = await authorize(1);
    assert.equal((await t.redeem({ voucherId, amount: 1, householdAuthorization })).status, 201);
  });
});
