import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ClosedScene, openClosedScene } from "../../../../../test/support/closed-campaign.ts";
import { requireStatus } from "../../../../../test/support/registry.ts";
import type { CampaignResultResponse } from "../schemas.ts";
import { sharedSurveyEvidence } from "./survey-evidence.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

test("flags devices of several households that have one piece of evidence", async () => {
  const { campaignId } = await scene.closedCampaign();
  const { body } = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200);
  const flags = (body as CampaignResultResponse).flags.filter(({ rule }) => rule === "same-survey-evidence");
  assert.deepEqual(
    flags.map(({ group, message }) => `${group}: ${message}`),
    ["intervention: 3 devices of the usage survey have the same evidence as that of another household."],
  );
});

test("compares URIs without their fragments, and SHA-256 of other URIs", () => {
  const hash = "ab".repeat(32);
  const uri = (text: string, sha256?: string) => ({ uri: text, ...(sha256 === undefined ? {} : { sha256 }) });
  const devices = [
    [uri("https://a.example/1#x")],
    [uri("https://a.example/1#y")],
    [uri("https://a.example/2", hash)],
    [uri("https://a.example/3", `0x${hash.toUpperCase()}`)],
    // The same piece twice for one device is not shared.
    [uri("https://a.example/4"), uri("https://a.example/4")],
    [],
  ].map((evidence, position) => ({ position, evidence }));
  assert.deepEqual(sharedSurveyEvidence(devices), [0, 1, 2, 3]);
});
