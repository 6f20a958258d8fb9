import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { implementerDid, otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { textOfPdf } from "../../../../test/support/pdf-text.ts";
import { requireStatus } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { decimal, displayText } from "../../emissions/index.ts";
import type { CampaignResponse } from "../schemas.ts";

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

/** A second party after whom another one had withheld its secret, so that a draw was discarded. */
async function partyAfterAnother(): Promise<SecondParty> {
  const { world } = scene.registry;
  const [absent, party] = [await openSecondParty(world), await openSecondParty(world)];
  return {
    ...party,
    join: async (call, campaignId) => {
      await absent.join(call, campaignId);
      requireStatus(await call("POST", `/campaigns/${campaignId}/draw`), 200);
      await world.anvil.rpc("evm_increaseTime", [86_401]);
      await world.anvil.rpc("evm_mine");
      requireStatus(await call("POST", `/campaigns/${campaignId}/draw/repetition`), 201);
      return party.join(call, campaignId);
    },
  };
}

/** A text without spaces, because a PDF breaks lines where a column ends, and with the small 2 of CO₂ that the report writes. */
const joined = (text: string) => text.replaceAll(/\s+/g, "").replaceAll("CO2", "CO₂");

/** An exact figure as the report rounds it. */
const rounded = (value: unknown) => displayText(decimal(String(value)), 6);

test("has the text that a verifier needs: terms, draw, figures, sensitivity, positions, siblings, findings and flags", async () => {
  const { registry, implementer } = scene;
  const earlier = await scene.closedCampaign();
  const far = { kind: "FAR", text: "Calibrate the scale before the next campaign." };
  requireStatus(await (await registry.as("evaluator"))("POST", `/campaigns/${earlier.campaignId}/findings`, far), 201);
  const { groups } = earlier;
  const households = { reference: [...groups.reference.sample], intervention: [...groups.intervention.sample] };
  const more = [4, 5, 6].map((i) => `did:ixo:household/report-${i}`);
  for (const did of more) requireStatus(await registry.admin("POST", "/households", { did }), 201);
  households.reference.push(more[0] as string);
  households.intervention.push(more[1] as string, more[2] as string);
  const { campaignId, drawParties } = await scene.closedCampaign({
    households,
    sampleSize: 4,
    replaced: 1,
    month: "05",
    fuel: { reference: [6, 6, 6], intervention: [3, 3.1, 2.9] },
    party: await partyAfterAnother(),
  });
  const campaign = requireStatus(await implementer("GET", `/campaigns/${campaignId}`), 200).body as CampaignResponse;
  const result = requireStatus(await implementer("GET", `/campaigns/${campaignId}/result`), 200).body as Figures;
  const { response, bytes } = await reportOf(campaignId);
  const text = joined(await textOfPdf(bytes));

  const reduction = result.emissions.reductions.find(({ method }) => method === "smec-4");
  const sensitivity = result.sensitivity.reductions.find(({ method }) => method === "smec-4");
  const [discarded] = campaign.discardedDraws;
  const replaced = campaign.groups.intervention.replacements[0];
  const marked = campaign.groups.reference.missingHouseholds[0];
  assert.ok(reduction && sensitivity && discarded && replaced && marked && campaign.draw);
  assert.ok(result.flags.length > 0 && result.siblings.length > 0 && reduction.certifiable.problems.length > 0);
  const expected: Record<string, string[]> = {
    identity: [campaignId, campaign.planId, implementerDid, campaign.transactionHash, "2024-05-01 to 2024-05-04"],
    hashes: [campaign.resultHash ?? "", response.headers.get("data-room-hash") ?? ""],
    terms: ["method smec-4", "fuel wood", "area ZMB", "householdSize 4.5", "life 3", "daf 0.1", "he 0.9"],
    draw: [
      campaign.draw.seed,
      campaign.draw.blockHash,
      campaign.commit.referenceRoot,
      campaign.commit.interventionRoot,
      "Neither party alone could have chosen the sample",
    ],
    "discarded draws": ["Draws that were discarded", `0 secret-withheld ${discarded.drawBlock}`, discarded.operator],
    "statistics of both groups": (["n", "mean", "standardDeviation", "lowerBound", "upperBound"] as const).map(
      (name) => `${rounded(result.groups.reference[name])} ${rounded(result.groups.intervention[name])}`,
    ),
    saving: [`Mean ${rounded(result.saving.mean)} ${rounded(result.sensitivity.saving.mean)}`],
    reduction: [rounded(reduction.er), ...reduction.lines.map(({ name, value }) => `${name} ${rounded(value)}`)],
    sensitivity: [result.sensitivity.assumption, rounded(sensitivity.er)],
    "what prevents a certificate": reduction.certifiable.problems.map(({ rule, message }) => `${rule} ${message}`),
    positions: [
      `Intervention ${replaced.dropped.position} replaced by ${replaced.replacement.position} absent https://photos.`,
      `Reference ${marked.position} missing absent`,
    ],
    siblings: result.siblings.map(({ campaignId: id, status }) => `${id} ${status}`),
    findings: [`${earlier.campaignId} 1 ${far.text}`],
    flags: result.flags.map(({ rule, message }) => `${rule} ${message}`),
  };
  assert.equal(drawParties.withheld.length, 1);
  const lacking = Object.entries(expected).flatMap(([part, texts]) =>
    texts.filter((each) => !text.includes(joined(each))).map((each) => `${part}: ${each}`),
  );
  assert.deepEqual(lacking, [], text);
});

type Figures = {
  groups: Record<"reference" | "intervention", Record<string, unknown>>;
  saving: { mean: unknown };
  sensitivity: { assumption: string; saving: { mean: unknown }; reductions: { method: string; er: unknown }[] };
  emissions: {
    reductions: {
      method: string;
      er: unknown;
      lines: { name: string; value: unknown }[];
      certifiable: { problems: { rule: string; message: string }[] };
    }[];
  };
  siblings: { campaignId: string; status: string }[];
  flags: { rule: string; message: string }[];
};
