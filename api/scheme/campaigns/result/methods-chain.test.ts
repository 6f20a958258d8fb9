import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { CampaignResultResponse } from "./schemas.ts";

let registry: RegistryTest;
let regulator: Caller;
let implementer: Caller;
let party: SecondParty;
/** Parameters of the worked examples, by kind. */
const recorded: Record<string, string> = {};
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  regulator = await registry.as("regulator");
  implementer = await registry.as("implementer", { implementerDid });
  party = await openSecondParty(registry.world);
  for (const [kind, key, value] of [
    ["fnrb", "ZMB", 0.8],
    ["ef-nonco2", "wood", 4.8],
  ] as const) {
    const body = { kind, key, value, source: "the worked example", validFrom: "2020-01-01" };
    const made = requireStatus(await regulator("POST", "/parameters", body), 201).body as { parameterId: string };
    recorded[kind] = made.parameterId;
  }
});
after(() => registry?.close());

type Period = { startDate: string; endDate: string };
const threeDays: Period = { startDate: "2024-02-01", endDate: "2024-02-03" };

/** A closed campaign of three households a group that all use the same each day. */
async function closedCampaign(
  emissions: object,
  logs: { reference: number[]; intervention: number[] },
  testPeriod = threeDays,
): Promise<CampaignResultResponse> {
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions, testPeriod }, 3));
  const campaign: CampaignResponse = await drawnCampaign(implementer, body, party);
  for (const testGroup of ["reference", "intervention"] as const) {
    for (const householdId of campaign.groups[testGroup].sample) {
      const dailyLogs = logs[testGroup];
      const total = Number(dailyLogs.reduce((sum, each) => sum + each, 0).toFixed(3));
      const claim = {
        type: "KPTClaim",
        householdId,
        testGroup,
        testPeriod,
        fuelMeasurements: { total, dailyLogs },
        externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
      };
      requireStatus(await implementer("POST", "/claims", claim), 201);
    }
  }
  return requireStatus(await implementer("POST", `/campaigns/${campaign.campaignId}/close`, {}), 200)
    .body as CampaignResultResponse;
}

function reductionBy(result: CampaignResultResponse, method: string) {
  const found = result.emissions.reductions.find((each) => each.method === method);
  assert.ok(found, method);
  // The worked examples state their units and usage, of which no certificate is made.
  assert.deepEqual(
    found.certifiable.problems.map(({ rule }) => rule),
    ["units-counted", "usage-surveyed"],
  );
  assert.deepEqual([found.broken, found.assumptions, found.certifiable.er], [[], [], null]);
  return found;
}
const days = (count: number, kilograms: number) => Array.from({ length: count }, () => kilograms);
const rounded = (figures: (number | null)[]) => figures.map((each) => each?.toFixed(8));

test("smec-4: the worked case, with option B and recorded factors", async () => {
  const emissions = {
    method: "smec-4",
    methodVersion: "4.0",
    fuel: "wood",
    area: "ZMB",
    units: 1000,
    householdSize: 4.5,
    usage: 0.92,
    newUnits: 1000,
    life: 3,
    daf: 0.1,
    he: 0.9,
    baseline: "minimum-service",
    parameters: [recorded["ef-nonco2"]],
  };
  // 1.3 t in a year: 364 days of 3.561 kg and one of 3.796 kg.
  const year = { startDate: "2023-01-01", endDate: "2023-12-31" };
  const logs = { reference: days(365, 6), intervention: [...days(364, 3.561), 3.796] };
  const result = await closedCampaign(emissions, logs, year);
  const { be, ae, le, er, lines } = reductionBy(result, "smec-4");
  assert.deepEqual(rounded([be, ae, le, er]), ["2606.35190400", "1761.27744000", "33.90148928", "726.66552832"]);
  const sourceOf = (name: string) => lines.find((each) => each.name === name)?.source ?? "";
  assert.match(sourceOf("fNRB"), new RegExp(`^parameter ${recorded.fnrb} of the regulator: the worked example$`));
  assert.match(sourceOf("EF_nonCO2"), new RegExp(`^parameter ${recorded["ef-nonco2"]} of`));
  assert.deepEqual(
    result.flags.map(({ group, rule }) => `${group} ${rule}`),
    [
      "reference identical-values",
      "reference no-variance",
      "intervention identical-values",
      "intervention no-variance",
      "intervention figures-stated",
      "reference measured-before-draw",
      "intervention measured-before-draw",
      "intervention area-stated",
    ],
  );
});

const shared = { fuel: "wood", area: "ZMB", units: 1000, usage: 0.9 };

test("tpddtec-4: the hand-calculated example of 1 kg of wood saved a day, with default leakage", async () => {
  const emissions = { ...shared, method: "tpddtec-4", householdSize: 5 };
  const result = await closedCampaign(emissions, { reference: days(3, 4), intervention: days(3, 3) });
  const { be, ae, le, er } = reductionBy(result, "tpddtec-4");
  // 365 000 technology-days; see api/scheme/emissions/methods/registry.test.ts. The cap of 0.95 t a person, 13 kg a day, does not bind.
  // The recorded EF_nonCO2 counts, although the terms do not name it: 0.0156 · (112 · 0.8 + 4.8) = 1.47264 tCO2e/t.
  assert.deepEqual(rounded([er, le]), ["459.57412800", "24.18811200"]);
  assert.deepEqual(rounded([be, ae]), ["1935.04896000", "1451.28672000"]);
});

test("tpddtec: baseline less project less assessed leakage", async () => {
  const emissions = { ...shared, method: "tpddtec", householdSize: 5, leakage: 7.5 };
  const result = await closedCampaign(emissions, { reference: days(3, 4), intervention: days(3, 3) });
  const { le, er } = reductionBy(result, "tpddtec");
  assert.deepEqual(rounded([er, le]), ["476.26224000", "7.50000000"]);
});

test("vm0050-1: half of the wood, credited as far as the project's energy explains it", async () => {
  const methodParameters = { eta_new: 0.2, eta_old: 0.15, LE_RB: 2, PE_other: 1 };
  const emissions = { ...shared, method: "vm0050-1", methodParameters };
  const result = await closedCampaign(emissions, { reference: days(3, 6), intervention: days(3, 3) });
  const { be, ae, le, er } = reductionBy(result, "vm0050-1");
  // 900 devices in use; 2.19 t and 1.095 t a year; 0.0156 · (112 · 0.8 + 4.8) = 1.47264 tCO2e/t; k = 0.5 · 0.2 ÷ 0.15 = 2/3
  //   BE = 2/3 · 2902.57344 = 1935.04896; PE = 1451.28672 + 1; (BE − PE) · 0.95 − 2 = 456.624128
  assert.deepEqual(rounded([be, ae, le, er]), ["1935.04896000", "1452.28672000", "26.13811200", "456.62412800"]);
});

test("refuses an approval that is a text, and parameters that do not fit, are unknown or superseded", async () => {
  const commit = async (emissions: object) => {
    const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions }, 3));
    return implementer("POST", "/campaigns", body);
  };
  const own = await commit({ ...shared, fnrb: 0.9, fnrbApproval: "my own word" });
  assert.deepEqual([own.status, rulesOf(own)], [400, ["fnrb-approval-recorded"]]);
  const tooHigh = await commit({ ...shared, fnrb: 0.9, fnrbApproval: recorded.fnrb });
  assert.deepEqual([tooHigh.status, rulesOf(tooHigh)], [400, ["fnrb-within-default"]]);
  const factor = await commit({ ...shared, fnrb: 0.5, fnrbApproval: recorded["ef-nonco2"] });
  assert.deepEqual([factor.status, rulesOf(factor)], [400, ["fnrb-approval-recorded"]]);
  // PRM-1 is the default fNRB of Zambia, which the worked example supersedes.
  const superseded = await commit({ ...shared, parameters: ["PRM-1"] });
  assert.deepEqual([superseded.status, rulesOf(superseded)], [400, ["parameter-newest"]]);
  const malawi = { kind: "ef-grid", key: "MWI", value: 0.1, source: "decision", validFrom: "2020-01-01" };
  const { parameterId: otherArea } = requireStatus(await regulator("POST", "/parameters", malawi), 201).body as {
    parameterId: string;
  };
  const mixed = await commit({
    ...shared,
    parameters: ["PRM-999999", otherArea, recorded.fnrb, recorded.fnrb],
  });
  assert.deepEqual([mixed.status, rulesOf(mixed)], [400, ["parameter-fits", "parameter-once", "parameter-recorded"]]);
  const approved = requireStatus(await commit({ ...shared, fnrb: 0.6, fnrbApproval: recorded.fnrb }), 201);
  assert.partialDeepStrictEqual((approved.body as CampaignResponse).emissions, { fnrb: 0.6 });
  const amend = { reason: "a better word", emissions: { ...shared, fnrb: 0.9, fnrbApproval: "my own word" } };
  const path = `/campaigns/${(approved.body as CampaignResponse).campaignId}/amendments`;
  const amended = await implementer("POST", path, amend);
  assert.deepEqual([amended.status, rulesOf(amended)], [400, ["fnrb-approval-recorded"]]);
});

test("refuses an fNRB above the recorded one, although the built-in default is higher", async () => {
  const record = { kind: "fnrb", key: "MWI", value: 0.3, source: "decision", validFrom: "2020-01-01" };
  requireStatus(await regulator("POST", "/parameters", record), 201);
  const commit = async (fnrb: number) => {
    const emissions = { area: "MWI", fnrb };
    return implementer("POST", "/campaigns", await registerFrames(registry.admin, exampleCampaign({ emissions })));
  };
  const refused = await commit(0.4);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["fnrb-within-default"]]);
  const campaign = requireStatus(await commit(0.3), 201).body as CampaignResponse;
  const amend = { reason: "a better word", emissions: { area: "MWI", fnrb: 0.4 } };
  const amended = await implementer("POST", `/campaigns/${campaign.campaignId}/amendments`, amend);
  assert.deepEqual([amended.status, rulesOf(amended)], [400, ["fnrb-within-default"]]);
});

test("calculates with the recorded figures of the fuel, whether the terms name them or not", async () => {
  const record = async (value: number) => {
    const body = { kind: "ncv", key: "charcoal", value, source: "decision", validFrom: "2020-01-01" };
    return (requireStatus(await regulator("POST", "/parameters", body), 201).body as { parameterId: string })
      .parameterId;
  };
  const commit = async (emissions: object) => {
    const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions }, 3));
    return implementer("POST", "/campaigns", body);
  };
  const termsAfter = async (emissions: object) =>
    (requireStatus(await commit(emissions), 201).body as CampaignResponse).emissions?.parameters ?? [];
  const charcoal = { ...shared, fuel: "charcoal" };
  const before = await termsAfter(charcoal);
  const low = await record(0.02);
  const [fnrb = "", ...others] = before;
  const termsWith = (ncv: string) => [fnrb, ncv, ...others];
  assert.deepEqual(await termsAfter(charcoal), termsWith(low));
  assert.deepEqual(await termsAfter({ ...charcoal, parameters: [low] }), [low, ...before]);
  assert.deepEqual(await termsAfter(shared), [...before, low], "visits may weigh charcoal and wood");
  assert.deepEqual(await termsAfter({ ...shared, parameters: [low] }), [low, ...before]);
  const lower = await record(0.015);
  const superseded = await commit({ ...charcoal, parameters: [low] });
  assert.deepEqual([superseded.status, rulesOf(superseded)], [400, ["parameter-newest"]]);
  const ofWood = await commit({ ...shared, parameters: [low] });
  assert.deepEqual([ofWood.status, rulesOf(ofWood)], [400, ["parameter-newest"]]);
  assert.deepEqual(await termsAfter(charcoal), termsWith(lower));
});

test("refuses a method whose version the regulator ended", async () => {
  const end = { kind: "method", key: "tpddtec-4", value: 4, source: "decision", validFrom: "2020-01-01" };
  requireStatus(await regulator("POST", "/parameters", { ...end, value: 5 }), 201);
  const body = await registerFrames(
    registry.admin,
    exampleCampaign({ sampleSize: 3, emissions: { method: "tpddtec-4" } }, 3),
  );
  const refused = await implementer("POST", "/campaigns", body);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["method-in-force"]]);
});
