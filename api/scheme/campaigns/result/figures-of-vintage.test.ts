import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exampleCampaign, registerFrames } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { requireStatus, rulesOf } from "../../../../test/support/registry.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { CampaignResultResponse } from "./schemas.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

type Figure = { kind: string; key: string; value: number; validFrom: string; validTo?: string };
async function record(figure: Figure): Promise<string> {
  const answer = await scene.regulator("POST", "/parameters", { ...figure, source: "a new study" });
  return (requireStatus(answer, 201).body as { parameterId: string }).parameterId;
}

async function commit(emissions: object, testPeriod = { startDate: "2024-12-01", endDate: "2024-12-04" }) {
  const terms = { ...certifiableTerms, units: 3, newUnits: 3, usageSurvey: { surveyed: 100, inUse: 92 }, ...emissions };
  const body = exampleCampaign({ planId: "PLAN-STATED", sampleSize: 3, emissions: terms, testPeriod }, 3);
  return scene.implementer("POST", "/campaigns", await registerFrames(scene.registry.admin, body));
}
const parametersOf = (answer: Awaited<ReturnType<typeof commit>>) =>
  (requireStatus(answer, 201).body as CampaignResponse).emissions?.parameters ?? [];
const refusalOf = async (answer: ReturnType<typeof commit>) => [(await answer).status, rulesOf(await answer)];

test("takes the figure that is valid in the year of the vintage, not the older one that was valid in the test", async () => {
  const next = await record({ kind: "fnrb", key: "ZMB", value: 0.1, validFrom: "2025-01-01" });
  assert.ok(parametersOf(await commit({ vintage: 2025 })).includes(next));
  assert.ok(!parametersOf(await commit({ vintage: 2024 })).includes(next));
  assert.ok(!parametersOf(await commit({})).includes(next));
  // PRM-1 is the default fNRB of Zambia, which has no end.
  assert.deepEqual(await refusalOf(commit({ vintage: 2025, parameters: ["PRM-1"] })), [400, ["parameter-newest"]]);
  assert.deepEqual(await refusalOf(commit({ vintage: 2025, fnrb: 0.3 })), [400, ["fnrb-within-default"]]);
  assert.deepEqual(await refusalOf(commit({ parameters: [next] })), [400, ["parameter-valid"]]);
});

test("refuses a figure that ends or begins within the year of a stated vintage, also one that no request names", async () => {
  const ended = { kind: "ef-nonco2", key: "charcoal", value: 4, validFrom: "2024-01-01", validTo: "2024-12-31" };
  const own = await record(ended);
  assert.ok(parametersOf(await commit({ vintage: 2024, fuel: "charcoal" })).includes(own));
  // Of 2025 it says nothing: the published default counts, which has no end.
  assert.ok(!parametersOf(await commit({ vintage: 2025, fuel: "charcoal" })).includes(own));
  const named = commit({ vintage: 2025, fuel: "charcoal", parameters: [own] });
  assert.deepEqual(await refusalOf(named), [400, ["parameter-valid"]]);
  const late = await record({ kind: "ef-nonco2", key: "dung", value: 4, validFrom: "2024-07-01" });
  const { details } = (await commit({ vintage: 2024 })).body as { details: { path: string; rule: string }[] };
  assert.deepEqual(
    details.map(({ path, rule }) => [path, rule]),
    [["emissions.vintage", "parameter-valid"]],
  );
  assert.deepEqual(await refusalOf(commit({ vintage: 2024, parameters: [late] })), [400, ["parameter-valid"]]);
  assert.ok(
    parametersOf(await commit({})).includes(late),
    "without a stated vintage it is accepted, and not certifiable",
  );
  await record({ kind: "ef-nonco2", key: "dung", value: 4, validFrom: "2024-01-01" });
  requireStatus(await commit({ vintage: 2024 }), 201);
});

test("certifies no result of a figure that is not valid in the whole year", async () => {
  const part = { kind: "ncv", key: "wood", value: 0.015, validFrom: "2024-02-01", validTo: "2024-06-30" };
  const id = await record(part);
  const { campaignId } = await scene.verifiedCampaign();
  const path = `/campaigns/${campaignId}/certifiability`;
  const shown = requireStatus(await scene.regulator("GET", path), 200).body as {
    er: number | null;
    problems: { rule: string; message: string }[];
  };
  assert.deepEqual([shown.er, shown.problems.map(({ rule }) => rule)], [null, ["parameter-valid-in-vintage"]]);
  assert.match(shown.problems[0]?.message ?? "", new RegExp(`^${id} \\(ncv of wood\\) is not valid .* to 2024-12-31`));
  const { emissions } = requireStatus(await scene.regulator("GET", `/campaigns/${campaignId}/result`), 200)
    .body as CampaignResultResponse;
  assert.notEqual(emissions.reductions[0]?.er, null, "the result is shown");
  const underlyingUnits = { registry: "Gold Standard", firstSerial: 1, lastSerial: 100 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
  const refused = await scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["parameter-valid-in-vintage"]]);
});
