import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { type Caller, requireStatus } from "../../../../test/support/registry.ts";
import type { CampaignPositionResponse } from "../schemas.ts";

let scene: ClosedScene;
let evaluator: Caller;
before(async () => {
  scene = await openClosedScene();
  evaluator = await scene.registry.as("evaluator");
});
after(() => scene?.close());

type Page = { items: CampaignPositionResponse[]; nextCursor: string | null };
const pageOf = async (campaignId: string, query: string): Promise<Page> =>
  requireStatus(await evaluator("GET", `/campaigns/${campaignId}/positions?${query}`), 200).body as Page;

async function allOf(campaignId: string, query = ""): Promise<CampaignPositionResponse[]> {
  const items: CampaignPositionResponse[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await pageOf(campaignId, `limit=3${query}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

test("lists every drawn position with how it ended, page by page", async () => {
  const campaign = await scene.openCampaign({ sampleSize: 5, frameSize: 6 });
  const { campaignId, groups } = campaign;
  const [, , , fourth, fifth] = groups.intervention.sample;
  const drop = {
    group: "intervention",
    reason: "moved",
    note: "to her sister",
    evidence: "https://x.example/door.jpg",
  };
  const replaced = { ...drop, householdId: fourth };
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/replacements`, replaced), 201);
  const missing = { ...drop, householdId: fifth, reason: "other", evidence: "https://x.example/letter.pdf" };
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/missing`, missing), 201);

  const positions = await allOf(campaignId);
  const shown = positions.map(({ group, position, ended, claimIds }) => [group, position, ended, claimIds.length]);
  assert.deepEqual(shown, [
    ["reference", 0, "measured", 1],
    ["reference", 1, "measured", 1],
    ["reference", 2, "measured", 1],
    ["reference", 3, "open", 0],
    ["reference", 4, "open", 0],
    ["intervention", 0, "measured", 1],
    ["intervention", 1, "measured", 1],
    ["intervention", 2, "measured", 1],
    ["intervention", 3, "replaced", 0],
    ["intervention", 4, "missing", 0],
    ["intervention", 5, "open", 0],
  ]);
  assert.partialDeepStrictEqual(positions[8], {
    householdId: fourth,
    replacedBy: 5,
    reason: "moved",
    evidence: drop.evidence,
  });
  assert.partialDeepStrictEqual(positions[9], { householdId: fifth, reason: "other", evidence: missing.evidence });
  assert.doesNotMatch(JSON.stringify(positions), /sister/);
  const open = await allOf(campaignId, "&ended=open&group=reference");
  assert.deepEqual(
    open.map(({ position }) => position),
    [3, 4],
  );
  assert.equal((await evaluator("GET", `/campaigns/${campaignId}/positions?cursor=WzFd`)).status, 400);
});

test("is empty before the draw, and for those who may see the campaign", async () => {
  const { campaignId } = await scene.openCampaign();
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await stranger("GET", `/campaigns/${campaignId}/positions`)).status, 404);
  requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/positions`), 200);
});
