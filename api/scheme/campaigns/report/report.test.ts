import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { implementerDid, otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { requireStatus } from "../../../../test/support/registry.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

async function reportOf(campaignId: string): Promise<{ response: Response; bytes: Buffer }> {
  const response = await scene.registry.app.request(`/v1/campaigns/${campaignId}/monitoring-report`, {
    headers: { authorization: `Bearer ${testAdminKey}` },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The streams of a PDF, unpacked, as Latin-1. */
function streamsOf(pdf: Buffer): string {
  const text = pdf.toString("latin1");
  const streams = [...text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, body]) => {
    try {
      return inflateSync(Buffer.from(body ?? "", "latin1")).toString("latin1");
    } catch {
      return "";
    }
  });
  return streams.join("\n");
}

test("writes a PDF with embedded fonts that is the same for the same state", async () => {
  const { campaignId } = await scene.closedCampaign({ sampleSize: 4, frameSize: 5 });
  const { response, bytes } = await reportOf(campaignId);
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/pdf"]);
  assert.match(bytes.subarray(0, 8).toString(), /^%PDF-1\.7/);
  assert.ok(bytes.equals((await reportOf(campaignId)).bytes));
  const text = bytes.toString("latin1");
  assert.match(text, /\/FontFile2/);
  // The table that maps glyphs back to text has the small 2 of tCO₂e.
  assert.match(streamsOf(bytes), /<2082>/);
  assert.ok((text.match(/\/Type \/Page\b/g) ?? []).length >= 4, "it has several pages");
  const room = await scene.registry.admin("GET", `/campaigns/${campaignId}/data-room`);
  assert.equal(response.headers.get("data-room-hash"), requireStatus(room, 200).headers.get("data-room-hash"));
  if (process.env.REPORT_FILE) await writeFile(process.env.REPORT_FILE, bytes);
});

test("shows flags and outliers", async () => {
  const alike = Array.from({ length: 8 }, () => 6);
  const fuel = { reference: [...alike, 20], intervention: Array.from({ length: 9 }, (_, i) => 3 + i / 10) };
  const { campaignId } = await scene.closedCampaign({ sampleSize: 9, fuel });
  const result = await scene.implementer("GET", `/campaigns/${campaignId}/result`);
  assert.partialDeepStrictEqual(result.body, {
    flags: [{ rule: "identical-values" }],
    groups: { reference: { outliers: [{ side: "high" }] } },
  });
  const { response } = await reportOf(campaignId);
  assert.equal(response.status, 200);
});

test("is for those who may read the data room, and waits for the close", async () => {
  const { campaignId } = await scene.closedCampaign();
  const { registry } = scene;
  const path = `/campaigns/${campaignId}/monitoring-report`;
  for (const [role, limits] of [["regulator"], ["evaluator"], ["implementer", { implementerDid }]] as const) {
    requireStatus(await (await registry.as(role, limits))("GET", path), 200);
  }
  const stranger = await registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await stranger("GET", path)).status, 404);
  const open = await scene.openCampaign();
  assert.equal((await registry.admin("GET", `/campaigns/${open.campaignId}/monitoring-report`)).status, 409);
});

test("shows counted devices, their usage survey and an open request of an earlier campaign", async () => {
  const earlier = await scene.closedCampaign();
  const evaluator = await scene.registry.as("evaluator");
  const far = { kind: "FAR", text: "Étalonner chaque balance : CO₂. ".repeat(200) };
  requireStatus(await evaluator("POST", `/campaigns/${earlier.campaignId}/findings`, far), 201);
  const { campaignId } = await scene.closedCampaign({ devices: "missing" });
  const { response, bytes } = await reportOf(campaignId);
  assert.equal(response.status, 200);
  if (process.env.REPORT_FILE) await writeFile(`${process.env.REPORT_FILE}.devices.pdf`, bytes);
});
