import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  type ItmoTest,
  implementerDid,
  openItmoTest,
  requestedConversion,
  requireStatus,
  signConversion,
} from "../../../../test/support/itmo.ts";
import { type Answer, rulesOf } from "../../../../test/support/registry.ts";
import type { Conversion, ConversionToSign, VintageList } from "./schemas.ts";

const day = 86_400;

describe("conversions of CARBON into ITMOs", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
    for (const id of ["CA0001", "CA0002"]) {
      const body = exampleApproach({ cooperativeApproachId: id });
      requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", body), 201);
    }
    const narrow = { authorizationId: "NARROW", authorizedQuantity: 5, timeframe: "2024 - 2024" };
    for (const body of [exampleAuthorization(), exampleAuthorization(narrow)])
      requireStatus(await test.regulator("POST", "/itmo/authorizations", body), 201);
  });
  after(() => test?.close());

  const request = (body: unknown, headers?: Record<string, string>) =>
    test.implementer("POST", "/itmo/conversions", body, headers);
  const refused = (answer: Answer) => [answer.status, rulesOf(answer)];
  const answerTo = (id: string, what: string, body: unknown) =>
    test.regulator("POST", `/itmo/conversions/${id}/${what}`, body);
  const carbonOf = (account: `0x${string}`) => test.deps.chain.read("carbon", "balanceOf", [account]);

  it("goes from signature to escrow, and back when it is reverted", async () => {
    const { address } = test.account;
    const before = await carbonOf(address);
    const requested = await requestedConversion(test, exampleConversion({ amount: 2000 }));
    assert.deepEqual(
      [requested.status, requested.quantity, requested.implementerDid],
      ["requested", 2, implementerDid],
    );
    assert.deepEqual(requested.lots, [{ certificateId: "LOT-2025", amount: 2000 }]);
    assert.equal(await carbonOf(address), before);
    const reverted = requireStatus(await answerTo(requested.conversionId, "revert", { reason: "Wrong vintage" }), 200);
    const { status, reason, lots } = reverted.body as Conversion;
    assert.deepEqual([status, reason, lots], ["reverted", "Wrong vintage", []]);
    assert.equal(await carbonOf(address), before + 2_000_000_000n);
    assert.deepEqual(refused(await answerTo(requested.conversionId, "revert", { reason: "Again" })), [
      409,
      ["conversion-status"],
    ]);
  });

  it("takes CARBON of certificates of its vintage only, whatever its account holds", async () => {
    await test.fund(10_000);
    const body = exampleConversion({ amount: 10_000, vintage: 2021 });
    const none = await request(body);
    assert.deepEqual(refused(none), [409, ["vintage-available"]]);
    assert.match(JSON.stringify(none.body), /Valid certificates of vintage 2021 have 0 CARBON to convert/);
    await test.lots.release(4_000_000_000n, 2021);
    assert.deepEqual(refused(await request(body)), [409, ["vintage-available"]]);
    const older = await requestedConversion(test, exampleConversion({ amount: 4000, vintage: 2021 }));
    assert.deepEqual(older.lots, [{ certificateId: "LOT-2021", amount: 4000 }]);
    requireStatus(await answerTo(older.conversionId, "revert", { reason: "Not needed" }), 200);
  });

  it("becomes one conversion of each vintage, the oldest first, where the request names none", async () => {
    const later = exampleAuthorization({ authorizationId: "LATER", timeframe: "2022 - 2030" });
    requireStatus(await test.regulator("POST", "/itmo/authorizations", later), 201);
    await test.fund(3000, undefined, 2022);
    await test.lots.release(500_000_000n, 2022);
    await test.fund(2000, undefined, 2023);
    const { vintage: _, ...body } = exampleConversion({ amount: 4000, authorizationId: "LATER" });
    const asked = requireStatus(await request(body), 200).body as ConversionToSign;
    const parts = asked.conversions.map(({ vintage, amount }) => [vintage, amount]);
    assert.deepEqual(parts, [
      [2022, 3000],
      [2023, 1000],
    ]);
    assert.deepEqual(
      asked.transactions.map(({ functionName }) => functionName),
      ["approve", "requestConversion", "requestConversion"],
    );
    assert.equal(asked.nonce, asked.conversions[0]?.nonce);
    const { items } = requireStatus(await test.implementer("GET", "/itmo/vintages"), 200).body as VintageList;
    assert.deepEqual(
      items.filter(({ vintage }) => vintage === 2022 || vintage === 2023),
      [
        { vintage: 2022, available: 3500, reachable: 3500, tonnes: 3 },
        { vintage: 2023, available: 2000, reachable: 2000, tonnes: 2 },
      ],
    );
    const prepare = test.implementer("POST", "/transactions/prepare", { action: "itmo-convert", ...body });
    assert.deepEqual(refused(await prepare), [400, ["one-vintage"]]);
    const made: Conversion[] = [];
    for (const { vintage, amount, typedData, nonce, deadline } of asked.conversions) {
      const signatures: Record<string, string | number> = { nonce, deadline };
      for (const { name, domain, types, primaryType, message } of typedData)
        signatures[name] = await test.account.signTypedData({ domain, types, primaryType, message } as never);
      const unnamed = await request({ ...body, amount, signatures });
      assert.deepEqual(refused(unnamed), [400, ["vintage-given"]]);
      const answer = requireStatus(await request({ ...body, amount, vintage, signatures }), 201);
      made.push(answer.body as Conversion);
    }
    assert.deepEqual(
      made.map(({ vintage, quantity, lots }) => [vintage, quantity, lots.map(({ certificateId }) => certificateId)]),
      [
        [2022, 3, ["LOT-2022"]],
        [2023, 1, ["LOT-2023"]],
      ],
    );
    for (const { conversionId } of made)
      requireStatus(await answerTo(conversionId, "revert", { reason: "Not needed" }), 200);
    const much = await request({ ...body, amount: 90_000_000 });
    assert.deepEqual(refused(much), [409, ["balance", "vintage-available"]]);
    assert.match(JSON.stringify(much.body), /Vintages 2022 to \d+ have [\d.]+ CARBON to convert, in whole tonnes/);
  });

  it("is sent by the account itself as well, by the transactions that are prepared", async () => {
    await test.fund(1000);
    const { transactions } = (await request(exampleConversion())).body as ConversionToSign;
    assert.deepEqual(
      transactions.map(({ functionName }) => functionName),
      ["approve", "requestConversion"],
    );
    await test.sendOwn(transactions);
    const { items } = (await test.implementer("GET", "/itmo/conversions?status=requested")).body as {
      items: Conversion[];
    };
    assert.equal(items.at(-1)?.account, test.account.address);
  });

  it("is not made by an order that its signer cancelled", async () => {
    await test.fund(1000);
    const body = await signConversion(test);
    const asked = { action: "itmo-cancel-order", implementerDid, nonce: String(body.signatures.nonce) };
    const prepare = (changes = {}) => test.implementer("POST", "/transactions/prepare", { ...asked, ...changes });
    const prepared = requireStatus(await prepare(), 200).body as ConversionToSign["transactions"][number];
    assert.equal(prepared.functionName, "cancelOrder");
    await test.sendOwn([prepared]);
    assert.deepEqual(refused(await request(body)), [409, ["order-unused"]]);
    const again = await prepare();
    assert.deepEqual(refused(again), [409, ["order-unused"]]);
    assert.match(JSON.stringify(again.body), /The order was cancelled by the implementer's account\./);
    assert.equal((await prepare({ implementerDid: "did:ixo:implementer/other" })).status, 403);
  });

  it("is not stopped by cancelling its order later, and the refusal names the conversion", async () => {
    await test.fund(1000);
    const body = await signConversion(test);
    const { conversionId } = requireStatus(await request(body), 201).body as Conversion;
    const asked = { action: "itmo-cancel-order", implementerDid, nonce: String(body.signatures.nonce) };
    const prepared = await test.implementer("POST", "/transactions/prepare", asked);
    assert.deepEqual(refused(prepared), [409, ["order-unused"]]);
    assert.ok(JSON.stringify(prepared.body).includes(`The order was used for conversion ${conversionId}.`));
  });

  it("is for the implementers whom the authorization names, where it names any", async () => {
    const other = "did:ixo:implementer/2";
    const account = `0x${"2b".repeat(20)}`;
    requireStatus(await test.admin("POST", "/implementers", { did: other, account, name: "Other" }), 201);
    const register = async (authorizationId: string, ...dids: string[]) => {
      const authorizedEntities = dids.map((did, i) => ({
        name: "Entity",
        countryOfIncorporation: "CHE",
        id: `CHE-${i}`,
        implementerDid: did,
      }));
      const body = { ...exampleAuthorization({ authorizationId }), authorizedEntities };
      const answer = await test.regulator("POST", "/itmo/authorizations", body);
      if (answer.status === 201) {
        assert.deepEqual((answer.body as typeof body).authorizedEntities, authorizedEntities);
      }
      return answer;
    };
    requireStatus(await register("FOREIGN", other), 201);
    requireStatus(await register("BOTH", other, implementerDid), 201);
    const unknown = await register("UNKNOWN", other, "did:x:nobody");
    assert.deepEqual(refused(unknown), [400, ["implementer-registered"]]);
    await test.fund(1000);
    const foreign = exampleConversion({ authorizationId: "FOREIGN", amount: 1000.5 });
    assert.deepEqual(refused(await request(foreign)), [400, ["implementer-authorized", "whole-tonnes"]]);
    requireStatus(await request(exampleConversion({ authorizationId: "BOTH" })), 200);
  });

  it("names every broken rule of a request together", async () => {
    await test.fund(7000);
    const body = exampleConversion({
      authorizationId: "NARROW",
      cooperativeApproachId: "CA0002",
      amount: 6500.5,
      vintage: 2025,
    });
    assert.deepEqual(refused(await request(body)), [
      400,
      ["authorization-of-approach", "quantity-authorized", "vintage-authorized", "whole-tonnes"],
    ]);
    assert.deepEqual(refused(await request(exampleConversion({ vintage: 2999 }))), [
      400,
      ["vintage-authorized", "vintage-available", "vintage-not-in-future"],
    ]);
    const unknown = { authorizationId: "NONE", cooperativeApproachId: "CA9999" };
    assert.deepEqual(refused(await request(exampleConversion(unknown))), [
      404,
      ["authorization-exists", "cooperative-approach-exists"],
    ]);
    assert.deepEqual(refused(await request(exampleConversion({ amount: 90_000_000 }))), [
      409,
      ["balance", "vintage-available"],
    ]);
    assert.deepEqual(refused(await request({ ...exampleConversion(), extra: 1, amount: 0 })), [
      400,
      ["range", "unknown-field"],
    ]);
    assert.equal((await test.regulator("POST", "/itmo/conversions", exampleConversion())).status, 403);
  });

  it("accepts only the account's own signature of exactly this order, until its deadline", async () => {
    await test.fund(3000);
    const signed = await signConversion(test);
    const other = privateKeyToAccount(`0x${"7".repeat(64)}`);
    const forged = await signConversion({ ...test, account: other });
    assert.deepEqual(refused(await request(forged)), [403, ["signature-valid"]]);
    assert.deepEqual(refused(await request({ ...signed, amount: 2000 })), [403, ["signature-valid"]]);
    const late = { ...signed, signatures: { ...signed.signatures, deadline: 1_700_000_000 } };
    assert.deepEqual(refused(await request(late)), [400, ["deadline"]]);
    const { permit: _, ...unapproved } = signed.signatures;
    assert.deepEqual(refused(await request({ ...signed, signatures: unapproved })), [409, ["allowance"]]);
    requireStatus(await request(signed), 201);
  });

  it("makes one conversion of one signed order that arrives several times concurrently", async () => {
    await test.fund(6000);
    const { signatures, ...body } = await signConversion(test, exampleConversion({ amount: 4000 }));
    const list = [signatures.permit, signatures.order];
    // Without a nonce and deadline in the request, the order is identified by its terms.
    const answers = await Promise.all(Array.from({ length: 20 }, () => request({ ...body, signatures })));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201], JSON.stringify(answers[0]?.body));
    const ids = new Set(answers.map(({ body: each }) => (each as Conversion).conversionId));
    assert.equal(ids.size, 1);
    const again = requireStatus(await request({ ...body, signatures: list.slice(1) }), 201).body as Conversion;
    assert.deepEqual([again.conversionId], [...ids]);
    const changed = await signConversion(test, exampleConversion({ amount: 2000 }));
    const borrowed = { ...body, signatures: [changed.signatures.order] };
    assert.deepEqual(refused(await request(borrowed)), [403, ["signature-valid"]]);
    const reused = { ...changed, signatures: { ...changed.signatures, nonce: signatures.nonce } };
    assert.deepEqual(refused(await request(reused)), [409, ["order-unused"]]);
  });

  it("answers the same request under one Idempotency-Key once", async () => {
    const requested = await requestedConversion(test);
    const serials = { itmoRegistryId: "ZMB02", firstId: 1, lastId: 1 };
    const headers = { "idempotency-key": "finalise-1" };
    const path = `/itmo/conversions/${requested.conversionId}/finalise`;
    const first = requireStatus(await test.regulator("POST", path, serials, headers), 200);
    const second = requireStatus(await test.regulator("POST", path, serials, headers), 200);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(refused(await test.regulator("POST", path, serials)), [409, ["conversion-status"]]);
  });

  it("mints only as many serials as tonnes, and none of another block", async () => {
    const { conversionId, quantity } = await requestedConversion(test, exampleConversion({ amount: 10_000 }));
    const finalise = (firstId: number | string, lastId: number | string, itmoRegistryId = "ZMB03") =>
      answerTo(conversionId, "finalise", { itmoRegistryId, firstId, lastId });
    assert.equal(quantity, 10);
    assert.deepEqual(refused(await finalise(101, 100)), [400, ["serials-ordered"]]);
    assert.deepEqual(refused(await finalise(101, 111)), [400, ["serials-quantity"]]);
    assert.deepEqual(refused(await finalise(0, 9)), [400, ["serial-number"]]);
    assert.equal((await finalise(101, 110, "ZMB3")).status, 400);
    const top = (2n ** 64n - 1n).toString();
    assert.equal((await finalise(`${2n ** 64n - 10n}`, top)).status, 200);
    const next = await requestedConversion(test, exampleConversion({ amount: 10_000 }));
    for (const [first, last] of [
      [2n ** 64n - 10n, 2n ** 64n - 1n],
      [2n ** 64n - 15n, 2n ** 64n - 6n],
    ] as const) {
      const serials = { itmoRegistryId: "ZMB03", firstId: `${first}`, lastId: `${last}` };
      assert.deepEqual(refused(await answerTo(next.conversionId, "finalise", serials)), [409, ["serials-disjoint"]]);
    }
    const inOther = { itmoRegistryId: "CHE01", firstId: `${2n ** 64n - 10n}`, lastId: top };
    requireStatus(await answerTo(next.conversionId, "finalise", inOther), 200);
  });

  it("finds its place in a registry of many blocks", async () => {
    const { ledger } = test.deps.itmo;
    for (const firstId of [500, 100, 300]) {
      const { conversionId } = await requestedConversion(test);
      const serials = { itmoRegistryId: "ZMB04", firstId, lastId: firstId };
      requireStatus(await answerTo(conversionId, "finalise", serials), 200);
    }
    const before = await ledger.serialPredecessor("ZMB04", 400n);
    assert.equal((await test.deps.itmo.responseOf(before))?.firstId, "300");
  });

  it("lets only the regulator answer", async () => {
    const { conversionId } = await requestedConversion(test);
    const serials = { itmoRegistryId: "ZMB05", firstId: 1, lastId: 1 };
    for (const call of [test.implementer, await test.as("evaluator")]) {
      assert.equal((await call("POST", `/itmo/conversions/${conversionId}/finalise`, serials)).status, 403);
      assert.equal((await call("POST", `/itmo/conversions/${conversionId}/revert`, { reason: "No" })).status, 403);
    }
    assert.deepEqual(refused(await answerTo("CONV-00000000", "revert", { reason: "No" })), [
      404,
      ["conversion-exists"],
    ]);
  });

  it("gives the CARBON back to its account when nobody answers for 90 days, and not before", async () => {
    const { conversionId, reclaimableFrom } = await requestedConversion(test);
    const prepare = () => test.implementer("POST", "/transactions/prepare", { action: "itmo-reclaim", conversionId });
    assert.deepEqual(refused(await prepare()), [409, ["reclaim-time"]]);
    await test.world.anvil.rpc("evm_increaseTime", [90 * day]);
    await test.world.anvil.rpc("evm_mine", []);
    const prepared = requireStatus(await prepare(), 200).body as ConversionToSign["transactions"][number];
    await test.sendOwn([prepared]);
    const { status, reason } = (await test.admin("GET", `/itmo/conversions/${conversionId}`)).body as Conversion;
    assert.deepEqual([status, reason], ["reverted", null]);
    assert.ok(Date.parse(reclaimableFrom ?? "") > Date.now());
  });

  it("lists by implementer, authorization, approach and status, page by page", async () => {
    await finalisedConversion(test);
    const all: Conversion[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path: string = `/itmo/conversions?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = requireStatus(await test.admin("GET", path), 200).body as {
        items: Conversion[];
        nextCursor: string | null;
      };
      all.push(...page.items);
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      all.map(({ index }) => index),
      Array.from(all, (_, i) => i + 1),
    );
    const list = async (query: string) =>
      ((await test.admin("GET", `/itmo/conversions?limit=500&${query}`)).body as { items: Conversion[] }).items;
    for (const status of ["requested", "finalised", "reverted"] as const) {
      const found = await list(`status=${status}&authorizationId=ZMB-2025-001&cooperativeApproachId=CA0001`);
      assert.deepEqual(
        found.map(({ conversionId }) => conversionId),
        all
          .filter((each) => each.status === status && each.authorizationId === "ZMB-2025-001")
          .map(({ conversionId }) => conversionId),
      );
    }
    assert.equal((await list("authorizationId=NARROW")).length, 0);
    assert.equal((await list("implementerDid=did:ixo:implementer%2Fnone")).length, 0);
  });

  it("gives the CARBON back to the account that the implementer has in force, and to none while it is suspended", async () => {
    const { conversionId } = await requestedConversion(test);
    const path = `/implementers/${encodeURIComponent(implementerDid)}`;
    const [thief, next] = [test.account.address, `0x${"4d".repeat(20)}` as const];
    const setStatus = (status: string) => test.regulator("PATCH", path, { status, reason: "Key stolen" });
    requireStatus(await setStatus("suspended"), 200);
    const revert = () => answerTo(conversionId, "revert", { reason: "Key stolen" });
    assert.deepEqual(refused(await revert()), [409, ["implementer-authorised"]]);
    requireStatus(await test.regulator("POST", `${path}/account`, { account: next }), 200);
    await test.world.anvil.rpc("evm_increaseTime", [day]);
    await test.world.anvil.rpc("evm_mine", []);
    requireStatus(await test.regulator("POST", `${path}/account/finalise`), 200);
    requireStatus(await setStatus("registered"), 200);
    const held = await carbonOf(thief);
    requireStatus(await revert(), 200);
    assert.deepEqual([await carbonOf(next), await carbonOf(thief)], [1_000_000_000n, held]);
  });
});
