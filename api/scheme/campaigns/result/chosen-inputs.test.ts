import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { repeatRoom } from "../../../../scripts/repeat/repeat-room.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { requireStatus } from "../../../../test/support/registry.ts";
import { readZip } from "../../../../test/support/zip.ts";

import type { CampaignResultResponse } from "./schemas.ts";

let scene: ClosedScene;
let folder: string;
before(async () => {
  scene = await openClosedScene();
  folder = await mkdtemp(join(tmpdir(), "hearth-inputs-"));
});
after(async () => {
  await scene?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The faults and differences of a repetition, with the chain. */
async function repeated(room: Buffer): Promise<string[]> {
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, room);
  const { anvil, contracts } = scene.registry.world;
  const node = { rpc: anvil.url, contract: contracts.addresses.campaigns };
  const { steps } = await repeatRoom(path, "room.zip", { node });
  return steps.flatMap(({ faults, differences }) => [...faults, ...differences.map(({ what }) => what)]);
}

test("a device that is retired after the draw keeps its household's place in the count", async () => {
  const { campaignId } = await scene.closedCampaign({ withSecondDevice: true, retiresLate: true });
  const room = await scene.dataRoom(campaignId);
  const files = await readZip(room);
  const { devices } = JSON.parse(files.get("result.json")?.toString() ?? "").record;
  // Two of 2024, and 19 days of the one that was retired; the other one of its household does not take its place.
  const counted = devices.cohorts.map((each: { devices: number }) => each.devices);
  assert.deepEqual([devices.days, counted], [2 * 366 + 19, [3]]);
  const listed = JSON.parse(files.get("devices.json")?.toString() ?? "[]") as object[];
  const retired = listed.filter((each) => "retiredOn" in each);
  assert.partialDeepStrictEqual(retired, [{ retiredOn: "2024-01-20", retiredAfterDraw: true }]);
  assert.deepEqual(await repeated(room), []);
  const { body } = requireStatus(await scene.implementer("GET", `/devices/${campaignId}-second`), 200);
  assert.equal((body as { retirementRecordedAt: unknown }).retirementRecordedAt, null);
});

test("a device that is recorded once the draw block is known does not count, even in the second of that block", async () => {
  const { campaignId, planId, draw } = await scene.openCampaign();
  const householdDid = `did:ixo:household/${campaignId}-late`;
  const { db, registry } = scene.registry.deps;
  requireStatus(await scene.registry.admin("POST", "/households", { did: householdDid }), 201);
  const late = { serial: `${campaignId}-late`, model: "Jiko 2", planId, householdDid, installedOn: "2024-01-01" };
  requireStatus(await scene.implementer("POST", "/devices", late), 201);
  const drawnAt = await registry.ledger.timeOf(BigInt(draw?.blockNumber ?? assert.fail("not drawn")));
  // As if no block had come since that of the draw.
  await db.execute(sql`update devices set created_at = ${drawnAt.toISOString()} where serial = ${late.serial}`);
  const { body } = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/result`), 200);
  const { flags, emissions } = body as CampaignResultResponse;
  assert.ok(flags.every(({ rule }) => rule !== "frame-covers-part-of-plan"));
  const problems = emissions.reductions[0]?.certifiable.problems ?? [];
  assert.ok(problems.every(({ rule }) => rule !== "small-frame-complete"));
});

/** Rules by path that prevent a certificate of a closed campaign for a figure of its terms. */
async function figureProblems(emissions: object): Promise<string[]> {
  const { campaignId } = await scene.closedCampaign({ emissions });
  const { body } = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}/certifiability`), 200);
  const { problems } = body as { problems: { path?: string; rule: string }[] };
  return problems.filter(({ path }) => path?.startsWith("emissions.")).map(({ path, rule }) => `${path} ${rule}`);
}

test("a year of new units, a household size or leakage that nothing supports makes no certificate", async () => {
  assert.deepEqual(await figureProblems({ ...certifiableTerms, life: 5 }), []);
  assert.deepEqual(await figureProblems({ ...certifiableTerms, life: 5, creditingYear: 6 }), [
    "emissions.creditingYear crediting-year-of-devices",
  ]);
  assert.deepEqual(await figureProblems({ ...certifiableTerms, householdSize: 40 }), [
    "emissions.householdSize household-size-on-record",
  ]);
  const { fuel, area, householdSize } = certifiableTerms;
  const assessed = { method: "tpddtec", fuel, area, householdSize, leakage: 0 };
  assert.deepEqual(await figureProblems(assessed), ["emissions.leakage leakage-at-least-default"]);
  const record = {
    kind: "method-parameter",
    key: "tpddtec/LE",
    value: 0,
    source: "none found",
    validFrom: "2024-01-01",
  };
  requireStatus(await scene.regulator("POST", "/parameters", record), 201);
  assert.deepEqual(await figureProblems(assessed), []);
});

test("minimums that the regulator recorded for a method belong to the terms and to the result", async () => {
  const asked = async (name: string, value: number) => {
    const record = {
      kind: "method-minimum",
      key: `smec-4/${name}/MWI`,
      value,
      source: "Letter 9",
      validFrom: "2024-01-01",
    };
    const { body } = requireStatus(await scene.regulator("POST", "/parameters", record), 201);
    return (body as { parameterId: string }).parameterId;
  };
  const days = await asked("days", 4);
  const emissions = { ...certifiableTerms, area: "MWI" };
  const { campaignId } = await scene.closedCampaign({ emissions });
  const path = `/campaigns/${campaignId}`;
  const { emissions: terms } = requireStatus(await scene.implementer("GET", path), 200).body as {
    emissions: { parameters: string[] };
  };
  assert.ok(terms.parameters.includes(days), JSON.stringify(terms));
  const { problems } = requireStatus(await scene.implementer("GET", `${path}/certifiability`), 200).body as {
    problems: { rule: string; message: string }[];
  };
  const found = problems.find(({ rule }) => rule === "days-reach-minimum");
  assert.match(
    found?.message ?? "",
    new RegExp(`fewer than 4 days \\(parameter ${days} of the regulator: Letter 9\\)`),
  );
  assert.deepEqual(await repeated(await scene.dataRoom(campaignId)), []);
  await assert.rejects(scene.closedCampaign({ emissions, days: 3 }), /days-meet-method/);

  const newer = await asked("days", 3);
  const stale = scene.closedCampaign({ emissions: { ...emissions, parameters: [days] } });
  await assert.rejects(stale, new RegExp(`parameter-newest.*${newer}|${newer}.*parameter-newest`, "s"));
});
