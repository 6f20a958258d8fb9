import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exampleCampaign, implementerDid, planId, registerFrames } from "../../../../../test/support/campaigns.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../../../../test/support/closed-campaign.ts";
import { requireStatus, rulesOf } from "../../../../../test/support/registry.ts";
import type { CampaignResultResponse, CertifiabilityResponse } from "../schemas.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

/** Register a plan of the same implementer. */
async function newPlan(id: string) {
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  const body = { planId: id, implementerDid, period, regions: [id] };
  requireStatus(await scene.registry.admin("POST", "/monitoring-plans", body), 201);
  return { planId: id, implementer: scene.implementer };
}

/** Record the area or the fuel of a plan. */
async function record(key: string, given: Record<string, string>) {
  const usual = { key, source: "Approval of the plan", validFrom: "2024-01-01" };
  return scene.regulator("POST", "/parameters", { ...usual, ...given });
}

const resultOf = async (campaignId: string) =>
  requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200).body as CampaignResultResponse;
const flagsOf = async (campaignId: string) =>
  (await resultOf(campaignId)).flags.filter(({ rule }) => rule === "area-stated" || rule === "gwp-stated");
const problemsOf = async (campaignId: string) =>
  (
    requireStatus(await scene.regulator("GET", `/campaigns/${campaignId}/certifiability`), 200)
      .body as CertifiabilityResponse
  ).problems.map(({ path, rule }) => `${path} ${rule}`);

test("flags an area, a fuel and warming potentials that only the terms state, and certifies them", async () => {
  const plan = await newPlan("PLAN-UNRECORDED");
  const { campaignId } = await scene.verifiedCampaign({ plan, emissions: { ...certifiableTerms, gwp: "AR6" } });
  assert.deepEqual(
    (await flagsOf(campaignId)).map(({ group, rule, message }) => [group, rule, message]),
    [
      [
        "intervention",
        "area-stated",
        "The terms state area ZMB and fuel wood, which the regulator has not recorded for the plan.",
      ],
      [
        "intervention",
        "gwp-stated",
        "The terms state the warming potentials of AR6, which no record here supports. Without a term they are those of AR5.",
      ],
    ],
  );
  assert.deepEqual(await problemsOf(campaignId), []);
});

test("flags neither where the regulator recorded both for the plan", async () => {
  const plan = await newPlan("PLAN-RECORDED");
  requireStatus(await record(plan.planId, { kind: "plan-area", choice: "ZMB" }), 201);
  requireStatus(await record(plan.planId, { kind: "plan-fuel", choice: "wood" }), 201);
  const { campaignId } = await scene.verifiedCampaign({ plan, emissions: { ...certifiableTerms, gwp: "AR5" } });
  assert.deepEqual(await flagsOf(campaignId), []);
  assert.deepEqual(await problemsOf(campaignId), []);
});

test("refuses terms that contradict what is recorded for the plan, when they are committed and when they are amended", async () => {
  const { planId: own } = await newPlan("PLAN-MALAWI");
  requireStatus(await record(own, { kind: "plan-area", choice: "MWI" }), 201);
  requireStatus(await record(own, { kind: "plan-fuel", choice: "charcoal" }), 201);
  const emissions = { ...certifiableTerms, units: 3, newUnits: 3, usage: 0.9 };
  const frames = await registerFrames(scene.registry.admin, exampleCampaign());
  const body = { ...frames, planId: own, emissions };
  const refused = await scene.implementer("POST", "/campaigns", body);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["area-of-plan", "fuel-of-plan"]]);
  const changed = { ...body, emissions: { ...emissions, area: "MWI", fuel: "charcoal" } };
  requireStatus(await scene.implementer("POST", "/campaigns", changed), 201);
  const amended = await scene.implementer("POST", `/campaigns/${body.campaignId}/amendments`, {
    reason: "another country",
    emissions: { ...emissions, area: "KEN", fuel: "charcoal" },
  });
  assert.deepEqual([amended.status, rulesOf(amended)], [400, ["area-of-plan"]]);
});

test("certifies no result whose terms contradict what the regulator recorded later", async () => {
  const plan = await newPlan("PLAN-LATER");
  const { campaignId } = await scene.openCampaign({ plan });
  assert.ok(!(await problemsOf(campaignId)).some((each) => each.endsWith("-of-plan")));
  requireStatus(await record(plan.planId, { kind: "plan-area", choice: "MWI" }), 201);
  assert.ok((await problemsOf(campaignId)).includes("emissions.area area-of-plan"));
  const closed = await scene.verifiedCampaign({ plan: await newPlan("PLAN-CLOSED") });
  assert.deepEqual(await problemsOf(closed.campaignId), []);
  requireStatus(await record("PLAN-CLOSED", { kind: "plan-fuel", choice: "charcoal" }), 201);
  assert.deepEqual(await problemsOf(closed.campaignId), ["emissions.fuel fuel-of-plan"]);
});

test("counts only a record that is valid in the whole test period, and the newest of them", async () => {
  const plan = await newPlan("PLAN-VALIDITY");
  requireStatus(await record(plan.planId, { kind: "plan-area", choice: "ZMB" }), 201);
  requireStatus(await record(plan.planId, { kind: "plan-area", choice: "KEN", validFrom: "2024-02-02" }), 201);
  const { campaignId } = await scene.openCampaign({ plan });
  assert.match((await flagsOf(campaignId))[0]?.message ?? "", /^The terms state fuel wood, which/);
  assert.ok(!(await problemsOf(campaignId)).some((each) => each.endsWith("-of-plan")));
});

test("records an area and a fuel that a campaign may state, for a plan's id", async () => {
  const rules = async (given: Record<string, string>) => rulesOf(await record(planId, given));
  assert.deepEqual(await rules({ kind: "plan-area", choice: "ZAF" }), ["choice-known"]);
  assert.deepEqual(await rules({ kind: "plan-fuel", choice: "electricity" }), ["choice-known"]);
  const { body } = await record("default", { kind: "plan-fuel", choice: "lpg" });
  assert.partialDeepStrictEqual(body, { kind: "plan-fuel", key: "default", choice: "lpg" });
});
