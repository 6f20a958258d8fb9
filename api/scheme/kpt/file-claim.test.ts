import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exampleClaim, holdCampaign, made, openKptTest, referenceClaim } from "../../../test/support/kpt.ts";
import { type Answer, type RegistryTest, rulesOf } from "../../../test/support/registry.ts";
import { decodeKptClaimId, partsOfKptClaim } from "../../../wire/src/ids.ts";
import type { KptClaim } from "./schemas.ts";

let api: RegistryTest;
before(async () => {
  api = await openKptTest();
});
after(() => api.close());

const file = (body: unknown, headers?: Record<string, string>) => api.admin("POST", "/claims", body, headers);
const claimOf = ({ status, body }: Answer, expected = 201): KptClaim => {
  assert.equal(status, expected, JSON.stringify(body));
  return body as KptClaim;
};

/** Open a separate campaign for a test: households `<name>-r<i>` and `<name>-i<i>`, all in the sample. */
async function campaign(name: string, size = 1, more: Record<string, unknown> = {}) {
  const households = (group: string) =>
    Array.from({ length: size }, (_, i) => `did:ixo:household/${name}-${group}${i}`);
  const frames = { campaignId: name, reference: households("r"), intervention: households("i") };
  await holdCampaign(api.admin, frames, more);
  const of = (group: "reference" | "intervention", i = 0) => ({ testGroup: group, householdId: frames[group][i] });
  return { ...frames, of };
}

test("an intervention claim is refused until the control group has a claim, then the published example is verified", async () => {
  const early = await file(exampleClaim());
  assert.equal(early.status, 400);
  assert.deepEqual(rulesOf(early), ["control-group-present"]);
  claimOf(await file(referenceClaim()));
  const text = JSON.stringify(exampleClaim()).replace("3,2.9", "3.0,2.9");
  const claim = claimOf(await file(text, { "content-type": "application/x-www-form-urlencoded" }));
  assert.match(claim.id, /^KPT-/);
  assert.equal(claim.type, "KPTClaim");
  assert.equal(claim.status, "verified");
  assert.equal(claim.campaignId, "KPT-1");
  assert.equal(claim.testGroup, "intervention");
  assert.equal(claim.credential.type, "KPTCredential");
  assert.equal(claim.credential.issuer, api.deps.credentials.issuer);
  assert.match(claim.credential.evidence[0] ?? "", /^ipfs:\/\/bafk/);
  assert.match(claim.credential.jwt, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const decoded = decodeKptClaimId(claim.id);
  assert.ok(decoded.ok);
  assert.deepEqual(partsOfKptClaim(decoded.id), { campaign: 1, group: "intervention", position: 0, number: 1 });
  assert.deepEqual(await api.deps.chain.read("campaigns", "recordOf", [decoded.id]), [true, false]);
  const [event] = await api.deps.chain.past("campaigns", "KptClaimRecorded", { claim: decoded.id });
  assert.equal(event?.args.claimHash, claim.claimHash);
  assert.deepEqual(claimOf(await api.admin("GET", `/claims/${claim.id}`), 200), claim);
});

test("the same fuel for the same days cannot be written in more or fewer logs, in either group", async () => {
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-03" };
  const three = { testPeriod, fuelMeasurements: { total: 18, dailyLogs: [6, 6, 6] } };
  const four = { testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04" } };
  const daily = await campaign("PER-DAY", 2);
  const split = { ...four, fuelMeasurements: { total: 18, dailyLogs: [6, 6, 5.9, 0.1] } };
  claimOf(await file(referenceClaim({ ...daily.of("reference"), ...three })));
  claimOf(await file(referenceClaim({ ...daily.of("reference", 1), ...split })));
  const joined = { ...four, fuelMeasurements: three.fuelMeasurements };
  for (const group of ["reference", "intervention"] as const) {
    const refused = await file(
      exampleClaim({
        ...daily.of(group, 1),
        ...joined,
        testPeriod: { startDate: "2024-02-05", endDate: "2024-02-08" },
      }),
    );
    assert.equal(refused.status, 400);
    assert.deepEqual(
      rulesOf(refused).filter((rule) => rule === "daily-span"),
      ["daily-span"],
    );
  }
  const perInterval = await campaign("PER-INTERVAL", 1, { logConvention: "interval" });
  const refused = await file(referenceClaim({ ...perInterval.of("reference"), ...split }));
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["daily-span"]]);
  claimOf(await file(referenceClaim({ ...perInterval.of("reference"), ...joined })));
});

test("a claim without a type is a delivery claim, and an unknown type is refused", async () => {
  const delivery = { redemptionId: "REDM-00000000010000000001Q", verifiableCredential: { type: "X", proof: "x" } };
  assert.equal((await file(delivery)).status, 404);
  const other = await file({ ...exampleClaim(), type: "SomeClaim" });
  assert.equal(other.status, 400);
  assert.deepEqual(
    (other.body as { details: { path: string }[] }).details.map(({ path }) => path),
    ["type"],
  );
});

test("every broken rule is named in one answer", async () => {
  const { of, campaignId } = await campaign("ALL-RULES");
  const bad = {
    ...exampleClaim(of("intervention")),
    campaignId,
    testPeriod: { startDate: "2023-02-01", endDate: "2023-02-02" },
    fuelMeasurements: { total: 1, dailyLogs: [0] },
    externalFactors: {},
    householdId: "did:ixo:household/unknown",
  };
  const answer = await file(bad);
  assert.equal(answer.status, 400);
  assert.deepEqual(
    [...new Set(rulesOf(answer))],
    [
      "control-group-present",
      "daily-span",
      "factors-documented",
      "positive-values",
      "random-selection-verified",
      "timing-aligned",
      "total-equals-sum",
    ],
  );
});

test("every broken rule is named also when the claim names no campaign and no open sample has its household", async () => {
  const outside = {
    ...exampleClaim({ householdId: "did:ixo:household/unknown" }),
    testPeriod: { startDate: "2019-02-01", endDate: "2019-02-04", durationDays: 9 },
    fuelMeasurements: { total: 1, dailyLogs: [1, 1, 1, 0] },
  };
  const answer = await file(outside);
  assert.deepEqual(
    [answer.status, [...new Set(rulesOf(answer))]],
    [400, ["daily-span", "positive-values", "random-selection-verified", "timing-aligned", "total-equals-sum"]],
  );
  const { details } = answer.body as { details: { rule: string; message: string }[] };
  const messages = details.filter(({ rule }) => /selection|timing/.test(rule)).map(({ message }) => message);
  assert.deepEqual(messages, [
    "did:ixo:household/unknown is in no drawn sample of an open campaign.",
    "The period is outside the period of every open campaign.",
    "The period shares no day with the periods of the reference group.",
  ]);
  const { testPeriod: _, ...undated } = exampleClaim({ householdId: "did:ixo:household/unknown" });
  assert.deepEqual(rulesOf(await file(undated)), ["random-selection-verified"]);
});

test("a wrong duration hides neither the household nor the period of a claim", async () => {
  const { campaignId } = await campaign("WRONG-DURATION");
  const testPeriod = { startDate: "2019-02-01", endDate: "2019-02-04", durationDays: 9 };
  const claim = referenceClaim({ campaignId, testPeriod, householdId: "did:ixo:household/unknown" });
  assert.deepEqual(rulesOf(await file(claim)), ["daily-span", "random-selection-verified", "timing-aligned"]);
});

test("an unknown campaign is 404, and a household in no sample is not selected at random", async () => {
  assert.equal((await file(exampleClaim({ campaignId: "NOWHERE" }))).status, 404);
  const stranger = await file(exampleClaim({ householdId: "did:ixo:household/999" }));
  assert.deepEqual([stranger.status, rulesOf(stranger)], [400, ["random-selection-verified"]]);
});

test("before the draw nobody is in the sample", async () => {
  const { of, campaignId } = await campaign("UNDRAWN", 1, { draw: false });
  const answer = await file(exampleClaim({ ...of("reference"), campaignId }));
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["random-selection-verified"]]);
});

test("season and factors of the campaign count for its claims, and its period for a claim without one", async () => {
  const externalFactors = { culturalEvents: ["none"], occupationalFactors: [] };
  const testPeriod = { startDate: "2024-04-01", endDate: "2024-04-04" };
  const { of } = await campaign("OWN-FACTORS", 1, { season: "wet", externalFactors, testPeriod });
  const { testPeriod: _, externalFactors: __, ...bare } = exampleClaim(of("reference"));
  const claim = claimOf(await file(bare));
  assert.deepEqual(claim.testPeriod, testPeriod);
});

test("the same claim again conflicts with the first, other data or another group with its period", async () => {
  const { of } = await campaign("CONFLICTS");
  const first = claimOf(await file(referenceClaim(of("reference"))));
  const refused = async (changes: Record<string, unknown>) => {
    const answer = await file(referenceClaim({ ...of("reference"), ...changes }));
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.match((answer.body as { message: string }).message, new RegExp(first.id));
    return rulesOf(answer);
  };
  assert.deepEqual(await refused({}), ["same-claim"]);
  assert.deepEqual(await refused({ campaignId: "CONFLICTS" }), ["same-claim"]);
  const other = { total: 12, dailyLogs: [3, 3, 3, 3] };
  assert.deepEqual(await refused({ fuelMeasurements: other }), ["period-already-measured"]);
  assert.deepEqual(await refused({ testGroup: "intervention" }), ["period-already-measured"]);
  const touching = { startDate: "2024-02-04", endDate: "2024-02-07" };
  assert.deepEqual(await refused({ testPeriod: touching, fuelMeasurements: other }), ["period-already-measured"]);
  // The conflict is reported before the rules.
  assert.deepEqual(await refused({ fuelMeasurements: { total: 1, dailyLogs: [-1] } }), ["period-already-measured"]);
  const later = { testPeriod: { startDate: "2024-02-05", endDate: "2024-02-08" } };
  const second = claimOf(await file(referenceClaim({ ...of("reference"), ...later })));
  const decoded = decodeKptClaimId(second.id);
  assert.ok(decoded.ok && partsOfKptClaim(decoded.id).number === 2);
});

test("of twenty concurrent conflicting claims exactly one is verified", async () => {
  const { of } = await campaign("AT-ONCE");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const fuelMeasurements = { total: 4 + i, dailyLogs: [1, 1, 1, 1 + i] };
      return file(referenceClaim({ ...of("reference"), fuelMeasurements }));
    }),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
  const standing = await api.deps.campaigns.byId("AT-ONCE");
  assert.equal(standing?.claims.reference, 1);
});

test("twenty claims of one household for other days are all verified, numbered one by one", async () => {
  const { of } = await campaign("IN-A-ROW");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const day = (n: number) => new Date(Date.UTC(2024, 0, 15 + 3 * i + n)).toISOString().slice(0, 10);
      const body = {
        testPeriod: { startDate: day(0), endDate: day(2) },
        fuelMeasurements: { total: 3, dailyLogs: [1, 1, 1] },
      };
      return file(referenceClaim({ ...of("reference"), ...body }));
    }),
  );
  const filed = answers.filter(({ status }) => status === 201);
  for (const { status, body } of answers) assert.ok(status === 201 || status === 409, JSON.stringify(body));
  const numbers = filed.map((answer) => {
    const decoded = decodeKptClaimId(claimOf(answer).id);
    return decoded.ok ? partsOfKptClaim(decoded.id).number : 0;
  });
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    filed.map((_, i) => i + 1),
  );
  assert.equal(filed.length, 20);
});

test("a claim whose Idempotency-Key is known gets the first answer again; another body under it conflicts", async () => {
  const { of } = await campaign("KEYED");
  const key = { "idempotency-key": "claim-1" };
  const first = await file(referenceClaim(of("reference")), key);
  const again = await file(referenceClaim(of("reference")), key);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  const other = await file(referenceClaim({ ...of("reference"), campaignId: "KEYED" }), key);
  assert.equal(other.status, 409);
});

test("days that have not come are not measured, whether the claim or its campaign names them", async () => {
  const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
  const { of } = await campaign("AHEAD", 3, { testPeriod: { startDate: day(-5), endDate: day(20) } });
  const fuelMeasurements = { total: 3, dailyLogs: [1, 1, 1] };
  const claim = (i: number, first: number, last: number) =>
    referenceClaim({
      ...of("reference", i),
      fuelMeasurements,
      testPeriod: { startDate: day(first), endDate: day(last) },
    });
  for (const [first, last] of [
    [0, 2],
    [10, 12],
  ] as const) {
    const answer = await file(claim(0, first, last));
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["days-have-come"]]);
  }
  const { testPeriod: _, ...whole } = claim(1, 0, 2);
  assert.ok(rulesOf(await file(whole)).includes("days-have-come"));
  claimOf(await file(claim(2, -3, -1)));
});

test("a period that shares no day with the other group's is not aligned", async () => {
  const { of } = await campaign("ALIGNED", 2);
  claimOf(await file(referenceClaim(of("reference"))));
  const apart = { testPeriod: { startDate: "2024-02-05", endDate: "2024-02-08" } };
  const answer = await file(exampleClaim({ ...of("intervention"), ...apart }));
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["timing-aligned"]]);
  claimOf(
    await file(
      referenceClaim({ ...of("reference", 1), testPeriod: { startDate: "2024-02-08", endDate: "2024-02-11" } }),
    ),
  );
  claimOf(await file(exampleClaim({ ...of("intervention"), ...apart })));
});

test("claims of a campaign are listed by pages, by group and by status", async () => {
  const { of, campaignId } = await campaign("LISTED", 3);
  for (const i of [0, 1, 2]) claimOf(await file(referenceClaim(of("reference", i))));
  claimOf(await file(exampleClaim(of("intervention"))));
  const page = async (query: string) => await made(api.admin("GET", `/campaigns/${campaignId}/claims${query}`));
  const first = await page("?limit=3");
  assert.equal((first.items as unknown[]).length, 3);
  const rest = await page(`?limit=3&cursor=${String(first.nextCursor)}`);
  assert.deepEqual(
    [(rest.items as KptClaim[]).map(({ testGroup }) => testGroup), rest.nextCursor],
    [["intervention"], null],
  );
  assert.equal(((await page("?testGroup=intervention")).items as unknown[]).length, 1);
  assert.equal(((await page("?status=revoked")).items as unknown[]).length, 0);
  assert.equal((await api.admin("GET", "/campaigns/NOWHERE/claims")).status, 404);
});

test("the result is calculated from grams, logs and places of the valid claims", async () => {
  const { of, campaignId } = await campaign("COUNTED");
  const { id } = claimOf(await file(referenceClaim(of("reference"))));
  const row = await api.deps.campaigns.byId(campaignId);
  const period = { startDate: "2024-02-01", endDate: "2024-02-04" };
  assert.deepEqual(await api.deps.kpt.verifiedClaims(row?.campaign ?? 0), [
    { id, group: "reference", position: 0, ...period, totalGrams: 11_900n, logs: 4, fuels: null },
  ]);
});

test("daily logs are unencrypted neither in the database nor in the credential", async () => {
  const { of } = await campaign("PRIVATE");
  const fuelMeasurements = { total: 12.345, dailyLogs: [3.091, 3.083, 3.079, 3.092] };
  const claim = claimOf(await file(referenceClaim({ ...of("reference"), fuelMeasurements })));
  const row = await api.deps.kpt.store.byId(claim.id);
  const payload = Buffer.from(claim.credential.jwt.split(".")[1] ?? "", "base64url").toString();
  const text = JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value));
  // As a whole number: hashes may contain the same digits by chance.
  for (const log of ["3.091", "3091", "3.083", "3083"]) {
    assert.doesNotMatch(`${payload}${text}`, new RegExp(`(?<![\\w-])${log.replace(".", "\\.")}(?![\\w-])`));
  }
});

test("a claim whose block takes too long gets 202, and is found by its operation's result", async () => {
  const { of } = await campaign("SLOW");
  const { options } = api.deps.chain.outbox;
  const { txWaitMs } = options;
  options.txWaitMs = 0;
  await api.world.anvil.pauseMining();
  const answer = await file(referenceClaim(of("reference")));
  await api.world.anvil.resumeMining();
  options.txWaitMs = txWaitMs;
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const path = `/operations/${String((answer.body as { operationId: string }).operationId)}`;
  for (let tries = 0; tries < 100; tries++) {
    const operation = await made(api.admin("GET", path));
    const { id } = (operation.result ?? {}) as { id?: string };
    if (operation.status !== "succeeded") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    const claim = claimOf(await api.admin("GET", `/claims/${id}`), 200);
    assert.deepEqual([claim.status, claim.householdId], ["verified", of("reference").householdId]);
    return;
  }
  assert.fail("the operation did not end");
});
