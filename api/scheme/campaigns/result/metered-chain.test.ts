import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { repeatRoom } from "../../../../scripts/repeat/repeat-room.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerFrames,
  registerOwnPlan,
  registerPlans,
  requireStatus,
} from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { registerDevices } from "../../../../test/support/devices.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../../test/support/registry.ts";
import { openSecondParty, type SecondParty } from "../../../../test/support/second-party.ts";
import { openVerifier } from "../../../../test/support/verification.ts";
import type { CampaignResponse } from "../schemas.ts";
import type { CampaignResultResponse } from "./schemas.ts";

let registry: RegistryTest;
let regulator: Caller;
let implementer: Caller;
let party: SecondParty;
let parameters: string[];
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  regulator = await registry.as("regulator");
  implementer = await registry.as("implementer", { implementerDid });
  party = await openSecondParty(registry.world);
  parameters = [];
  for (const [kind, key, value] of [
    ["fnrb", "KEN", 0.8347],
    ["ef-nonco2", "natural-gas", 0.293],
    ["ef-nonco2", "lpg", 0.89],
    ["ef-upstream", "wood", 1.5],
    ["ef-upstream", "natural-gas", 8],
    ["ef-upstream", "lpg", 6],
    ["ef-grid", "KEN", 0.412],
    ["grid-losses", "KEN", 0.1041],
  ] as const) {
    const body = { kind, key, value, source: "the published example of GS11817", validFrom: "2020-01-01" };
    const made = requireStatus(await regulator("POST", "/parameters", body), 201).body as { parameterId: string };
    parameters.push(made.parameterId);
  }
  for (const [symbol, value] of Object.entries(cookingTests)) {
    const key = `mecd-specific-energy/${symbol}/KEN`;
    const body = { kind: "method-parameter", key, value, source: "the published example", validFrom: "2020-01-01" };
    requireStatus(await regulator("POST", "/parameters", body), 201);
  }
});
after(() => registry?.close());

const year = { startDate: "2023-01-01", endDate: "2023-12-31" };
const households = 3;
/** Energy of a cooking test on both sides, the cap on a person's energy and the error of the meters. */
const cookingTests = { SC_b: 0.002402, SC_p: 0.000276, P_CAP: 0.005, MPE: 0.015 };
const emissionsOf = (changes: object = {}) => ({
  method: "mecd-specific-energy",
  methodVersion: "2.0",
  methodParameters: cookingTests,
  fuel: "wood",
  meteredFuel: "electricity",
  area: "KEN",
  householdSize: 4,
  daf: 0,
  parameters,
  ...changes,
});

/** Grams (Wh) a year of each household. The mix of the reference group has 80 % of its energy from wood, 11 % from gas, 9 % from LPG. */
const burnt = {
  reference: { wood: 1_513_600, "natural-gas": 67_639, lpg: 56_160 },
  intervention: { electricity: 328_500 },
};
type Amounts = Record<string, number>;

/** A visit a day, each with an equal part of the year's amount; the last has the rest. */
function visitsOf(amounts: Amounts, days: number): object[] {
  return Array.from({ length: days }, (_, day) => ({
    day,
    at: new Date(Date.parse("2023-01-01T17:00:00Z") + day * 86_400_000).toISOString(),
    collector: "did:key:z6MkCollector",
    fuels: Object.entries(amounts).map(([fuel, total]) => {
      const part = Math.floor(total / days);
      return { fuel, start: 0, added: (day < days - 1 ? part : total - part * (days - 1)) / 1000, end: 0 };
    }),
  }));
}

/** Registers the devices of the intervention households; by default they are new in the year. */
async function commit(emissions: object, size = households, installedOn = "2023-01-01") {
  const example = exampleCampaign({ sampleSize: size, emissions, testPeriod: year }, size);
  const planId = await registerOwnPlan(registry, example.campaignId);
  const body = await registerFrames(registry.admin, { ...example, planId }, planId);
  await registerDevices(implementer, { planId, households: body.groups.intervention.frame, installedOn });
  return body;
}

async function measure(
  campaign: CampaignResponse,
  group: "reference" | "intervention",
  amounts: (i: number) => Amounts,
) {
  for (const [i, householdId] of campaign.groups[group].sample.entries()) {
    const claim = {
      type: "KPTClaim",
      householdId,
      testGroup: group,
      testPeriod: year,
      visits: visitsOf(amounts(i), 365),
      externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical"] },
    };
    requireStatus(await implementer("POST", "/claims", claim), 201);
  }
}

const close = async ({ campaignId }: CampaignResponse) =>
  requireStatus(await implementer("POST", `/campaigns/${campaignId}/close`, {}), 200).body as CampaignResultResponse;
const reductionOf = ({ emissions }: CampaignResultResponse) =>
  emissions.reductions.find(({ method }) => method === "mecd-specific-energy") ?? assert.fail("no reduction");

test("MECD: the published example of project GS11817, from metered claims to a certificate", async () => {
  const campaign = await drawnCampaign(implementer, await commit(emissionsOf()), party);
  await measure(campaign, "reference", () => burnt.reference);
  await measure(campaign, "intervention", () => burnt.intervention);
  const result = await close(campaign);
  const { be, ae, le, er, broken, assumptions, certifiable, lines } = reductionOf(result);
  assert.deepEqual([broken, assumptions, certifiable.problems], [[], [], []]);
  // The example has 1 500 stoves that use 0.3285 MWh a year each; here are three.
  assert.deepEqual(
    [be, ae, le, er].map((each) => ((each ?? 0) * 500).toFixed(7)),
    ["1496.5581835", "224.1466533", "50.9482306", "1221.4632995"],
  );
  const sourceOf = (name: string) => lines.find((each) => each.name === name)?.source ?? "";
  assert.match(sourceOf("EF_el"), new RegExp(`^parameter ${parameters[6]} of the regulator`));
  assert.match(sourceOf("coverage"), /drawn intervention households/);
  const underlyingUnits = { registry: "Gold Standard", firstSerial: 11_817_001, lastSerial: 11_817_002 };
  await (await openVerifier(registry))(campaign.campaignId);
  const body = { certificateId: "CERT-MECD", activityId: "ACT-MECD", underlyingUnits };
  const certificate = requireStatus(
    await regulator("POST", `/campaigns/${campaign.campaignId}/certificate`, body),
    201,
  ).body;
  assert.partialDeepStrictEqual(certificate, { method: "mecd-specific-energy", verifiedReduction: 2442.926599 });
  const headers = { authorization: `Bearer ${testAdminKey}` };
  const download = async (path: string) => {
    const answer = await registry.app.request(`/v1/campaigns/${campaign.campaignId}/${path}`, { headers });
    assert.equal(answer.status, 200, path);
    return Buffer.from(await answer.arrayBuffer());
  };
  assert.equal((await download("monitoring-report")).subarray(0, 5).toString(), "%PDF-");
  const folder = await mkdtemp(join(tmpdir(), "hearth-metered-"));
  try {
    const room = join(folder, "room.zip");
    await writeFile(room, await download("data-room"));
    const { anvil, contracts } = registry.world;
    const node = { rpc: anvil.url, contract: contracts.addresses.campaigns };
    const { faults, steps } = await repeatRoom(room, "room.zip", { node });
    assert.equal(faults, 0, JSON.stringify(steps.flatMap((step) => step.faults)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("MECD: no certificate of another year than the meters counted, or without the committed fuel of the meters", async () => {
  const campaign = await drawnCampaign(implementer, await commit(emissionsOf({ meteredFuel: undefined })), party);
  await measure(campaign, "reference", () => burnt.reference);
  await measure(campaign, "intervention", () => burnt.intervention);
  const { assumptions, certifiable, er } = reductionOf(await close(campaign));
  assert.deepEqual(
    assumptions.map(({ parameter, value }) => [parameter, value]),
    [["meteredFuel", "electricity"]],
  );
  assert.deepEqual(
    [er === null, certifiable.problems.map(({ path, rule }) => `${path} ${rule}`)],
    [false, ["emissions.meteredFuel terms-committed"]],
  );
  const underlyingUnits = { registry: "Gold Standard", firstSerial: 11_817_003, lastSerial: 11_817_004 };
  const body = { certificateId: "CERT-LATER", activityId: "ACT-MECD", vintage: 2024, underlyingUnits };
  const refused = await regulator("POST", `/campaigns/${campaign.campaignId}/certificate`, body);
  assert.deepEqual(
    [refused.status, rulesOf(refused)],
    [400, ["data-room-verified", "terms-committed", "vintage-of-terms"]],
  );
});

test("MECD: refuses parameters that are counted, of another area or named twice, and takes upstream factors of several fuels only by meters", async () => {
  const refused = async (changes: object) =>
    rulesOf(await implementer("POST", "/campaigns", await commit(emissionsOf(changes))));
  const methodParameters = { ...emissionsOf().methodParameters, users: 4000, coverage: 1, m: 0, EMEF: 0, N_new: 0 };
  assert.deepEqual(
    await refused({ methodParameters }),
    Array.from({ length: 5 }, () => "parameter-known"),
  );
  assert.deepEqual(
    await refused({ area: "ZMB" }),
    Array.from({ length: 3 }, () => "parameter-fits"),
  );
  assert.deepEqual(await refused({ parameters: [...parameters, parameters[4]] }), ["parameter-once"]);
  assert.deepEqual(
    await refused({
      method: "smec-4",
      methodVersion: "4.0",
      methodParameters: undefined,
      parameters: [parameters[1], parameters[3], parameters[4]],
    }),
    ["parameter-fits"],
  );
});

test("MECD: takes the figures of the method from the regulator's list, and certifies no others", async () => {
  const open = async (changes: object) => implementer("POST", "/campaigns", await commit(emissionsOf(changes)));
  const restated = await open({ methodParameters: { ...cookingTests, SC_b: 1 } });
  assert.deepEqual([restated.status, rulesOf(restated)], [400, ["figure-as-recorded"]]);
  const filled = requireStatus(await open({ methodParameters: undefined }), 201).body as CampaignResponse;
  assert.deepEqual(filled.emissions?.methodParameters, cookingTests);
  // Nothing is on record for this area.
  const figures = { ...cookingTests, SC_b: 1, P_CAP: 1 };
  const elsewhere = { area: "ZMB", parameters: [], methodParameters: figures, householdSize: 40 };
  const stated = requireStatus(await open(elsewhere), 201).body as CampaignResponse;
  const { body } = await implementer("GET", `/campaigns/${stated.campaignId}/certifiability`);
  const { problems } = body as { problems: { path: string; rule: string }[] };
  const found = problems.filter(({ path = "" }) => /methodParameters|householdSize/.test(path));
  assert.deepEqual(
    found.map(({ path, rule }) => `${path.replace("emissions.", "")} ${rule}`),
    [
      ...Object.keys(figures)
        .map((symbol) => `methodParameters.${symbol} figure-on-record`)
        .sort(),
    ],
  );
});

test("MECD: no certificate of a stated number of new devices", async () => {
  const stated = await registerFrames(
    registry.admin,
    exampleCampaign({ sampleSize: households, emissions: emissionsOf({ newUnits: 0 }), testPeriod: year }, households),
  );
  const campaign = await drawnCampaign(implementer, stated, party);
  const { certifiable } = reductionOf(
    requireStatus(await implementer("GET", `/campaigns/${campaign.campaignId}/result`), 200)
      .body as CampaignResultResponse,
  );
  const rules = certifiable.problems.map(({ rule }) => rule);
  assert.ok(rules.includes("units-counted") && !rules.includes("usage-surveyed"), rules.join());
});

test("MECD: registered devices give the number of new ones, and are not surveyed", async () => {
  const body = await commit(emissionsOf(), households, "2022-06-01");
  const campaign = await drawnCampaign(implementer, body, party);
  assert.equal(campaign.usageFrame, null);
  await measure(campaign, "reference", () => burnt.reference);
  await measure(campaign, "intervention", () => burnt.intervention);
  const { be, ae, er, certifiable } = reductionOf(await close(campaign));
  assert.deepEqual([certifiable.er, certifiable.problems], [er, []]);
  // No device is new in 2023, so that nothing of its making is charged.
  assert.equal(er?.toFixed(9), (((be ?? 0) - (ae ?? 0)) * 0.98).toFixed(9));
});
