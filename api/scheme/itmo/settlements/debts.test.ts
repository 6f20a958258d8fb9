import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createIssuer, type TestIssuer } from "../../../../test/support/credentials.ts";
import {
  exampleApproach,
  exampleAuthorization,
  type ItmoTest,
  implementerDid,
  openItmoTest,
  requestedConversion,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import {
  type Answer,
  accountOf,
  type Example,
  exampleCertificate,
  rulesOf,
  withCredential,
} from "../../../../test/support/registry.ts";
import { createCouncil, seedPool } from "../../../../test/support/scheme.ts";
import { makeRevocationsFinal, vetoRevocation } from "../../../../test/support/veto.ts";
import { openEventStream } from "../../../platform/events/stream.ts";
import type { PreparedTransaction, PreparedTransactions } from "../../../platform/transactions/schemas.ts";

const supplierDid = "did:ixo:supplier/456";
const productId = "PROD-789";
const recipientDid = "did:ixo:household/1";
const attributes = { batchId: "BATCH-789", issuanceDate: "2024-03-15", expiryDate: "2099-12-31" };

type Request = { method: string; path: string; body: unknown };

/** Every request to the API in a page of the documentation, in its order. Commands for the chain are left out. */
function requestsOf(name: string): Request[] {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs", name), "utf8");
  const found = page.matchAll(/^curl -s(?: -X (\w+))? \$api(\S*) -H "\$key"(?: -d '([^']*)')?/gm);
  const requests = [...found].map(([, given, path = "", text]) => ({
    method: given ?? (text === undefined ? "GET" : "POST"),
    path,
    body: text === undefined ? undefined : (JSON.parse(text) as unknown),
  }));
  assert.equal(
    requests.length,
    (page.match(/^curl.* \$api/gm) ?? []).length,
    "every command of the page is understood",
  );
  return requests;
}

type Owed = { debt: number; replacement: number };

describe("Debts for revoked certificates", () => {
  let test: ItmoTest;
  let issuer: TestIssuer;
  before(async () => {
    test = await openItmoTest();
    await seedPool(test.world, createCouncil(test.world));
    issuer = createIssuer();
    const credentialTypes = ["EmissionReductionCredential", "ProductDeliveryCredential"];
    const supplier = { did: supplierDid, account: accountOf(2), name: "Shop", region: "north" };
    const bodies = {
      suppliers: supplier,
      products: { productId, name: "Stove", category: "stove", unit: "piece" },
      households: { did: recipientDid, region: "north" },
      issuers: { did: issuer.did, credentialTypes },
    };
    for (const [path, body] of Object.entries(bodies)) requireStatus(await test.admin("POST", `/${path}`, body), 201);
    requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
    requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization()), 201);
  });
  after(() => test?.close());

  const owed = async (): Promise<Owed> => {
    const { body } = await test.admin("GET", `/implementers/${encodeURIComponent(implementerDid)}`);
    const { debt, replacement } = body as Owed;
    return { debt, replacement };
  };
  const revoke = (certificateId: string) =>
    test.regulator("PATCH", `/certificates/${certificateId}`, { status: "revoked", reason: "Measured wrongly" });
  const finalise = (conversionId: string, firstId: number, lastId = firstId) =>
    test.regulator("POST", `/itmo/conversions/${conversionId}/finalise`, { itmoRegistryId: "ZMB05", firstId, lastId });
  const pay = (action: string, amount: number, more: object = {}) =>
    test.implementer("POST", "/transactions/prepare", { action, implementerDid, amount, ...more });

  /** Follows the events of the revocation's kinds as the implementer: type, and what is owed, burned or new. */
  const follow = async () => {
    const aborter = new AbortController();
    const actor = { keyId: "own", role: "implementer", implementerDid, scopes: [], dids: null } as const;
    const ctx = { actor: { ...actor, scopes: [] } };
    const stream = await openEventStream(test.deps, ctx, { lastEventId: undefined, signal: aborter.signal });
    return async (count: number) => {
      const taken: unknown[] = [];
      for await (const { message } of stream) {
        if (!/^(implementer|certificate)\.|voucher\.revoked/.test(message.type)) continue;
        const { status, vetoed, debt, replacement, rest } = JSON.parse(JSON.stringify(message.data));
        const told = vetoed ? `${status}, vetoed` : status;
        if (taken.push([message.type, told ?? debt ?? replacement ?? rest]) === count) break;
      }
      aborter.abort();
      return taken;
    };
  };

  /** A certificate whose one voucher was spent in part; its redemptions are open. */
  const spentCertificate = async (amounts: number[], changes: Partial<Example> = {}) => {
    const body = await withCredential(issuer, exampleCertificate(changes));
    requireStatus(await test.regulator("POST", "/certificates", body), 201);
    const voucher = { emissionCertificateId: body.certificateId, recipientDid, value: 100, attributes };
    const issued = requireStatus(await test.admin("POST", "/vouchers/issue", voucher), 201);
    const { id: voucherId } = issued.body as { id: string };
    const redemptionIds: string[] = [];
    for (const amount of amounts) {
      const redemption = { voucherId, supplierDid, productId, amount };
      const redeemed = requireStatus(await test.admin("POST", "/vouchers/redeem", redemption), 201);
      redemptionIds.push((redeemed.body as { redemptionId: string }).redemptionId);
    }
    return { certificateId: body.certificateId, redemptionIds };
  };
  const claim = async (redemptionId = "") => {
    // The chain's time is ahead of the clock, because revocations were made final.
    const deliveredAt = new Date(Number(await test.deps.chain.now()) * 1000).toISOString();
    const subject = { redemptionId, productId, supplierDid, recipient: recipientDid, deliveredAt };
    const type = "ProductDeliveryCredential";
    const proof = await issuer.signCredential({ type: ["VerifiableCredential", type], subject });
    return test.admin("POST", "/claims", { redemptionId, verifiableCredential: { type, proof } });
  };
  const settled = async (wanted: Owed) => {
    for (let i = 0; i < 400; i++) {
      if (JSON.stringify(await owed()) === JSON.stringify(wanted)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.deepEqual(await owed(), wanted);
  };
  const rules = ({ status, body }: Answer) => [status, rulesOf({ body } as Answer)];

  it("are paid as docs/contracts.md says", async () => {
    const { certificateId, redemptionIds } = await spentCertificate([40, 10], { certificateId: "CERT-456" });
    const [revocation, ...reads] = requestsOf("contracts.md");
    await test.lots.register(2025);
    const told = await follow();
    assert.deepEqual([revocation?.method, revocation?.path], ["PATCH", `/certificates/${certificateId}`]);
    const send = async ({ method, path, body }: Request) =>
      requireStatus(await test.admin(method, path, body), 200).body;
    const { revocationFinalAt } = (await send(revocation as Request)) as { revocationFinalAt: string };
    await settled({ debt: 100, replacement: 0 });
    assert.match(revocationFinalAt, /T00:00:00.000Z$/);
    await makeRevocationsFinal(test.world);
    await settled({ debt: 50, replacement: 0 });
    requireStatus(await claim(redemptionIds[1]), 201);
    await test.fund(50);
    const [, operation, implementer, ...prepared] = await Promise.all(reads.map(send));
    assert.partialDeepStrictEqual(operation, { type: "certificate-burn", progress: { total: 1 } });
    assert.partialDeepStrictEqual(implementer, { debt: 40, replacement: 10 });
    assert.equal(prepared.length, 2);
    // Each is prepared for the account's next transaction, so one after the other.
    for (const each of reads.slice(3)) await test.sendOwn(((await send(each)) as PreparedTransactions).transactions);
    assert.deepEqual(await owed(), { debt: 0, replacement: 0 });
    assert.deepEqual(await told(7), [
      ["certificate.status_changed", "revoked"],
      ["implementer.debt_changed", 100],
      ["voucher.revoked", 50],
      ["implementer.debt_changed", 50],
      ["implementer.debt_changed", 40],
      ["implementer.replacement_owed", 10],
      ["implementer.debt_repaid", 0],
    ]);
  });

  it("stop a finalisation, as on chain, and are paid by the implementer's own transactions", async () => {
    const { conversionId } = await requestedConversion(test);
    const { certificateId, redemptionIds } = await spentCertificate([40]);
    requireStatus(await revoke(certificateId), 200);
    // A revocation stops the conversion even while it may still be vetoed.
    await settled({ debt: 100, replacement: 0 });
    assert.deepEqual(rules(await finalise(conversionId, 1)), [409, ["implementer-debt"]]);
    await makeRevocationsFinal(test.world);
    await settled({ debt: 40, replacement: 0 });

    const refused = await finalise(conversionId, 1);
    assert.deepEqual(rules(refused), [409, ["implementer-debt"]]);
    assert.match(JSON.stringify(refused.body), /owes 40 CARBON of revoked certificates, and 0 CARBON to the pool/);
    assert.deepEqual(rules(await finalise(conversionId, 1, 2)), [409, ["implementer-debt", "serials-quantity"]]);

    requireStatus(await claim(redemptionIds[0]), 201);
    assert.deepEqual(await owed(), { debt: 0, replacement: 40 });
    assert.deepEqual(rules(await finalise(conversionId, 1)), [409, ["implementer-debt"]]);

    assert.deepEqual(rules(await pay("repay-debt", 1)), [409, ["amount-owed", "balance"]]);
    assert.deepEqual(rules(await pay("replace-carbon", 41)), [409, ["amount-owed", "balance"]]);
    assert.deepEqual(rules(await pay("replace-carbon", 40)), [409, ["balance"]]);
    await test.fund(100);
    assert.deepEqual(rules(await pay("repay-debt", 1)), [400, ["amount-owed"]]);
    const both = requireStatus(await pay("replace-carbon", 40), 200).body as PreparedTransactions;
    assert.deepEqual(
      both.transactions.map(({ functionName }) => functionName),
      ["approve", "replaceCarbon"],
    );
    await test.sendOwn(both.transactions);
    assert.deepEqual(await owed(), { debt: 0, replacement: 0 });
    requireStatus(await finalise(conversionId, 1), 200);
  });

  it("are refused by the chain when they come between the check and the block", async () => {
    const { conversionId } = await requestedConversion(test);
    const { certificateId } = await spentCertificate([40]);
    const { anvil } = test.world;
    await anvil.pauseMining();
    const revoked = revoke(certificateId);
    await anvil.untilPending(1);
    // The revocation waits for its block, so that the API sees no debt yet.
    const refused = finalise(conversionId, 2);
    await anvil.untilPending(2);
    await anvil.resumeMining();
    requireStatus(await revoked, 200);
    assert.deepEqual(rules(await refused), [409, ["implementer-debt"]]);

    // Another account pays, and the allowance exists.
    await makeRevocationsFinal(test.world);
    await settled({ debt: 40, replacement: 0 });
    const { account } = test;
    await test.fund(40);
    const both = requireStatus(await pay("repay-debt", 40, { from: account.address }), 200)
      .body as PreparedTransactions;
    await test.sendOwn(both.transactions.slice(0, 1));
    const one = requireStatus(await pay("repay-debt", 40), 200).body as PreparedTransaction;
    assert.deepEqual([one.kind, one.functionName], ["transaction", "repayDebt"]);
    await test.sendOwn([one]);
    assert.deepEqual(await owed(), { debt: 0, replacement: 0 });
    requireStatus(await finalise(conversionId, 2), 200);
  });

  it("are gone when the guardian vetoes the revocation, and stop no conversion any more", async () => {
    const { conversionId } = await requestedConversion(test);
    const { certificateId } = await spentCertificate([40]);
    const told = await follow();
    requireStatus(await revoke(certificateId), 200);
    await settled({ debt: 100, replacement: 0 });
    assert.deepEqual(rules(await finalise(conversionId, 3)), [409, ["implementer-debt"]]);
    const { body } = await test.admin("GET", `/certificates/${certificateId}`);
    await vetoRevocation(test.world, (body as { index: number }).index);
    await settled({ debt: 0, replacement: 0 });
    requireStatus(await finalise(conversionId, 3), 200);
    assert.deepEqual(await told(4), [
      ["certificate.status_changed", "revoked"],
      ["implementer.debt_changed", 100],
      ["certificate.status_changed", "suspended, vetoed"],
      ["implementer.debt_changed", 0],
    ]);
  });

  it("are paid for their own implementer alone, and for one that there is", async () => {
    const other = await test.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    const body = { action: "repay-debt", implementerDid, amount: 1 };
    assert.equal((await other("POST", "/transactions/prepare", body)).status, 403);
    const unknown = { ...body, implementerDid: "did:ixo:implementer/none" };
    assert.deepEqual(rules(await test.admin("POST", "/transactions/prepare", unknown)), [404, ["implementer-exists"]]);
  });
});

/** Transactions that wait for a block. */
