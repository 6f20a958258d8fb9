import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createIssuer, encodeStatusList, hashOf, type SignOptions } from "../../../test/support/credentials.ts";
import { startTestServer } from "../../../test/support/http-server.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";
import { decodeRedemptionId, encodeClaimId } from "../../../wire/src/ids.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { approveClaim, disputeClaim, rejectClaim, resolveDispute } from "./actions.ts";
import { claimResults } from "./deferred-results.ts";
import { DrawSettler } from "./draws.ts";
import { type Claim, type DeliveryClaimRequest, deliveryClaimRequest } from "./schemas.ts";
import { fileClaim, getClaim } from "./service.ts";
import type { ClaimOutcome } from "./settlement.ts";

const TYPE = "ProductDeliveryCredential";
const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
let scheme: TestScheme;

before(async () => {
  scheme = await openTestScheme();
});
after(() => scheme.close());

const ctx = (actor: Actor = admin, idempotencyKey?: string) => ({
  actor,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});

type Changes = Partial<SignOptions> & { subject?: Record<string, unknown>; by?: TestScheme["issuer"] };

/** A claim request whose credential matches the redemption except for the changes. */
async function request(redemptionId: string, changes: Changes = {}): Promise<DeliveryClaimRequest> {
  const { subject, by = scheme.issuer, ...options } = changes;
  const { productId, supplierDid, householdDid } = scheme;
  const deliveredAt = new Date().toISOString();
  const fitting = { redemptionId, productId, supplierDid, recipient: householdDid, deliveredAt };
  const proof = await by.signCredential({ type: TYPE, subject: { ...fitting, ...subject }, ...options });
  return deliveryClaimRequest.parse({ redemptionId, verifiableCredential: { type: TYPE, proof } });
}

const claimed = async (changes: Changes = {}, options: Parameters<TestScheme["redeem"]>[0] = {}) =>
  fileClaim(scheme.deps, ctx(), await request(await scheme.redeem(options), changes));

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof AppError, `not refused: ${thrown}`);
  return thrown;
}

async function assertBreaks(input: DeliveryClaimRequest, ...rules: string[]): Promise<void> {
  const { code, details } = await errorOf(fileClaim(scheme.deps, ctx(), input));
  assert.equal(code, "RULE_VIOLATION");
  assert.deepEqual([...new Set(details.map(({ rule }) => rule))].sort(), rules.sort());
}

describe("filing a delivery claim", () => {
  it("records it, pays stablecoin in the same transaction, and reads back the same", async () => {
    const redemptionId = await scheme.redeem();
    const input = await request(redemptionId);
    const claim = await fileClaim(scheme.deps, ctx(), input);
    const { proof } = input.verifiableCredential;
    assert.equal(claim.status, "approved");
    assert.equal(claim.id, redemptionId.replace("REDM", "CLM"));
    assert.equal(claim.credentialHash, hashOf(proof as string));
    const shown = JSON.parse(JSON.stringify(claim));
    assert.equal(shown.carbonAmount, 50);
    assert.deepEqual([shown.settlement.asset, shown.settlement.amount], ["stablecoin", 2.5]);
    assert.equal(shown.settlement.transactionHash, claim.transactionHash);
    assert.deepEqual(JSON.parse(JSON.stringify(await getClaim(scheme.deps, ctx(), claim.id))), shown);
  });

  it("answers over HTTP with 201, and names the field of a malformed body", async () => {
    const { app } = scheme;
    const post = (body: unknown) =>
      app.request("/v1/claims", {
        method: "POST",
        headers: { authorization: `Bearer ${testAdminKey}` },
        body: JSON.stringify(body),
      });
    const input = await request(await scheme.redeem());
    const answer = await post(input);
    assert.equal(answer.status, 201, await answer.clone().text());
    assert.equal(((await answer.json()) as Claim).type, "DeliveryClaim");
    for (const [body, path] of [
      [{ redemptionId: "REDM-1" }, "verifiableCredential"],
      [{ ...input, extra: 1 }, "extra"],
      [{ ...input, type: "OtherClaim" }, "type"],
      [{ ...input, verifiableCredential: { type: TYPE } }, "verifiableCredential.proof"],
      [{ ...input, verifiableCredential: { ...input.verifiableCredential, extra: 1 } }, "verifiableCredential.extra"],
    ] as const) {
      const refused = await post(body);
      assert.equal(refused.status, 400);
      const { details } = (await refused.json()) as { details: { path: string }[] };
      assert.ok(
        details.some((detail) => detail.path === path),
        JSON.stringify(details),
      );
    }
  });

  it("files orders that arrive together in one transaction, and reports which of them the ledger refused", async () => {
    const orders = [await scheme.redeem(), await scheme.redeem(), "REDM-00000000000000000000"].map((id, i) => {
      const decoded = decodeRedemptionId(id);
      return { redemption: decoded.ok ? decoded.id : 1n, credentialHash: hashOf(`order ${i}`) };
    });
    const outcomes = await Promise.all(orders.map((order) => scheme.deps.claims.collector.submit(order)));
    assert.equal(new Set(outcomes.map(({ mined }) => mined.transactionHash)).size, 1);
    assert.deepEqual(
      outcomes.map(({ order }) => order?.redemption),
      [orders[0]?.redemption, orders[1]?.redemption, undefined],
    );
    assert.equal(outcomes[2]?.refusedFor, "UnknownRedemption");

    // The operation of a caller that did not wait for the block returns the same results.
    const late = claimResults(scheme.deps.chain)["claim.file"];
    const { mined } = outcomes[0] as ClaimOutcome;
    const second = encodeClaimId(orders[1]?.redemption as bigint);
    assert.deepEqual(late?.(mined, 1), { id: second });
    assert.throws(() => late?.(mined, 2), { code: "CONFLICT", message: /UnknownRedemption/ });
  });

  it("settles claims that arrive together; an invalid one fails alone", async () => {
    const ids = [await scheme.redeem(), await scheme.redeem(), await scheme.redeem()];
    const inputs = await Promise.all(ids.map((id) => request(id)));
    const twice = await request(ids[0] as string, { subject: { note: "again" } });
    const results = await Promise.allSettled([...inputs, twice].map((input) => fileClaim(scheme.deps, ctx(), input)));
    const filed = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.equal(filed.length, 3);
    const refused = results.find((result) => result.status === "rejected")?.reason as AppError;
    assert.deepEqual([refused.code, refused.details[0]?.rule], ["CONFLICT", "claimed-once"]);
  });

  it("answers a repeated idempotent request with the first outcome", async () => {
    const input = await request(await scheme.redeem());
    const first = await fileClaim(scheme.deps, ctx(admin, "repeat-1"), input);
    assert.deepEqual(await fileClaim(scheme.deps, ctx(admin, "repeat-1"), input), first);
  });

  it("pays CARBON with the reason when the pool does not pay", async () => {
    await scheme.council("pool", "pause", []);
    const paid = JSON.parse(JSON.stringify((await claimed()).settlement));
    await scheme.council("pool", "unpause", []);
    assert.deepEqual([paid.asset, paid.amount, paid.reason], ["CARBON", 50, "pool-paused"]);
  });
});

describe("who may claim", () => {
  it("lets the redemption's supplier and an integrator for it claim, and nobody else", async () => {
    const id = await scheme.redeem();
    const input = await request(id);
    const { supplierDid, implementerDid } = scheme;
    const refusals: [Actor, string][] = [
      [{ ...admin, role: "supplier", supplierDid: "did:ixo:supplier/other" }, "NOT_FOUND"],
      [{ ...admin, role: "implementer", implementerDid: "did:ixo:implementer/other" }, "FORBIDDEN"],
      [{ ...admin, role: "implementer", implementerDid }, "FORBIDDEN"],
      [{ ...admin, role: "evaluator" }, "FORBIDDEN"],
      [{ ...admin, role: "regulator" }, "FORBIDDEN"],
      [{ ...admin, role: "integrator", dids: ["did:ixo:supplier/other"], scopes: ["claims:write"] }, "NOT_FOUND"],
      [{ ...admin, role: "integrator", dids: null, scopes: ["vouchers:write"] }, "FORBIDDEN"],
    ];
    for (const [actor, code] of refusals) {
      assert.equal((await errorOf(fileClaim(scheme.deps, ctx(actor), input))).code, code, `${actor.role} ${code}`);
    }
    const supplier: Actor = { ...admin, role: "supplier", supplierDid };
    const claim = await fileClaim(scheme.deps, ctx(supplier), input);
    assert.equal((await getClaim(scheme.deps, ctx(supplier), claim.id)).id, claim.id);
    const other: Actor = { ...supplier, supplierDid: "did:ixo:supplier/other" };
    assert.equal((await errorOf(getClaim(scheme.deps, ctx(other), claim.id))).code, "NOT_FOUND");
  });

  it("returns 404 for unknown redemptions and claims, with a hint for a mistyped id", async () => {
    const id = await scheme.redeem();
    const mistyped = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
    for (const unknown of ["REDM-0", "nonsense", "REDM-00000000000000000000", mistyped]) {
      const { code, message } = await errorOf(fileClaim(scheme.deps, ctx(), await request(unknown)));
      assert.equal(code, "NOT_FOUND");
      assert.equal(/mistyped/.test(message), unknown === mistyped);
    }
    assert.equal((await errorOf(getClaim(scheme.deps, ctx(), id.replace("REDM", "CLM")))).code, "NOT_FOUND");
  });
});

describe("rules of a delivery claim", () => {
  const hour = 3600_000;
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
  const cases: [string, Changes, string[]][] = [
    ["another redemption", { subject: { redemptionId: "REDM-000000000000000000011" } }, ["subject-matches-redemption"]],
    ["another product", { subject: { productId: "PROD-1" } }, ["subject-matches-redemption"]],
    ["another recipient", { subject: { recipient: "did:x:y" } }, ["subject-matches-redemption"]],
    ["no recipient", { subject: { recipient: undefined } }, ["subject-matches-redemption"]],
    ["a quantity of 0", { subject: { quantity: 0 } }, ["subject-matches-redemption"]],
    ["another supplier", { subject: { supplierDid: "did:x:y" } }, ["holder-is-supplier"]],
    ["a delivery before the redemption", { subject: { deliveredAt: ago(hour) } }, ["date-in-plan"]],
    ["a delivery after the deadline", { subject: { deliveredAt: ago(-400 * hour) } }, ["date-in-plan"]],
    ["a delivery without a date", { subject: { deliveredAt: "today" } }, ["date-in-plan"]],
    ["an expired credential", { expiresAt: new Date(Date.now() - 1000) }, ["not-expired"]],
    ["an untrusted issuer", { by: createIssuer() }, ["issuer-trusted"]],
    ["another type", { type: "OtherCredential" }, ["credential-type"]],
  ];
  for (const [name, changes, rules] of cases) {
    it(`refuses ${name}`, async () => assertBreaks(await request(await scheme.redeem(), changes), ...rules));
  }

  it("names every broken rule in one response", async () => {
    const subject = { supplierDid: "did:x:y", recipient: "did:x:y", deliveredAt: ago(hour) };
    const input = await request(await scheme.redeem(), { by: createIssuer(), subject, expiresAt: new Date(0) });
    const proof = input.verifiableCredential.proof as string;
    input.verifiableCredential.proof = `${proof.split(".").slice(0, 2).join(".")}.AAAA`;
    const rules = [
      "proof-verifies",
      "not-expired",
      "issuer-trusted",
      "subject-matches-redemption",
      "holder-is-supplier",
      "date-in-plan",
    ];
    await assertBreaks(input, ...rules);
  });

  it("refuses a revoked credential", async () => {
    const server = await startTestServer();
    const subject = { type: "BitstringStatusList", statusPurpose: "revocation", encodedList: encodeStatusList([5]) };
    const list = { type: "BitstringStatusListCredential", subject, version: "2.0" as const };
    const statusListCredential = server.serve("/list", await scheme.issuer.signCredential(list));
    const entry = { type: "BitstringStatusListEntry", statusPurpose: "revocation", statusListCredential };
    const redemptionId = await scheme.redeem();
    const status = (statusListIndex: string) => ({ credentialStatus: { ...entry, statusListIndex } });
    await assertBreaks(await request(redemptionId, status("5")), "not-revoked");
    assert.equal((await fileClaim(scheme.deps, ctx(), await request(redemptionId, status("6")))).status, "approved");
    await server.close();
  });

  it("refuses a token over 64 KiB", async () => {
    const input = await request(await scheme.redeem(), { subject: { note: "x".repeat(66_000) } });
    await assertBreaks(input, "token-size");
  });

  it("enforces the plan's products, regions, period, evidence and issuers", async () => {
    const plan = await scheme.addPlan({
      planId: "PLAN-strict",
      startDay: 10_000,
      endDay: 10_001,
      trustedIssuers: ["did:key:zSomebody"],
      terms: { regions: ["Kabwe"], requiredEvidence: ["photo", "signature"] },
    });
    const evidence = [{ type: "photo", cid: "bafy" }, { type: "signature" }];
    const input = await request(await scheme.redeem({ plan }), { subject: { evidence } });
    await assertBreaks(input, "issuer-trusted", "date-in-plan", "region-in-plan", "required-evidence-present");
  });

  const asRegistrar = (functionName: "trustIssuer" | "endIssuerTrust", args: readonly unknown[]) => {
    const call = { sender: "registrar", contract: "participants", functionName, args, purpose: "test" };
    return submitCall(scheme.deps, ctx(), call as never);
  };

  it("accepts only trusted issuers that the plan names", async () => {
    const other = createIssuer();
    const named = await scheme.addPlan({ planId: "PLAN-named", trustedIssuers: [other.did] });
    const byOther = async () => request(await scheme.redeem({ plan: named }), { by: other });
    await assertBreaks(await byOther(), "issuer-trusted");
    await asRegistrar("trustIssuer", [other.did, ["ProductDeliveryCredential"], 0n, 0n]);
    assert.equal((await claimed({ by: other }, { plan: named })).status, "approved");
    await assertBreaks(await request(await scheme.redeem({ plan: named })), "issuer-trusted");
    // The end of trust takes effect immediately, even for credentials dated before it.
    const issuedBefore = await byOther();
    await asRegistrar("endIssuerTrust", [other.did]);
    await assertBreaks(issuedBefore, "issuer-trusted");
    await asRegistrar("trustIssuer", [other.did, ["EmissionReductionCredential"], 0n, 0n]);
    await assertBreaks(issuedBefore, "issuer-trusted");
  });

  it("accepts the supplier itself as issuer only where the plan allows it", async () => {
    const self = createIssuer();
    const supplier = await scheme.addSupplier(self.did);
    const allowed = await scheme.addPlan({ planId: "PLAN-self", supplierMayIssue: true });
    const subject = { supplierDid: self.did };
    assert.equal((await claimed({ by: self, subject }, { plan: allowed, supplier })).status, "approved");
    await assertBreaks(await request(await scheme.redeem({ supplier }), { by: self, subject }), "issuer-trusted");
  });

  it("refuses a claim on a reversed redemption", async () => {
    const redemptionId = await scheme.redeem();
    const decoded = decodeRedemptionId(redemptionId);
    const args = [decoded.ok ? decoded.id : 0n, "Out of stock."] as const;
    const call = { contract: "vouchers", functionName: "reverse", args, purpose: "test" } as const;
    await submitCall(scheme.deps, ctx(), { sender: "operator", ...call });
    const { code, details } = await errorOf(fileClaim(scheme.deps, ctx(), await request(redemptionId)));
    assert.deepEqual([code, details[0]?.rule], ["CONFLICT", "redemption-open"]);
  });

  it("refuses a second claim with the first one's id", async () => {
    const redemptionId = await scheme.redeem();
    const { id } = await fileClaim(scheme.deps, ctx(), await request(redemptionId));
    const { code, message } = await errorOf(
      fileClaim(scheme.deps, ctx(), await request(redemptionId, { subject: { note: "b" } })),
    );
    assert.equal(code, "CONFLICT");
    assert.ok(message.includes(id));
  });
});

describe("review and dispute", () => {
  const other: Actor = { ...admin, keyId: "another evaluator", role: "evaluator" };
  const reason = "Looked into it.";
  const held = async () =>
    claimed({}, { plan: await scheme.addPlan({ planId: `PLAN-${Math.random()}`, reviewShare: 10_000 }) });

  it("holds a drawn claim without payment until an evaluator approves it", async () => {
    const claim = await held();
    assert.deepEqual([claim.status, claim.settlement], ["flagged", null]);
    const approved = await approveClaim(scheme.deps, ctx({ ...admin, role: "evaluator" }), claim.id, reason);
    assert.deepEqual(
      [approved.status, approved.settlement?.asset, approved.reason],
      ["approved", "stablecoin", reason],
    );
    assert.equal((await errorOf(approveClaim(scheme.deps, ctx(), claim.id, reason))).code, "CONFLICT");
  });

  it("pays or holds a claim by a later block where the plan has a review share, and repeats the answer", async () => {
    const plan = await scheme.addPlan({ planId: `PLAN-${Math.random()}`, reviewShare: 5_000 });
    const redemptionId = await scheme.redeem({ plan });
    const input = await request(redemptionId);
    const claim = await fileClaim(scheme.deps, ctx(admin, `drawn-${redemptionId}`), input);
    const decoded = decodeRedemptionId(redemptionId);
    const draw = await scheme.deps.chain.read("claims", "drawOf", [decoded.ok ? decoded.id : 0n]);
    assert.equal(draw.drawBlock, 0n);
    assert.ok(claim.status === "flagged" ? claim.settlement === null : claim.settlement?.asset === "stablecoin");
    assert.deepEqual(await fileClaim(scheme.deps, ctx(admin, `drawn-${redemptionId}`), input), claim);
  });

  it("settles claims that a killed process left waiting", async () => {
    const plan = await scheme.addPlan({ planId: `PLAN-${Math.random()}`, reviewShare: 1 });
    const redemptionId = await scheme.redeem({ plan });
    const decoded = decodeRedemptionId(redemptionId);
    const redemption = decoded.ok ? decoded.id : 0n;
    const { claims: first, chain, log } = scheme.deps;
    await first.draws.close();
    const hash = `0x${"7a".repeat(32)}` as const;
    const args = [[{ redemption, credentialHash: hash }]] as const;
    const call = { contract: "claims", functionName: "claimMany", args, purpose: "test" } as const;
    await submitCall(scheme.deps, ctx(), { sender: "operator", ...call, gas: 2_000_000n });
    assert.notEqual((await chain.read("claims", "drawOf", [redemption])).drawBlock, 0n);
    const next = new DrawSettler({ chain, log });
    next.start();
    await next.settled(redemption, 20_000);
    assert.equal((await chain.read("claims", "drawOf", [redemption])).drawBlock, 0n);
    await next.close();
  });

  it("leaves claims waiting that a lowered cap stops, and settles them when the cap is raised", async () => {
    const plan = await scheme.addPlan({ planId: `PLAN-${Math.random()}`, reviewShare: 1 });
    const { chain, log } = scheme.deps;
    const before = await chain.read("claims", "operatorCap", []);
    const redemptions: bigint[] = [];
    for (const byte of ["7b", "7c"]) {
      const decoded = decodeRedemptionId(await scheme.redeem({ plan }));
      redemptions.push(decoded.ok ? decoded.id : 0n);
      const credentialHash = `0x${byte.repeat(32)}` as const;
      const args = [[{ redemption: redemptions.at(-1) ?? 0n, credentialHash }]] as const;
      const call = { contract: "claims", functionName: "claimMany", args, purpose: "test" } as const;
      await submitCall(scheme.deps, ctx(), { sender: "operator", ...call, gas: 2_000_000n });
    }
    const blocksOf = () =>
      Promise.all(redemptions.map(async (id) => (await chain.read("claims", "drawOf", [id])).drawBlock !== 0n));
    await scheme.council("claims", "setOperatorCap", [0n]);
    const settler = new DrawSettler({ chain, log });
    settler.start();
    await Promise.all(redemptions.map((id) => settler.settled(id, 2_000)));
    assert.deepEqual(await blocksOf(), [true, true]);
    await scheme.council("claims", "setOperatorCap", [before]);
    await Promise.all(redemptions.map((id) => settler.settled(id, 20_000)));
    assert.deepEqual(await blocksOf(), [false, false]);
    await settler.close();
  });

  it("holds the claim of a redemption that an evaluator flagged", async () => {
    const redemptionId = await scheme.redeem();
    const decoded = decodeRedemptionId(redemptionId);
    const args = [decoded.ok ? decoded.id : 0n, reason] as const;
    const call = { contract: "vouchers", functionName: "flagRedemption", args, purpose: "test" } as const;
    await submitCall(scheme.deps, ctx(), { sender: "evaluator", ...call });
    assert.equal((await fileClaim(scheme.deps, ctx(), await request(redemptionId))).status, "flagged");
  });

  it("rejects a held claim", async () => {
    const claim = await held();
    const rejected = await rejectClaim(scheme.deps, ctx(), claim.id, reason);
    assert.deepEqual([rejected.status, rejected.settlement, rejected.reason], ["rejected", null, reason]);
    assert.equal((await errorOf(fileClaim(scheme.deps, ctx(), await request(claim.redemptionId)))).code, "CONFLICT");
  });

  it("lets only evaluators act", async () => {
    const { id } = await claimed();
    for (const role of ["supplier", "implementer", "regulator"] as const) {
      const actor: Actor = { ...admin, role, supplierDid: scheme.supplierDid, implementerDid: scheme.implementerDid };
      assert.equal((await errorOf(disputeClaim(scheme.deps, ctx(actor), id, reason))).code, "FORBIDDEN");
    }
    assert.equal((await errorOf(rejectClaim(scheme.deps, ctx(), id, reason))).code, "CONFLICT");
  });

  it("disputes a paid claim, and an upheld dispute is set off against the next payment", async () => {
    const { id } = await claimed({}, { amount: 40_000_000n });
    assert.equal((await disputeClaim(scheme.deps, ctx(), id, reason)).status, "disputed");
    const own = await errorOf(resolveDispute(scheme.deps, ctx(), id, { reason, upheld: true }));
    assert.deepEqual([own.code, own.details[0]?.rule], ["FORBIDDEN", "dispute-needs-two"]);
    assert.equal((await resolveDispute(scheme.deps, ctx(other), id, { reason, upheld: true })).status, "invalidated");
    const next = JSON.parse(JSON.stringify((await claimed()).settlement));
    assert.deepEqual([next.setOff, next.amount, next.asset], [40, 0.5, "stablecoin"]);
  });

  it("leaves the claim valid when the dispute is not upheld", async () => {
    const { id } = await claimed();
    await disputeClaim(scheme.deps, ctx(), id, reason);
    assert.equal((await resolveDispute(scheme.deps, ctx(other), id, { reason, upheld: false })).status, "approved");
  });
});

describe("time", () => {
  it("refuses a claim after its deadline by chain time", async () => {
    const redemptionId = await scheme.redeem();
    await scheme.world.anvil.rpc("evm_increaseTime", [337 * 3600]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await assertBreaks(await request(redemptionId), "within-time-limit");
  });
});
