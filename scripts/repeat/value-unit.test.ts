import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CampaignResultResponse } from "../../api/scheme/campaigns/result/schemas.ts";
import { python, skip } from "../../test/second-opinion/python.ts";
import { exampleCampaign, registerFrames } from "../../test/support/campaigns.ts";
import { changedRoom } from "../../test/support/changed-room.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../test/support/closed-campaign.ts";
import { requireStatus, rulesOf } from "../../test/support/registry.ts";
import { readZip } from "../../test/support/zip.ts";
import { repeatRoom } from "./repeat-room.ts";

const fuel = { reference: [5.9, 6, 6.1], intervention: [3, 3.1, 2.9] };
const members = { men: 1, women: 1, children: 2, elderly: 0 };
const peopleFed = { men: 1, women: 1, children: 1, guests: 1 };

let scene: ClosedScene;
let folder: string;
before(async () => {
  scene = await openClosedScene();
  folder = await mkdtemp(join(tmpdir(), "hearth-value-unit-"));
});
after(async () => {
  await scene?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A closed campaign, all of whose households have four registered members. */
async function closed(valuePer: string, choice: { peopleFed?: Record<string, number> } = {}) {
  const households = { reference: await registered(), intervention: await registered() };
  const emissions = { ...certifiableTerms, valuePer };
  return scene.closedCampaign({ emissions, fuel, households, ...choice });
}

async function registered(): Promise<string[]> {
  const dids = [1, 2, 3].map(() => `did:ixo:household/${Math.random()}`);
  for (const did of dids) {
    requireStatus(await scene.registry.admin("POST", "/households", { did, householdSize: members }), 201);
  }
  return dids;
}

async function resultOf(campaignId: string): Promise<CampaignResultResponse> {
  return requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200)
    .body as CampaignResultResponse;
}

async function repeat(bytes: Buffer) {
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, bytes);
  const { steps, faults } = await repeatRoom(path, "room.zip", {});
  const differences = steps.flatMap((step) => [...step.faults, ...step.differences.map(({ what }) => what)]);
  return { path, faults, differences };
}

test("a campaign commits the unit of a value with its terms, on chain", async () => {
  const body = exampleCampaign({ sampleSize: 3, emissions: { ...certifiableTerms, valuePer: "standard-adult" } }, 3);
  const given = await registerFrames(scene.registry.admin, body);
  const { campaignId } = requireStatus(await scene.implementer("POST", "/campaigns", given), 201).body as {
    campaignId: string;
  };
  const row = await scene.registry.deps.campaigns.byId(campaignId);
  assert.equal(row?.terms.emissions?.valuePer, "standard-adult");
  const answer = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}`), 200).body;
  assert.equal((answer as { emissions: { valuePer: string } }).emissions.valuePer, "standard-adult");
});

test("refuses a value of a person with meters and with option B", async () => {
  for (const others of [{ baseline: "minimum-service" }, { method: "mecd-specific-energy" }]) {
    const body = exampleCampaign(
      { sampleSize: 3, emissions: { ...certifiableTerms, ...others, valuePer: "person" } },
      3,
    );
    const refused = await scene.implementer("POST", "/campaigns", await registerFrames(scene.registry.admin, body));
    assert.equal(refused.status, 400);
    assert.ok(rulesOf(refused).includes("value-of-household"), rulesOf(refused).join(" "));
  }
});

test("a campaign without the term has the value of a household", async () => {
  const { campaignId } = await scene.closedCampaign({ fuel });
  const { unit, emissions } = await resultOf(campaignId);
  assert.deepEqual([unit, emissions.terms.valuePer], ["kg per household per day", undefined]);
});

test("visits that fed fewer people than are registered lower the saving; both recalculations agree", {
  skip,
}, async () => {
  const { campaignId } = await closed("person", { peopleFed });
  const { unit, groups, emissions } = await resultOf(campaignId);
  // Four people with the guest in the reference group. Without it three in the intervention group, and the four registered ones on
  // the day on which the second household was not asked: (3 ÷ 3 + 9.3 ÷ 10 + 2.9 ÷ 3) ÷ 3.
  const means = [groups.reference.mean, groups.intervention.mean];
  assert.deepEqual([unit, ...means], ["kg per person per day", 1.5, 0.965555555556]);
  const [smec] = emissions.reductions;
  const size = smec?.lines.find(({ name }) => name === "People that a household counts as");
  assert.deepEqual([size?.value?.toFixed(9), size?.unit], [(28 / 9).toFixed(9), "person"]);
  const room = await scene.dataRoom(campaignId);
  const { path, faults, differences } = await repeat(room);
  assert.deepEqual([faults, differences], [0, []]);
  assert.deepEqual(JSON.parse((await python("rooms.py", [path])).toString()), [[]]);
});

test("other people in a claim, or none in the list, differ although every hash was made to fit", { skip }, async () => {
  const { campaignId } = await closed("standard-adult", { peopleFed });
  const room = await scene.dataRoom(campaignId);
  assert.deepEqual((await repeat(room)).differences, []);
  const [{ id }] = JSON.parse((await readZip(room)).get("claims.json")?.toString() ?? "");
  const other = await changedRoom(room, (files) => {
    const name = `claims/${id.replace(/[^0-9A-Za-z-]/g, "_")}/claim.json`;
    const before = files.get(name)?.toString() ?? "";
    const altered = Buffer.from(before.replace('"guests":1', '"guests":3'));
    assert.notEqual(altered.toString(), before);
    files.set(name, altered);
    const claims = JSON.parse(files.get("claims.json")?.toString() ?? "");
    claims[0].claimHash = `0x${createHash("sha256").update(altered).digest("hex")}`;
    files.set("claims.json", Buffer.from(JSON.stringify(claims)));
  });
  const altered = await repeat(other);
  assert.ok(altered.differences.includes(`${id}.fed.guests`), altered.differences.join("\n"));
  const found = JSON.parse((await python("rooms.py", [altered.path])).toString()) as { what: string }[][];
  assert.ok(found[0]?.some(({ what }) => what === id));
  const without = await changedRoom(room, (files) => {
    const claims = JSON.parse(files.get("claims.json")?.toString() ?? "");
    for (const claim of claims) delete claim.fed;
    files.set("claims.json", Buffer.from(JSON.stringify(claims)));
  });
  const { differences } = await repeat(without);
  assert.ok(
    differences.includes(`${id} lacks the people that its visits fed; the terms divide by them.`),
    differences.join("\n"),
  );
});

test("visits that fed other people than are registered are flagged, whatever the unit", { skip }, async () => {
  const { campaignId } = await closed("household", { peopleFed: { women: 1 } });
  const { flags, unit } = await resultOf(campaignId);
  assert.equal(unit, "kg per household per day");
  assert.deepEqual(
    flags.filter(({ rule }) => rule === "people-differ").map(({ group, positions }) => [group, positions]),
    [
      ["reference", [0, 1, 2]],
      ["intervention", [0, 1, 2]],
    ],
  );
  const { path, differences } = await repeat(await scene.dataRoom(campaignId));
  assert.deepEqual(differences, []);
  assert.deepEqual(JSON.parse((await python("rooms.py", [path])).toString()), [[]]);
});
