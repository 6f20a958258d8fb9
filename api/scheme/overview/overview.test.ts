import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Indexer } from "../../../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../../../test/indexer/scheme-index.ts";
import { otherImplementerDid } from "../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../test/support/closed-campaign.ts";
import { type Caller, requireStatus, rulesOf } from "../../../test/support/registry.ts";
import type { Overview } from "./schemas.ts";

let scene: ClosedScene;
let indexer: Indexer;
before(async () => {
  scene = await openClosedScene();
  indexer = await startSchemeIndex(scene.registry);
});
after(async () => {
  await indexer?.stop();
  await scene?.close();
});

const overviewOf = async (call: Caller): Promise<Overview> =>
  requireStatus(await call("GET", "/overview"), 200).body as Overview;

test("shows how far each drawn campaign is, in total, by region and by day", async () => {
  const { campaignId, groups } = await scene.openCampaign({ sampleSize: 5, frameSize: 6 });
  const [, , , fourth, fifth] = groups.intervention.sample;
  const drop = {
    group: "intervention",
    reason: "moved",
    note: "to her sister",
    evidence: "https://x.example/door.jpg",
  };
  requireStatus(
    await scene.implementer("POST", `/campaigns/${campaignId}/replacements`, { ...drop, householdId: fourth }),
    201,
  );
  const missing = { ...drop, householdId: fifth, reason: "other", evidence: "https://x.example/letter.pdf" };
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/missing`, missing), 201);
  const { campaigns } = await overviewOf(scene.implementer);
  const shown = campaigns.find((each) => each.campaignId === campaignId);
  assert.partialDeepStrictEqual(shown, { drawn: 9, measured: 6, missing: 1 });
  for (const list of [shown?.regions, shown?.days] as { measured: number }[][])
    assert.equal(
      list.reduce((total, { measured }) => total + measured, 0),
      6,
    );
  assert.equal(
    shown?.regions.reduce((total, { drawn }) => total + drawn, 0),
    9,
  );
  assert.doesNotMatch(JSON.stringify(campaigns), /sister|household\//);
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.deepEqual((await overviewOf(stranger)).campaigns, []);
  const supplier = await scene.registry.as("integrator", { scopes: ["vouchers:read"] });
  assert.deepEqual((await overviewOf(supplier)).campaigns, []);
});

test("counts the findings that wait, until they are closed", async () => {
  const { campaignId } = await scene.closedCampaign();
  const evaluator = await scene.registry.as("evaluator");
  const path = `/campaigns/${campaignId}/findings`;
  for (const kind of ["CAR", "CL"])
    requireStatus(await evaluator("POST", path, { kind, text: "Show the scale." }), 201);
  const findingsOf = async (call: Caller) => (await overviewOf(call)).findings;
  assert.deepEqual(await findingsOf(scene.regulator), {
    open: 2,
    answered: 0,
    campaigns: [{ campaignId, open: 2, answered: 0 }],
  });
  requireStatus(await scene.implementer("POST", `${path}/1/answers`, { text: "Here." }), 201);
  assert.deepEqual(await findingsOf(scene.implementer), {
    open: 1,
    answered: 1,
    campaigns: [{ campaignId, open: 1, answered: 1 }],
  });
  requireStatus(await evaluator("POST", `${path}/1/closure`, { text: "Seen." }), 201);
  assert.deepEqual(await findingsOf(evaluator), {
    open: 1,
    answered: 0,
    campaigns: [{ campaignId, open: 1, answered: 0 }],
  });
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.deepEqual(await findingsOf(stranger), { open: 0, answered: 0, campaigns: [] });
});

test("counts the proposals that wait, and names a time that it cannot read", async () => {
  const { proposals } = await overviewOf(scene.regulator);
  const list = requireStatus(await scene.regulator("GET", "/pool/proposals?limit=100"), 200).body as {
    items: { status: string }[];
  };
  const count = (status: string) => list.items.filter((each) => each.status === status).length;
  assert.deepEqual(proposals, {
    collecting: count("collecting"),
    scheduled: count("scheduled"),
    ready: count("ready"),
  });
  const wrong = await scene.regulator("GET", "/overview?since=today");
  assert.equal(wrong.status, 400);
  assert.equal(rulesOf(wrong).length, 1);
});
