import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CampaignResultResponse } from "../../api/scheme/campaigns/result/schemas.ts";
import { python, skip } from "../../test/second-opinion/python.ts";
import { changedRoom } from "../../test/support/changed-room.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../test/support/closed-campaign.ts";
import { requireStatus } from "../../test/support/registry.ts";
import { repeatRoom } from "./repeat-room.ts";

const dryNcv = "0.0184";
const fuel = { reference: [5.9, 6, 6.1], intervention: [3, 3.1, 2.9] };

let scene: ClosedScene;
let folder: string;
let result: CampaignResultResponse;
let room: Buffer;
before(async () => {
  scene = await openClosedScene();
  folder = await mkdtemp(join(tmpdir(), "hearth-dry-mass-"));
  const record = { kind: "ncv-dry", key: "wood", value: Number(dryNcv), source: "laboratory", validFrom: "2020-01-01" };
  requireStatus(await scene.regulator("POST", "/parameters", record), 201);
  const emissions = { ...certifiableTerms, fuelMass: "dry" };
  const { campaignId } = await scene.closedCampaign({ emissions, fuel, moisture: "dry", charcoal: 0.5 });
  result = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200)
    .body as CampaignResultResponse;
  room = await scene.dataRoom(campaignId);
});
after(async () => {
  await scene?.close();
  await rm(folder, { recursive: true, force: true });
});

async function repeat(bytes: Buffer) {
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, bytes);
  const { steps, faults } = await repeatRoom(path, "room.zip", {});
  const differences = steps.flatMap((step) => [...step.faults, ...step.differences.map(({ what }) => what)]);
  return { path, faults, differences };
}

/** The data room with another moisture in a claim, and with the hashes that follow, as the service could have made them. */
async function withMoisture(from: RegExp, to: string): Promise<{ bytes: Buffer; claimId: string }> {
  let claimId = "";
  const bytes = await changedRoom(room, (files) => {
    const claims = JSON.parse(files.get("claims.json")?.toString() ?? "");
    claimId = claims[0].id;
    const name = `claims/${claimId.replace(/[^0-9A-Za-z-]/g, "_")}/claim.json`;
    const before = files.get(name)?.toString() ?? "";
    const altered = Buffer.from(before.replace(from, to));
    assert.notEqual(altered.toString(), before);
    files.set(name, altered);
    claims[0].claimHash = `0x${createHash("sha256").update(altered).digest("hex")}`;
    files.set("claims.json", Buffer.from(JSON.stringify(claims)));
  });
  return { bytes, claimId };
}

test("the result counts dry mass, shows the moisture, and uses the recorded calorific value of dry wood", () => {
  // 18.75 % of the dry mass: 1 / 1.1875. Each day is rounded to grams, down before and up after.
  const dry = (kilograms: number, round: (grams: number) => number) => round((kilograms * 1000) / 1.1875);
  const total = (group: number[], round: (grams: number) => number) =>
    group.reduce((sum, each) => sum + 3 * dry(each, round), 0);
  const grams = { reference: total(fuel.reference, Math.floor), intervention: total(fuel.intervention, Math.ceil) };
  const { dryMass, groups, emissions } = JSON.parse(JSON.stringify(result));
  assert.equal(dryMass.groups.reference[0].dry, grams.reference / 1000);
  assert.equal(dryMass.groups.intervention[0].dry, grams.intervention / 1000);
  assert.deepEqual(
    [dryMass.groups.reference[0].fuel, dryMass.groups.reference[0].weighed, dryMass.groups.reference.length],
    ["wood", 54, 1],
  );
  assert.equal(dryMass.groups.reference[0].moisture.toFixed(3), (0.1875 / 1.1875).toFixed(3));
  assert.equal(groups.reference.mean.toFixed(9), (grams.reference / 9000).toFixed(9));
  const reduction = emissions.reductions.find(({ method }: { method: string }) => method === "smec-4");
  const line = (name: string) => reduction.lines.find((each: { name: string }) => each.name.endsWith(name));
  assert.equal(line("Baseline, wood: NCV").value, Number(dryNcv));
  assert.match(line("Baseline, wood: NCV").source, /^parameter PRM-\d+ of the regulator: laboratory$/);
  assert.equal(line("Baseline, charcoal: NCV").value, 0.0295);
  // The cap of 1.25 t is of wood as weighed; the dry mass with the same energy is smaller.
  assert.equal(line("Baseline, wood: P_CAP").value.toFixed(9), ((1.25 * 0.0156) / Number(dryNcv)).toFixed(9));
});

test("repeat and the second implementation derive the dry masses from the raw visits", { skip }, async () => {
  const { path, faults, differences } = await repeat(room);
  assert.deepEqual([faults, differences], [0, []]);
  assert.deepEqual(JSON.parse((await python("rooms.py", [path])).toString()), [[]]);
});

test("an altered moisture differs, although every hash was made to fit", { skip }, async () => {
  const { bytes, claimId } = await withMoisture(/20,19\.25/, "10,19.25");
  const { path, faults, differences } = await repeat(bytes);
  assert.ok(faults > 0);
  for (const what of [`${claimId}.grams`, `${claimId}.fuels.wood`]) assert.ok(differences.includes(what), what);
  const found = JSON.parse((await python("rooms.py", [path])).toString()) as { what: string }[][];
  assert.ok(found[0]?.some(({ what }) => what === claimId));
});

test("repeat refuses a weighing without moisture", async () => {
  const { bytes, claimId } = await withMoisture(/"moisture":\{"basis":"dry","readings":\[\[.*?\]\]\},?/, "");
  const { differences } = await repeat(bytes);
  assert.ok(
    differences.some((each) => each.startsWith(`${claimId} breaks moisture-given at visits.0.fuels.0.moisture`)),
    differences.join("\n"),
  );
});
