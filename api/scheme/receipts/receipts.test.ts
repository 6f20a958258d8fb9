import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { compactVerify, importJWK } from "jose";
import { type Hex, parseEventLogs } from "viem";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { openTestScheme, type TestScheme } from "../../../test/support/scheme.ts";
import {
  decodeRedemptionId,
  encodeClaimId,
  encodePaymentId,
  encodeRedemptionId,
  encodeSwapId,
  swapIdOf,
} from "../../../wire/src/ids.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import type { App } from "../../platform/http/context.ts";
import { Receipts } from "./receipts.ts";
import type { Receipt } from "./schemas.ts";

describe("signed receipts", () => {
  let scheme: TestScheme;
  let app: App;
  let redemption: bigint;
  let paidIn: Hex;
  let swapId: string;
  before(async () => {
    scheme = await openTestScheme();
    ({ app } = scheme);
    const decoded = decodeRedemptionId(await scheme.redeem({ amount: 50_500_001n }));
    redemption = decoded.ok ? decoded.id : 0n;
    const args = [[{ redemption, credentialHash: `0x${"ab".repeat(32)}` }]];
    const call = { sender: "operator", contract: "claims", functionName: "claimMany", args, purpose: "test" };
    const claimed = await submitCall(scheme.deps, {}, call as never);
    paidIn = claimed.transactionHash;
    const [sold] = parseEventLogs({ abi: poolAbi, eventName: "CarbonSold", logs: claimed.logs });
    swapId = encodeSwapId(swapIdOf(sold?.blockNumber ?? 0n, sold?.logIndex ?? 0));
  });
  after(() => scheme.close());

  /** Requests are public: they carry no key. */
  const ask = async (id: string) => {
    const answer = await app.request(`/v1/receipts/${id}`);
    return { status: answer.status, receipt: (await answer.json()) as Receipt };
  };
  /** Verify the receipt with jose and the key of the DID document, and return its facts. */
  const read = async (id: string) => {
    const { status, receipt } = await ask(id);
    assert.equal(status, 200, JSON.stringify(receipt));
    const document = await (await app.request("/.well-known/did.json")).json();
    const key = await importJWK(document.verificationMethod[1].publicKeyJwk, "EdDSA");
    const { payload } = await compactVerify(receipt.jwt, key);
    const { iss, jti, nbf, vc } = JSON.parse(new TextDecoder().decode(payload));
    assert.equal(iss, document.id);
    assert.equal(jti, `urn:hearth:receipt:${id}`);
    assert.equal(nbf, Date.parse(receipt.facts.at as string) / 1000);
    assert.deepEqual(vc.type, ["VerifiableCredential", receipt.type]);
    assert.deepEqual(vc.credentialSubject, receipt.facts);
    assert.equal(vc.credentialStatus, undefined);
    assert.ok(!JSON.stringify({ receipt, vc }).includes("household/"));
    return receipt;
  };

  it("attests a redemption with its exact amount and transaction", async () => {
    const { type, facts } = await read(encodeRedemptionId(redemption));
    const { supplierDid, productId, carbonAmount, consent, authorizedByHousehold, transactionHash } = facts;
    assert.equal(type, "RedemptionReceipt");
    assert.deepEqual(
      { supplierDid, productId, carbonAmount, consent, authorizedByHousehold },
      {
        supplierDid: scheme.supplierDid,
        productId: scheme.productId,
        carbonAmount: "50.500001",
        consent: "none",
        authorizedByHousehold: false,
      },
    );
    const mined = await scheme.deps.chain.client.getTransactionReceipt({ hash: transactionHash as Hex });
    assert.equal(mined.blockHash, facts.blockHash);
    assert.ok(mined.logs.some(({ logIndex }) => logIndex === facts.logIndex));
  });

  it("attests a claim with the hash of its credential", async () => {
    const { facts } = await read(encodeClaimId(redemption));
    assert.equal(facts.credentialHash, `0x${"ab".repeat(32)}`);
    assert.equal(facts.carbonAmount, "50.500001");
    assert.equal(facts.transactionHash, paidIn);
  });

  it("attests what was paid for the claim, and in which token", async () => {
    const { facts } = await read(encodePaymentId(redemption));
    const { addresses } = scheme.deps.chain;
    // At 0.05 per kilogram, rounded down.
    assert.deepEqual(
      { paid: facts.paid, token: facts.token, setOff: facts.setOff, because: facts.paidInCarbonBecause },
      { paid: "2.525", token: addresses.stablecoin, setOff: "0", because: null },
    );
    assert.equal(facts.transactionHash, paidIn);
  });

  it("attests the swap by which it was paid", async () => {
    const { facts } = await read(swapId);
    const { side, supplierDid, carbonAmount, stablecoinAmount, price } = facts;
    assert.deepEqual(
      { side, supplierDid, carbonAmount, stablecoinAmount, price },
      {
        side: "sell",
        supplierDid: scheme.supplierDid,
        carbonAmount: "50.500001",
        stablecoinAmount: "2.525",
        price: "0.05",
      },
    );
  });

  it("answers the same token again, however the id is spelled, also from another process's memory", async () => {
    const id = encodeClaimId(redemption);
    const { receipt } = await ask(id);
    assert.deepEqual((await ask(id.toLowerCase())).receipt, receipt);
    assert.deepEqual(await new Receipts(scheme.deps).read(id), receipt);
  });

  it("tells why a supplier was paid in CARBON", async () => {
    await scheme.council("pool", "pause", []);
    const decoded = decodeRedemptionId(await scheme.redeem({ amount: 10_000_000n }));
    const unpaid = decoded.ok ? decoded.id : 0n;
    const args = [[{ redemption: unpaid, credentialHash: `0x${"cd".repeat(32)}` }]];
    const call = { sender: "operator", contract: "claims", functionName: "claimMany", args, purpose: "test" };
    assert.equal((await ask(encodePaymentId(unpaid))).status, 404);
    await submitCall(scheme.deps, {}, call as never);
    const { facts } = await read(encodePaymentId(unpaid));
    assert.deepEqual([facts.paid, facts.token], ["10", scheme.deps.chain.addresses.carbon]);
    assert.equal(facts.paidInCarbonBecause, "PoolPaused");
  });

  it("knows no receipt of what the chain does not know", async () => {
    const ids = [encodeRedemptionId(7n), encodeClaimId(7n), encodeSwapId(swapIdOf(1n, 0)), encodeSwapId(2n ** 63n)];
    for (const id of [...ids, "REDM-1", "VCHR-00000000000010", "x"]) assert.equal((await ask(id)).status, 404, id);
  });
});
