import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { type ClosedScene, openClosedScene } from "../../../../../test/support/closed-campaign.ts";
import { requireStatus } from "../../../../../test/support/registry.ts";
import { rawCid } from "../../../../platform/ucan/index.ts";
import { evidenceMarks, marksOf } from "../../evidence-marks.ts";
import type { CampaignResultResponse } from "../schemas.ts";
import { evidenceElsewhereOf, evidenceUses, sharedEvidenceFlags, sharedEvidenceOf } from "./shared-evidence.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

async function flagsOf(campaignId: string, rule: string): Promise<string[]> {
  const { body } = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200);
  const { flags } = body as CampaignResultResponse;
  return flags
    .filter((flag) => flag.rule === rule)
    .map(({ group, message, positions }) => `${group} ${positions}: ${message}`);
}

const like =
  "have the same evidence as another claim, a replaced or missing household, or a device of the usage survey.";

test("flags claims that have one photo, and evidence that an earlier campaign has", async () => {
  const first = await scene.closedCampaign();
  const expected = [
    `reference 0: 1 households of the reference group ${like}`,
    `intervention 0: 1 households of the intervention group ${like}`,
  ];
  assert.deepEqual(await flagsOf(first.campaignId, "shared-evidence"), expected);
  assert.deepEqual(await flagsOf(first.campaignId, "evidence-of-other-campaign"), []);

  const second = await scene.closedCampaign();
  const too = `have evidence that another campaign has as well: ${first.campaignId}.`;
  assert.deepEqual(await flagsOf(second.campaignId, "evidence-of-other-campaign"), [
    `reference 0: 1 households of the reference group ${too}`,
    `intervention 0: 1 households of the intervention group ${too}`,
    `intervention : 3 devices of the usage survey ${too}`,
  ]);
});

test("compares links of claims with the evidence of replaced households and surveyed devices", async () => {
  const evidence = ["https://photos.example/door.jpg#claim", "https://photos.example/1.jpg"];
  const { campaignId } = await scene.closedCampaign({ sampleSize: 4, frameSize: 6, replaced: 2, evidence });
  assert.deepEqual(await flagsOf(campaignId, "shared-evidence"), [
    `reference 0: 1 households of the reference group ${like}`,
    `intervention 0,1,2: 3 households of the intervention group ${like}`,
    `intervention : 6 devices of the usage survey ${like}`,
  ]);
});

test("finds evidence of another campaign's survey in each form in which it can be named", async () => {
  const { db } = scene.registry.deps;
  const cid = String(rawCid(createHash("sha256").update("stove of another campaign").digest()));
  const other = await scene.closedCampaign();
  await db.execute(sql`update usage_records set evidence = ${JSON.stringify([{ uri: cid }])}::jsonb
    where campaign = (select campaign from campaigns where campaign_id = ${other.campaignId})`);
  const { campaignId } = await scene.openCampaign({ evidence: [`ipfs://${cid}`] });
  const found = await flagsOf(campaignId, "evidence-of-other-campaign");
  assert.ok(
    found.some((flag) => flag.startsWith("reference") && flag.includes(other.campaignId)),
    found.join("\n"),
  );
});

test("reads links of claims that an earlier version stored from their files", async () => {
  const evidence = ["https://photos.example/earlier.jpg"];
  const { campaignId } = await scene.openCampaign({ evidence });
  const expected = await flagsOf(campaignId, "shared-evidence");
  assert.equal(expected.length, 2);
  const { db } = scene.registry.deps;
  const ofCampaign = sql`claim in (select id from kpt_claims where campaign_id = ${campaignId})`;
  const { rows } = await db.execute(sql`delete from kpt_evidence where ${ofCampaign} returning item`);
  assert.equal(rows.length, 2);
  assert.deepEqual(await flagsOf(campaignId, "shared-evidence"), expected);
  const kept = await db.execute(sql`select item from kpt_evidence where ${ofCampaign} and link_hash is not null`);
  assert.equal(kept.rows.length, 2);
});

test("describes equal links and equal bytes by equal marks", () => {
  const bytes = createHash("sha256").update("photo").digest();
  const [cid, hex] = [String(rawCid(bytes)), bytes.toString("hex")];
  const sent = evidenceMarks({ uri: `ipfs://${cid}` });
  assert.equal(sent.bytes, hex);
  assert.deepEqual(evidenceMarks({ uri: cid }), sent);
  assert.deepEqual(evidenceMarks({ uri: `IPFS://${cid}#page` }), sent);
  assert.deepEqual(evidenceMarks({ uri: `ipfs://${cid}?x=1` }), sent);
  // The CID is the hash of the bytes, whatever the claim states.
  assert.deepEqual(evidenceMarks({ uri: `ipfs://${cid}`, sha256: "0".repeat(64) }), sent);
  const linked = evidenceMarks({ uri: "https://a.example/1#x", sha256: `0x${hex.toUpperCase()}` });
  assert.equal(linked.bytes, hex);
  assert.equal(linked.link, evidenceMarks({ uri: "https://a.example/1" }).link);
  assert.notEqual(linked.link, evidenceMarks({ uri: "https://a.example/2" }).link);
  assert.notEqual(linked.link, evidenceMarks({ uri: "https://a.example/1?x=1" }).link);
  assert.equal(evidenceMarks({ uri: `ipfs://${cid}/photo.jpg` }).bytes, null);
});

const link = (name: string) => `https://a.example/${name}`;
const claim = (id: string, group: "reference" | "intervention", position: number, ...names: string[]) => {
  return { id, group, position, marks: marksOf(names.map((name) => ({ uri: link(name) }))) };
};
const drop = (group: "reference" | "intervention", position: number, name: string | null) => {
  return { group, position, evidence: name === null ? null : link(name) };
};
const nothing = { isPaired: false, claims: [], replaced: [], missing: [], surveyed: [] };

test("leaves out what one claim repeats, and what has its own rule", () => {
  const uses = evidenceUses({
    ...nothing,
    claims: [claim("a", "reference", 3, "own", "own"), claim("b", "reference", 4, "other")],
    replaced: [drop("reference", 1, "door"), drop("reference", 2, "door"), drop("intervention", 1, null)],
    surveyed: [0, 1].map((position) => ({ position, evidence: [{ uri: link("stove") }] })),
  });
  assert.deepEqual(sharedEvidenceOf(uses), { reference: [], intervention: [], surveyed: [] });
});

test("finds claims of one household, missing households, and replaced households with a device's evidence", () => {
  const uses = evidenceUses({
    ...nothing,
    claims: [claim("a", "reference", 3, "kitchen"), claim("b", "reference", 3, "kitchen")],
    replaced: [drop("intervention", 1, "stove"), drop("intervention", 2, "stove")],
    missing: [drop("intervention", 8, "gate"), drop("intervention", 9, "gate")],
    surveyed: [{ position: 5, evidence: [{ uri: link("stove") }] }],
  });
  assert.deepEqual(sharedEvidenceOf(uses), { reference: [3], intervention: [1, 2, 8, 9], surveyed: [5] });
});

test("takes a pair that leaves both groups as one household", () => {
  const missing = [drop("reference", 2, "gate"), drop("intervention", 2, "gate")];
  const found = (isPaired: boolean) => sharedEvidenceOf(evidenceUses({ ...nothing, isPaired, missing }));
  assert.deepEqual(found(true), { reference: [], intervention: [], surveyed: [] });
  assert.deepEqual(found(false), { reference: [2], intervention: [2], surveyed: [] });
});

test("names at most five of the other campaigns", () => {
  const uses = evidenceUses({ ...nothing, claims: [claim("a", "reference", 3, "kitchen")] });
  const mark = uses[0]?.marks[0] ?? assert.fail();
  const others = ["K-7", "K-1", "K-2", "K-3", "K-4", "K-5", "K-6"].map((campaignId) => ({ campaignId, mark }));
  const [flag] = sharedEvidenceFlags({ evidenceElsewhere: evidenceElsewhereOf(uses, others) });
  assert.match(flag?.message ?? "", /as well: K-1, K-2, K-3, K-4, K-5 and 2 more\.$/);
});
