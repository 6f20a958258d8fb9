import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ClosedScene, openClosedScene } from "../../../../../test/support/closed-campaign.ts";
import { requireStatus, rulesOf } from "../../../../../test/support/registry.ts";
import type { CampaignResultResponse } from "../schemas.ts";
import { beforeDrawFlags, beforeDrawOf } from "./before-draw.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

async function flagsOf(campaignId: string) {
  const { body } = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200);
  return (body as CampaignResultResponse).flags.filter(({ rule }) => rule.endsWith("before-draw"));
}

let serial = 6_000_000;
async function certificateAnswer(campaignId: string) {
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
  return scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
}

const setOrder = async (choice: string) => {
  const record = { kind: "measurement-order", key: "campaigns", choice, source: "Decision 1", validFrom: "2024-01-01" };
  return requireStatus(await scene.regulator("POST", "/parameters", record), 201);
};

test("flags a campaign that was measured before its draw, and certifies it until the regulator requires the draw first", async () => {
  const { campaignId } = await scene.verifiedCampaign();
  const flags = await flagsOf(campaignId);
  assert.deepEqual(
    flags.map(({ group, rule, positions }) => ({ group, rule, positions })),
    [
      { group: "reference", rule: "measured-before-draw", positions: [] },
      { group: "intervention", rule: "measured-before-draw", positions: [] },
      { group: "intervention", rule: "surveyed-before-draw", positions: [] },
    ],
  );
  assert.match(
    flags[0]?.message ?? "",
    /^3 of 3 measured reference households were measured before the day of the draw, 20\d\d-\d\d-\d\d\.$/,
  );
  await setOrder("after-draw");
  const shown = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/certifiability`), 200);
  const { er, problems } = shown.body as { er: number | null; problems: { rule: string; message: string }[] };
  assert.deepEqual([er, problems.map(({ rule }) => rule)], [null, ["measured-after-draw"]]);
  assert.match(
    problems[0]?.message ?? "",
    /^3 reference households, 3 intervention households, 3 devices of the usage survey were measured before/,
  );
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["measured-after-draw"]]);
  await setOrder("any");
  assert.equal((await certificateAnswer(campaignId)).status, 201);
});

test("says of a campaign that is still open what it measured before its draw", async () => {
  await setOrder("after-draw");
  const { campaignId } = await scene.openCampaign();
  assert.deepEqual(
    (await flagsOf(campaignId)).map(({ group, rule }) => `${group} ${rule}`),
    ["reference measured-before-draw", "intervention measured-before-draw"],
  );
  const shown = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/certifiability`), 200);
  const { problems } = shown.body as { problems: { rule: string }[] };
  assert.ok(problems.some(({ rule }) => rule === "measured-after-draw"));
  await setOrder("any");
});

test("takes the order of draw and measurement only as any or after-draw, of campaigns", async () => {
  const record = { kind: "measurement-order", key: "campaigns", source: "Decision 1", validFrom: "2024-01-01" };
  const sent = async (change: object) => {
    const answer = await scene.regulator("POST", "/parameters", { ...record, ...change });
    return [answer.status, ...rulesOf(answer)];
  };
  assert.deepEqual(await sent({ choice: "never" }), [400, "choice-known"]);
  assert.deepEqual(await sent({ choice: "any", key: "devices" }), [400, "key-known"]);
});

test("compares the first day of a claim and the day of a visit with the day of the draw in UTC", () => {
  const drawnAt = Date.parse("2026-03-02T00:00:00Z") / 1_000;
  const claim = { group: "reference" as const, position: 4, startDate: "2026-03-01" };
  const found = beforeDrawOf(drawnAt, {
    claims: [
      claim,
      { ...claim, position: 2 },
      { ...claim, position: 2 },
      { ...claim, position: 3, startDate: "2026-03-02" },
      { ...claim, group: "intervention", startDate: "2026-03-05" },
    ],
    visits: [
      { position: 1, surveyedOn: "2026-03-02" },
      { position: 0, surveyedOn: "2026-03-01" },
      { position: 2, surveyedOn: null },
    ],
  });
  assert.deepEqual(found, { drawnOn: "2026-03-02", reference: [2, 4], intervention: [], surveyed: [0] });
  const measured = { reference: [{ position: 2 }, { position: 3 }, { position: 4 }], intervention: [{ position: 4 }] };
  assert.deepEqual(
    beforeDrawFlags(found, measured).map(({ group, rule, positions }) => [group, rule, ...positions]),
    [
      ["reference", "measured-before-draw", 2, 4],
      ["intervention", "surveyed-before-draw"],
    ],
  );
  assert.deepEqual(beforeDrawFlags({ ...found, reference: [], surveyed: [] }, measured), []);
});
