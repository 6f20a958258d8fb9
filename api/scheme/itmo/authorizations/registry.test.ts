import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  type ItmoTest,
  openItmoTest,
  requestedConversion,
  requireStatus,
} from "../../../../test/support/itmo.ts";
import { type Answer, rulesOf } from "../../../../test/support/registry.ts";
import type { AuthorizationResponse } from "./schemas.ts";

describe("the registry of Article 6", () => {
  let test: ItmoTest;
  before(async () => {
    test = await openItmoTest();
  });
  after(() => test?.close());

  const refused = (answer: Answer) => [answer.status, rulesOf(answer)];
  const addApproach = (changes = {}) =>
    test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach(changes));
  const authorize = (changes = {}) => test.regulator("POST", "/itmo/authorizations", exampleAuthorization(changes));

  it("registers a cooperative approach once, in the spelling of the agreed electronic format", async () => {
    const made = requireStatus(await addApproach(), 201);
    assert.partialDeepStrictEqual(made.body, {
      ...exampleApproach(),
      ndcPeriod: { firstYear: 2021, lastYear: 2030 },
      index: 1,
    });
    assert.deepEqual((await test.implementer("GET", "/itmo/cooperative-approaches/CA0001")).body, made.body);
    assert.deepEqual(refused(await addApproach()), [409, ["not-registered-before"]]);
    const wrong = { cooperativeApproachId: "CA1", firstTransferringPartyId: "zmb", sectors: ["Cooking"], more: 1 };
    const answer = await addApproach(wrong);
    const paths = (answer.body as { details: { path: string }[] }).details.map(({ path }) => path).sort();
    assert.deepEqual([answer.status, paths], [400, [...Object.keys(wrong).slice(0, 2), "more", "sectors.0"].sort()]);
    const broken = {
      cooperativeApproachId: "CA0002",
      participatingPartyIds: ["CHE", "CHE"],
      ndcPeriod: { firstYear: 2030, lastYear: 2021 },
    };
    assert.deepEqual(refused(await addApproach(broken)), [400, ["dates-ordered", "named-once"]]);
    assert.equal((await test.admin("GET", "/itmo/cooperative-approaches/CA0002")).status, 404);
  });

  it("registers an authorization with all that it says", async () => {
    const terms = { gwpValues: "AR5", termsAndConditions: "Letter 12" };
    const body = exampleAuthorization({ omgePercent: 2, sopPercent: 5.25, terms });
    const { terms: _, ...rest } = body as typeof body & { terms: object };
    const made = requireStatus(await test.regulator("POST", "/itmo/authorizations", body), 201);
    assert.partialDeepStrictEqual(made.body, {
      ...rest,
      terms,
      version: 1,
      committed: 0,
      issued: 0,
      remaining: 100_000,
    });
    assert.deepEqual((await test.implementer("GET", "/itmo/authorizations/ZMB-2025-001")).body, made.body);
    assert.deepEqual(refused(await authorize()), [409, ["not-registered-before"]]);
  });

  it("names every broken rule of an authorization together", async () => {
    const { firstTransferDefinition: _, ...body } = exampleAuthorization({
      authorizationId: "BROKEN",
      date: "2099-01-01",
      timeframe: "2030 - 2021",
      omgePercent: 60,
      sopPercent: 40.01,
    });
    const [entity] = body.authorizedEntities;
    const twice = { ...body, authorizedEntities: [entity, entity] };
    assert.deepEqual(refused(await test.regulator("POST", "/itmo/authorizations", twice)), [
      400,
      ["date-not-in-future", "dates-ordered", "first-transfer-definition", "named-once", "shares-within-whole"],
    ]);
    const missing = { authorizationId: "NOWHERE", cooperativeApproachId: "CA9999" };
    assert.deepEqual(refused(await authorize(missing)), [404, ["cooperative-approach-exists"]]);
    assert.equal((await authorize({ authorizationId: "A/1" })).status, 400);
    assert.equal((await authorize({ authorizationId: "FINE", omgePercent: 2.001 })).status, 400);
  });

  it("demands OMGE and a share of proceeds where the approach is under Article 6.4", async () => {
    requireStatus(await addApproach({ cooperativeApproachId: "CA0064" }), 201);
    const under = (choice: string, validFrom: string) =>
      test.regulator("POST", "/parameters", {
        kind: "mechanism",
        key: "CA0064",
        choice,
        source: "Letter 9",
        validFrom,
      });
    const shares = (changes: object) =>
      authorize({ authorizationId: "UNDER 64", cooperativeApproachId: "CA0064", date: "2025-03-01", ...changes });
    requireStatus(await under("article-6.4", "2025-02-01"), 201);
    const none = { omgePercent: undefined, sopPercent: undefined };
    assert.deepEqual(refused(await shares(none)), [400, ["omge-mandatory", "sop-mandatory"]]);
    assert.deepEqual(refused(await shares({ omgePercent: 1.99, sopPercent: 5 })), [400, ["omge-mandatory"]]);
    assert.deepEqual(refused(await shares({ omgePercent: 2, sopPercent: 4.99 })), [400, ["sop-mandatory"]]);
    requireStatus(await shares({ omgePercent: 2, sopPercent: 5 }), 201);
    requireStatus(await shares({ ...none, authorizationId: "EARLIER", date: "2025-01-31" }), 201);
    requireStatus(await under("article-6.2", "2025-02-01"), 201);
    requireStatus(await shares({ ...none, authorizationId: "UNDER 62" }), 201);
    assert.deepEqual(refused(await under("article-6", "2025-02-01")), [400, ["choice-known"]]);
  });

  it("keeps a definition that the purpose has no use for in the terms", async () => {
    const only = { authorizationId: "NDC only", purpose: "NDC", firstTransferDefinition: "Issuance" };
    const { body } = requireStatus(await authorize(only), 201);
    assert.partialDeepStrictEqual(body, {
      firstTransferDefinition: null,
      terms: { firstTransferDefinition: "Issuance" },
    });
  });

  it("gives an authorization another quantity as a new version, never below what is committed", async () => {
    requireStatus(await authorize({ authorizationId: "VERSIONED", authorizedQuantity: 5 }), 201);
    await requestedConversion(test, exampleConversion({ authorizationId: "VERSIONED", amount: 4000 }));
    const path = "/itmo/authorizations/VERSIONED/versions";
    const lower = { authorizedQuantity: 3, reason: "Less" };
    assert.deepEqual(refused(await test.regulator("POST", path, lower)), [409, ["quantity-committed"]]);
    const more = { authorizedQuantity: 12, reason: "Second letter" };
    const { body } = requireStatus(await test.regulator("POST", path, more), 201);
    const { version, remaining, versions } = body as AuthorizationResponse;
    assert.deepEqual([version, remaining], [2, 8]);
    assert.deepEqual(
      versions.map(({ authorizedQuantity, reason }) => [authorizedQuantity, reason]),
      [
        [5, null],
        [12, "Second letter"],
      ],
    );
    const unknown = await test.regulator("POST", "/itmo/authorizations/NONE/versions", more);
    assert.equal(unknown.status, 404);
  });

  it("lets only the regulator register", async () => {
    const calls = [test.implementer, await test.as("evaluator")];
    for (const call of calls) {
      assert.equal((await call("POST", "/itmo/cooperative-approaches", exampleApproach())).status, 403);
      assert.equal((await call("POST", "/itmo/authorizations", exampleAuthorization())).status, 403);
      const more = { authorizedQuantity: 12, reason: "More" };
      assert.equal((await call("POST", "/itmo/authorizations/VERSIONED/versions", more)).status, 403);
    }
  });

  it("lists what is registered, of one approach where it is named", async () => {
    requireStatus(await addApproach({ cooperativeApproachId: "CA0003" }), 201);
    requireStatus(await authorize({ authorizationId: "OTHER", cooperativeApproachId: "CA0003" }), 201);
    const idsOf = (answer: Answer) =>
      (answer.body as { items: Record<string, string>[] }).items.map(
        (item) => item.authorizationId ?? item.cooperativeApproachId,
      );
    assert.deepEqual(idsOf(await test.admin("GET", "/itmo/cooperative-approaches")), ["CA0001", "CA0064", "CA0003"]);
    const list = "/itmo/authorizations";
    assert.deepEqual(idsOf(await test.admin("GET", `${list}?cooperativeApproachId=CA0003`)), ["OTHER"]);
    assert.deepEqual(idsOf(await test.admin("GET", list)), [
      "ZMB-2025-001",
      "UNDER 64",
      "EARLIER",
      "UNDER 62",
      "NDC only",
      "VERSIONED",
      "OTHER",
    ]);
    assert.equal((await test.admin("GET", `${list}?cooperativeApproachId=CA9999`)).status, 404);
  });
});
