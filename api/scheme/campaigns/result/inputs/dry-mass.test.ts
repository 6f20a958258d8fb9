import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../../../test/support/campaigns.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../../test/support/registry.ts";
import type { CampaignResponse } from "../../schemas.ts";
import type { CampaignResultResponse } from "../schemas.ts";

let registry: RegistryTest;
let regulator: Caller;
let implementer: Caller;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  regulator = await registry.as("regulator");
  implementer = await registry.as("implementer", { implementerDid });
});
after(() => registry?.close());

const terms = {
  method: "smec-4",
  fuel: "wood",
  area: "ZMB",
  units: 10,
  newUnits: 10,
  householdSize: 4.5,
  usage: 0.9,
  life: 3,
  daf: 0,
  he: 1,
};
const dry = { ...terms, fuelMass: "dry" };

async function commit(emissions: object) {
  return implementer(
    "POST",
    "/campaigns",
    await registerFrames(registry.admin, exampleCampaign({ sampleSize: 2, emissions }, 2)),
  );
}

async function record(kind: string, key: string, value: number): Promise<string> {
  const body = { kind, key, value, source: "laboratory", validFrom: "2020-01-01" };
  return (requireStatus(await regulator("POST", "/parameters", body), 201).body as { parameterId: string }).parameterId;
}

function detailsOf({ body }: { body: unknown }) {
  const { details = [] } = body as { details?: { path: string; rule: string }[] };
  return details.map(({ path, rule }) => `${rule} ${path}`);
}

test("refuses a calorific value that does not fit the committed mass", async () => {
  const none = await commit(dry);
  assert.deepEqual([none.status, detailsOf(none)], [400, ["ncv-fits-mass emissions.fuelMass"]]);
  const ofDry = await commit({ ...terms, dryNcv: { wood: 0.0184 } });
  assert.deepEqual([ofDry.status, detailsOf(ofDry)], [400, ["ncv-fits-mass emissions.dryNcv"]]);
  const level = await commit({ ...dry, dryNcv: { wood: 0.0184 }, baseline: "minimum-service" });
  assert.deepEqual([level.status, detailsOf(level)], [400, ["baseline-fits-mass emissions.baseline"]]);
  const charcoal = await commit({ ...dry, dryNcv: { charcoal: 0.03 } });
  assert.equal(charcoal.status, 400);
  const wet = await record("ncv", "dung", 0.011);
  const mixed = await commit({ ...dry, dryNcv: { wood: 0.0184 }, parameters: [wet] });
  assert.deepEqual([mixed.status, detailsOf(mixed)], [400, ["ncv-fits-mass emissions.parameters.0"]]);
  const ofDung = await record("ncv-dry", "dung", 0.0145);
  const asWeighed = await commit({ ...terms, parameters: [ofDung] });
  assert.deepEqual([asWeighed.status, detailsOf(asWeighed)], [400, ["ncv-fits-mass emissions.parameters.0"]]);
  const ofCharcoal = { kind: "ncv-dry", key: "charcoal", value: 0.03, source: "laboratory", validFrom: "2020-01-01" };
  assert.deepEqual(rulesOf(await regulator("POST", "/parameters", ofCharcoal)), ["key-known"]);
});

test("terms as weighed are committed without a word of it; an amendment makes them dry", async () => {
  const { campaignId, emissions } = requireStatus(await commit(terms), 201).body as CampaignResponse;
  assert.ok(!("fuelMass" in (emissions ?? {})));
  const change = { reason: "meters are available", emissions: { ...dry, dryNcv: { wood: 0.0184 } } };
  const amended = requireStatus(await implementer("POST", `/campaigns/${campaignId}/amendments`, change), 201);
  assert.partialDeepStrictEqual((amended.body as CampaignResponse).emissions, {
    fuelMass: "dry",
    dryNcv: { wood: 0.0184 },
  });
});

const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-03" };
const readings = (percent: number) => [1, 2, 3].map(() => [percent, percent, percent]);

function claimOf(householdId: string | undefined, testGroup: string, fuels: object[], changes: object = {}) {
  const visits = [0, 1, 2].map((day) => ({
    day,
    at: `2024-02-0${day + 1}T17:00:00Z`,
    collector: "did:key:z6MkCollector",
    fuels,
  }));
  const externalFactors = { season: "dry", culturalEvents: [], occupationalFactors: [] };
  return { type: "KPTClaim", householdId, testGroup, testPeriod, visits, externalFactors, ...changes };
}

function weighing(fuel: string, used: number, moisture?: { basis: "wet" | "dry"; percent: number }) {
  const read = moisture && { basis: moisture.basis, readings: readings(moisture.percent) };
  return { fuel, start: 10, added: 0, end: 10 - used, ...(read && { moisture: read }) };
}

test("every weighed fuel takes its recorded figures, and a stated one differs from none of them", async () => {
  const emissions = { ...dry, dryNcv: { wood: 0.0184, residues: 0.016 } };
  const woodEf = await record("ef-co2", "residues", 90);
  const committed = requireStatus(await commit(emissions), 201).body as CampaignResponse;
  const ofDung = committed.emissions?.parameters ?? [];
  assert.ok(ofDung.includes(woodEf), "a fuel that the terms do not name");
  const recorded = await record("ncv-dry", "residues", 0.0155);
  const differs = await commit(emissions);
  assert.deepEqual([differs.status, detailsOf(differs)], [400, ["figure-as-recorded emissions.dryNcv.residues"]]);
  const same = requireStatus(await commit({ ...emissions, dryNcv: { wood: 0.0184, residues: 0.0155 } }), 201);
  assert.ok((same.body as CampaignResponse).emissions?.parameters?.includes(recorded));
});

test("claims of several fuels count the dry mass of solid biomass; the answer, the credential and the result show its moisture", async () => {
  const body = await registerFrames(
    registry.admin,
    exampleCampaign({ sampleSize: 2, emissions: { ...dry, dryNcv: { wood: 0.0184 } }, testPeriod }, 2),
  );
  const { campaignId, groups } = await drawnCampaign(implementer, body);
  const wood = (used: number) => weighing("wood", used, { basis: "wet", percent: 20 });
  const file = async (group: "reference" | "intervention", position: number, fuels: object[], changes: object = {}) =>
    implementer("POST", "/claims", claimOf(groups[group].sample[position], group, fuels, changes));
  const weighed = { visits: undefined, fuelMeasurements: { total: 15, dailyLogs: [5, 5, 5] } };
  const published = await file("reference", 0, [], weighed);
  assert.deepEqual([published.status, rulesOf(published)], [400, ["visits-given"]]);
  const dryAsNone = await file("reference", 0, [wood(5), weighing("dung", 1)]);
  assert.deepEqual(
    [dryAsNone.status, rulesOf(dryAsNone)],
    [400, ["moisture-given", "moisture-given", "moisture-given"]],
  );
  const unknown = await file("reference", 0, [wood(5), weighing("briquettes", 1, { basis: "wet", percent: 8 })]);
  assert.deepEqual(
    [unknown.status, rulesOf(unknown)],
    [400, ["dry-ncv-committed", "dry-ncv-committed", "dry-ncv-committed"]],
  );
  const wrong = await file("reference", 0, [wood(5)], { fuelMeasurements: { total: 15, dailyLogs: [5, 4, 4] } });
  assert.deepEqual(
    [wrong.status, detailsOf(wrong)],
    [400, ["derived-from-visits fuelMeasurements.dailyLogs.0", "derived-from-visits fuelMeasurements.total"]],
  );
  const dung = weighing("dung", 1, { basis: "dry", percent: 25 });
  const stated = { fuelMeasurements: { total: 12, dailyLogs: [4, 4, 4] } };
  const first = requireStatus(await file("reference", 0, [wood(5), dung, weighing("lpg", 0.1)], stated), 201).body;
  assert.partialDeepStrictEqual(JSON.parse(JSON.stringify(first)), {
    fuels: [
      { fuel: "wood", total: 12, unit: "kg", weighed: 15, moisture: 0.2 },
      { fuel: "dung", total: 2.4, unit: "kg", weighed: 3, moisture: 0.2 },
      { fuel: "lpg", total: 0.3, unit: "kg" },
    ],
  });
  const { vc } = JSON.parse(
    Buffer.from((first as { credential: { jwt: string } }).credential.jwt.split(".")[1] ?? "", "base64url").toString(),
  );
  assert.partialDeepStrictEqual(vc.credentialSubject, {
    fuelMass: "dry",
    fuelMeasurements: { total: 12, dailyLogs: 3, unit: "kg" },
  });
  requireStatus(await file("reference", 1, [wood(6)]), 201);
  requireStatus(await file("intervention", 0, [wood(2)]), 201);
  requireStatus(await file("intervention", 1, [wood(3)]), 201);
  const result = JSON.parse(
    JSON.stringify(requireStatus(await implementer("GET", `/campaigns/${campaignId}/result`), 200).body),
  ) as CampaignResultResponse;
  assert.deepEqual(result.dryMass?.groups.reference, [
    { fuel: "wood", weighed: 33, dry: 26.4, moisture: 0.2 },
    { fuel: "dung", weighed: 3, dry: 2.4, moisture: 0.2 },
  ]);
  assert.equal(result.groups.reference.mean, 4.4);
  const reduction = result.emissions.reductions.find(({ method }) => method === "smec-4");
  const sourceOf = (name: string) => reduction?.lines.find((each) => each.name === name)?.source;
  assert.equal(sourceOf("Baseline, wood: NCV"), "dry fuel, given with the campaign");
  assert.match(sourceOf("Baseline, dung: NCV") ?? "", /^parameter PRM-\d+ of the regulator: laboratory$/);
  assert.match(sourceOf("Baseline, wood: mean of 2 households") ?? "", /dry mass/);
  const rules = reduction?.certifiable.problems.map(({ rule, path }) => `${rule} ${path}`) ?? [];
  assert.ok(rules.includes("figure-recorded emissions.dryNcv.wood"), rules.join("\n"));
  const csv = requireStatus(await implementer("GET", `/campaigns/${campaignId}/result?format=csv`), 200);
  assert.match(String(csv.body), /dry mass,reference,wood: mean moisture,0\.2,1,/);
});
