import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  householdDids,
  implementerDid,
  otherImplementerDid,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../test/support/campaigns.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  rulesOf,
} from "../../../test/support/registry.ts";
import type { CampaignResponse, CampaignSummary } from "./schemas.ts";

describe("KPT campaigns", () => {
  let test: RegistryTest;
  let admin: Caller;
  before(async () => {
    test = await openRegistryTest();
    admin = test.admin;
    await registerPlans(test);
  });
  after(() => test.close());

  it("commits both frames, then draws a sample of each by a later block", async () => {
    const emissions = { fuel: "wood", units: 1000, usage: 0.92 };
    const body = await registerFrames(admin, exampleCampaign({ emissions }));
    const committed = await admin("POST", "/campaigns", body);
    assert.equal(committed.status, 201, JSON.stringify(committed.body));
    const before = committed.body as CampaignResponse;
    assert.equal(before.status, "committed");
    assert.deepEqual(before.groups.reference.sample, []);
    assert.equal(before.commit.drawBlock, null);
    assert.deepEqual(before.confidence, { level: 0.9, precision: 0.1, convention: "two-sided-90" });
    assert.deepEqual(before.emissions, { fuel: "wood", units: 1000, usage: 0.92 });

    const drawn = await admin("POST", `/campaigns/${body.campaignId}/draw`);
    assert.equal(drawn.status, 200, JSON.stringify(drawn.body));
    const { status, commit, draw, groups } = drawn.body as CampaignResponse;
    assert.equal(status, "drawn");
    assert.equal(draw?.blockNumber, commit.drawBlock);
    assert.ok(draw && draw.blockNumber > before.commit.blockNumber);
    for (const group of ["reference", "intervention"] as const) {
      const { frame } = body.groups[group];
      const { sample, frameSize } = groups[group];
      assert.equal(frameSize, frame.length);
      assert.equal(new Set(sample).size, body.sampleSize);
      assert.ok(sample.every((did) => frame.includes(did)));
    }
    const read = await admin("GET", `/campaigns/${body.campaignId}`);
    assert.deepEqual(read.body, drawn.body);
  });

  it("names every rule that a campaign breaks", async () => {
    const [a, b] = householdDids("broken", 2) as [string, string];
    const answer = await admin(
      "POST",
      "/campaigns",
      exampleCampaign({
        planId: "PLAN-NONE",
        testPeriod: { startDate: "2024-02-01", endDate: "2024-02-02", durationDays: 5 },
        groups: { reference: { frame: [a, a] }, intervention: { frame: [b, a] } },
        sampleSize: 2,
      }),
    );
    assert.equal(answer.status, 400);
    assert.deepEqual(rulesOf(answer), [
      "duration-matches-period",
      "groups-disjoint",
      "household-registered",
      "household-registered",
      "households-distinct",
      "period-spans-three-days",
      "plan-registered",
      "sample-within-frame",
    ]);
    const testPeriod = { startDate: "2024-02-04", endDate: "2024-02-01" };
    assert.deepEqual(
      rulesOf(await admin("POST", "/campaigns", await registerFrames(admin, exampleCampaign({ testPeriod })))),
      ["dates-ordered"],
    );
  });

  it("fixes as many days of each claim as the period has at most", async () => {
    const commit = async (days: number, more = {}) =>
      admin("POST", "/campaigns", await registerFrames(admin, exampleCampaign({ days, ...more })));
    assert.deepEqual(rulesOf(await commit(5)), ["days-in-period", "days-in-period"]);
    assert.deepEqual(rulesOf(await commit(4, { logConvention: "interval" })), ["days-in-period", "days-in-period"]);
    assert.equal((await commit(2)).status, 400);
    const committed = requireStatus(await commit(4), 201).body as CampaignResponse;
    assert.equal(committed.days, 4);
    const path = `/campaigns/${committed.campaignId}/amendments`;
    const refused = await admin("POST", path, { days: 5, reason: "longer" });
    assert.deepEqual(rulesOf(refused), ["days-in-period", "days-in-period"]);
    const amended = requireStatus(await admin("POST", path, { days: 3, reason: "shorter" }), 201);
    assert.equal((amended.body as CampaignResponse).days, 3);
    const open = requireStatus(await admin("POST", "/campaigns", await registerFrames(admin, exampleCampaign())), 201);
    assert.equal((open.body as CampaignResponse).days, null);
  });

  it("names every household of a frame that is not registered, each at its place", async () => {
    const { reference, intervention } = exampleCampaign().groups;
    await registerHouseholds(admin, [...reference.frame, ...intervention.frame]);
    const [unknown, alsoUnknown] = householdDids("unknown", 2) as [string, string];
    const groups = {
      reference: { frame: [unknown, ...reference.frame] },
      intervention: { frame: [...intervention.frame, alsoUnknown] },
    };
    const { status, body } = await admin("POST", "/campaigns", exampleCampaign({ groups }));
    assert.deepEqual(
      [status, (body as { details: unknown[] }).details],
      [
        400,
        [
          {
            path: "groups.reference.frame.0",
            rule: "household-registered",
            message: `Household ${unknown} is not registered.`,
          },
          {
            path: "groups.intervention.frame.12",
            rule: "household-registered",
            message: `Household ${alsoUnknown} is not registered.`,
          },
        ],
      ],
    );
  });

  it("lists a thousand broken rules and counts the rest", async () => {
    const named = ["did:ixo:household/again", ...householdDids("some", 5)];
    await registerHouseholds(admin, named);
    const groups = {
      reference: { frame: new Array<string>(1_202).fill("did:ixo:household/again") },
      intervention: { frame: householdDids("some", 5) },
    };
    const { status, body } = await admin("POST", "/campaigns", exampleCampaign({ groups, sampleSize: 1 }));
    const { details } = body as { details: { rule: string; message: string }[] };
    assert.deepEqual([status, details.length], [400, 1_001]);
    assert.deepEqual(details.at(-1), { rule: "more", message: "201 more broken rules are not listed." });
  });

  it("refuses a body whose fields are not those of a campaign", async () => {
    const { status, body } = await admin("POST", "/campaigns", {
      campaignId: "sample-size",
      groups: { reference: { frame: [] }, intervention: { frame: ["household 1"] } },
      confidence: { level: 0.95, precision: 0 },
      colour: "red",
    });
    assert.equal(status, 400);
    const paths = (body as { details: { path: string }[] }).details.map(({ path }) => path);
    for (const path of [
      "campaignId",
      "planId",
      "testPeriod",
      "groups.reference.frame",
      "groups.intervention.frame.0",
      "confidence.level",
      "confidence.precision",
      "colour",
    ]) {
      assert.ok(paths.includes(path), `${path} in ${paths.join(", ")}`);
    }
  });

  it("proposes the sample where none is given", async () => {
    const { sampleSize: _, ...body } = await registerFrames(admin, exampleCampaign({}, 80));
    const committed = (await admin("POST", "/campaigns", body)).body as CampaignResponse;
    const proposed = await admin(
      "GET",
      "/campaigns/sample-size?population=80&coefficientOfVariation=0.5&precision=0.1",
    );
    assert.equal((proposed.body as { sampleSize: number }).sampleSize, 37);
    assert.equal(committed.sampleSize, 37);
    for (const query of ["population=0", "population=10&precision=0", "population=10&precision=2", "precision=0.1"]) {
      assert.equal((await admin("GET", `/campaigns/sample-size?${query}`)).status, 400, query);
    }
  });

  it("takes a campaignId once, also when two commits arrive together", async () => {
    const body = await registerFrames(admin, exampleCampaign());
    const other = { ...(await registerFrames(admin, exampleCampaign())), campaignId: body.campaignId };
    const answers = await Promise.all([admin("POST", "/campaigns", body), admin("POST", "/campaigns", other)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], JSON.stringify(answers));
    const again = await admin("POST", "/campaigns", body);
    assert.equal(again.status, 409);
    assert.deepEqual(rulesOf(again), ["not-registered-before"]);
  });

  it("draws once, also when two draws arrive together", async () => {
    const body = await registerFrames(admin, exampleCampaign());
    await admin("POST", "/campaigns", body);
    const path = `/campaigns/${body.campaignId}/draw`;
    const answers = await Promise.all([admin("POST", path), admin("POST", path)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409], JSON.stringify(answers));
    assert.equal((await admin("POST", path)).status, 409);
  });

  it("answers a repeated Idempotency-Key with what the first attempt did", async () => {
    const body = await registerFrames(admin, exampleCampaign());
    const key = (name: string) => ({ "Idempotency-Key": `${name}-${body.campaignId}` });
    const first = await admin("POST", "/campaigns", body, key("commit"));
    const second = await admin("POST", "/campaigns", body, key("commit"));
    assert.deepEqual([second.status, second.body], [201, first.body]);
    const path = `/campaigns/${body.campaignId}/draw`;
    const drawn = await admin("POST", path, undefined, key("draw"));
    const drawnAgain = await admin("POST", path, undefined, key("draw"));
    assert.deepEqual([drawnAgain.status, drawnAgain.body], [200, drawn.body]);
  });

  it("shows a campaign to its implementer and hides it from another", async () => {
    const own = await test.as("implementer", { implementerDid });
    const other = await test.as("implementer", { implementerDid: otherImplementerDid });
    const evaluator = await test.as("evaluator");
    const body = await registerFrames(admin, exampleCampaign());
    assert.equal((await other("POST", "/campaigns", body)).status, 403);
    assert.equal((await evaluator("POST", "/campaigns", body)).status, 403);
    assert.equal((await own("POST", "/campaigns", body)).status, 201);
    const path = `/campaigns/${body.campaignId}`;
    assert.equal((await own("GET", path)).status, 200);
    assert.equal((await evaluator("GET", path)).status, 200);
    assert.equal((await evaluator("POST", `${path}/draw`)).status, 403);
    const householdId = body.groups.reference.frame[0];
    const replacement = { group: "reference", householdId, reason: "moved", evidence: "https://x.example/door.jpg" };
    for (const answer of [
      await other("GET", path),
      await other("POST", `${path}/draw`),
      await other("POST", `${path}/replacements`, replacement),
    ]) {
      assert.equal(answer.status, 404);
    }
    const ids = async (call: Caller) =>
      ((await call("GET", "/campaigns?limit=500")).body as { items: CampaignSummary[] }).items.map(
        ({ campaignId }) => campaignId,
      );
    assert.ok((await ids(own)).includes(body.campaignId));
    assert.deepEqual(await ids(other), []);
    assert.ok((await ids(evaluator)).includes(body.campaignId));
    assert.equal((await own("POST", `${path}/draw`)).status, 200);
  });

  it("can belong to the scheme's default plan, which has no implementer", async () => {
    const own = await test.as("implementer", { implementerDid });
    const body = await registerFrames(admin, exampleCampaign({ planId: "default" }));
    assert.equal((await own("POST", "/campaigns", body)).status, 403);
    const drawn = await drawnCampaign(await test.as("regulator"), body);
    assert.deepEqual([drawn.planId, drawn.implementerDid, drawn.status], ["default", null, "drawn"]);
    assert.equal((await own("GET", `/campaigns/${body.campaignId}`)).status, 404);
  });

  it("lets an integrator see and draw what its scopes and DIDs name", async () => {
    const scopes = ["campaigns:write"];
    const may = await test.as("integrator", { scopes, dids: [implementerDid] });
    const mayNot = await test.as("integrator", { scopes, dids: [otherImplementerDid] });
    const reader = await test.as("integrator", { scopes: ["campaigns:read"] });
    const body = await registerFrames(admin, exampleCampaign());
    assert.equal((await mayNot("POST", "/campaigns", body)).status, 403);
    assert.equal((await reader("POST", "/campaigns", body)).status, 403);
    assert.equal((await may("POST", "/campaigns", body)).status, 201);
    const path = `/campaigns/${body.campaignId}`;
    assert.deepEqual(
      [(await may("GET", path)).status, (await mayNot("GET", path)).status, (await reader("GET", path)).status],
      [200, 404, 200],
    );
    assert.equal((await reader("POST", `${path}/draw`)).status, 403);
  });

  it("lists by pages, and by implementer", async () => {
    await drawnCampaign(admin);
    type Page = { items: CampaignSummary[]; nextCursor: string | null };
    const first = (await admin("GET", "/campaigns?limit=1")).body as Page;
    const second = (await admin("GET", `/campaigns?limit=1&cursor=${first.nextCursor}`)).body as Page;
    assert.deepEqual([first.items[0]?.index, second.items[0]?.index], [1, 2]);
    const of = (did: string) => admin("GET", `/campaigns?implementerDid=${encodeURIComponent(did)}`);
    assert.deepEqual(((await of(otherImplementerDid)).body as Page).items, []);
    assert.ok(((await of(implementerDid)).body as Page).items.length > 1);
    assert.equal((await of("did:ixo:implementer/nobody")).status, 404);
    assert.equal((await admin("GET", "/campaigns/KPT-NONE")).status, 404);
  });
});
